import assert from 'node:assert/strict'
import type { Store } from '../../../src/index.js'
import type { StorePart, StoreWith } from '../../../src/store.js'
import { applicationListContract } from './application-list.js'
import { applicationSearchContract } from './application-search.js'
import { applicationErrorsContract, applicationsContract, applicationVersionsContract } from './applications.js'
import { assertionsContract } from './assertions.js'
import { auditContract } from './audit.js'
import { auditQueriesContract } from './audit-queries.js'
import { changeFeedContract, watchContract } from './change-feed.js'
import { contactsContract } from './contacts.js'
import { credentialUseContract } from './credential-use.js'
import { reportedContract } from './reported.js'
import { expiringContract } from './expiring.js'
import { emailChangesContract, emailConflictsContract } from './email-changes.js'
import { emailLeaseContract } from './email-lease.js'
import { emailListContract } from './email-list.js'
import { emailsContract } from './emails.js'
import { endedKeysContract, hashReplacementContract, importsContract } from './imports.js'
import { expirySearchContract } from './expiry-search.js'
import { nameSearchContract } from './name-search.js'
import { secretsContract } from './secrets.js'
import { processesContract } from './processes.js'
import { quotasContract } from './quotas.js'
import { refusalsContract } from './refusals.js'
import { revokedAccessTokensContract } from './revoked-access-tokens.js'
import { signInsContract, signOutsContract } from './sign-ins.js'
import { signingKeysContract } from './signing-keys.js'
import { assertEqual, createCalls, type TestCollector, type TestContext } from './suite.js'
import { expiredUsageContract, usageContract, usageListContract } from './usage.js'
import { usageByRouteContract } from './usage-by-route.js'

/** A store to test: it is open, on an empty database of its own. */
export interface OpenedStore {
  readonly store: Store
  /** Opens a second store on the same database, or resolves the same one if the platforms of a process share it. */
  readonly again: () => Promise<Store>
  /** Releases everything that the test opened. Called after each test, failed ones included. */
  readonly close: () => Promise<void>
}

/** The options of `storeTests()`. */
export interface StoreTestsOptions {
  /** The parts that the store has, which are tested too; all of them if left out. */
  readonly parts?: readonly StorePart[]
}

/** A test for any test runner. */
export interface StoreTest {
  /** The behaviour of the store, as a sentence. */
  readonly name: string
  /** Opens the store, tests it and closes it. Rejects with an `AssertionError` or with what the store rejected with. */
  readonly run: () => Promise<void>
}

/**
 * The tests that every store passes: what a store of your own must do to be given to `createPlatformAuth()`. Each test opens
 * a store on an empty database. Tests that are started together run one after the other.
 *
 * @example
 * ```ts
 * import { it } from 'node:test'
 * import { memoryStore } from 'express-platform-auth'
 * import { storeTests } from 'express-platform-auth/testing/store'
 *
 * const tests = storeTests(async () => {
 *   const store = memoryStore()
 *   await store.open()
 *   return { store, again: async () => store, close: () => store.close() }
 * })
 * for (const { name, run } of tests) it(name, run)
 * ```
 */
export function storeTests(
  open: () => Promise<OpenedStore>,
  { parts = STORE_PARTS }: StoreTestsOptions = {},
): readonly StoreTest[] {
  const unknown = parts.filter((part) => !STORE_PARTS.includes(part))
  assert.deepEqual(unknown, [], `storeTests() knows no such parts. There are: ${STORE_PARTS.join(', ')}.`)
  const tests: StoreTest[] = []
  const subjects: string[] = []
  let last: Promise<unknown> = Promise.resolve()

  const collector: TestCollector = {
    describe(subject, define) {
      subjects.push(subject)
      define()
      subjects.pop()
    },
    it: (behaviour, run) => tests.push({ name: [...subjects, behaviour].join(' '), run: () => runNext(run) }),
  }

  function runNext(run: (context: TestContext) => Promise<void>): Promise<void> {
    const running = last.then(() => runAlone(run))
    last = running.catch(() => undefined)
    return running
  }

  async function runAlone(run: (context: TestContext) => Promise<void>): Promise<void> {
    const opened = await open()
    try {
      const stores = { store: requireParts(opened.store, parts), other: requireParts(await opened.again(), parts) }
      await run({ ...stores, ...createCalls(stores) })
    } finally {
      await opened.close()
    }
  }

  for (const collect of [...CORE, ...parts.flatMap((part) => PARTS[part])]) collect(collector)
  return tests
}

/** The tests of a part use it without asking, and a store that was said to have it must have it. */
function requireParts(store: Store, parts: readonly StorePart[]): StoreWith {
  const missing = parts.filter((part) => store[part] === undefined)
  assert.deepEqual(
    missing,
    [],
    'The store lacks parts that are tested. Give storeTests(open, { parts }) those that it has.',
  )
  return store as StoreWith
}

function openContract({ it }: TestCollector): void {
  it('open() resolves undefined if the store is open', async ({ store, save, listIds }) => {
    await save('a')
    assertEqual(await Promise.all([store.open(), store.open()]), [undefined, undefined])
    assertEqual(await listIds(), ['a'])
  })
}

type Contract = (collector: TestCollector) => void

/** What every store must do. */
const CORE: readonly Contract[] = [
  openContract,
  nameSearchContract,
  expirySearchContract,
  secretsContract,
  signingKeysContract,
  applicationsContract,
  applicationVersionsContract,
  applicationErrorsContract,
  credentialUseContract,
  applicationListContract,
  applicationSearchContract,
  contactsContract,
  revokedAccessTokensContract,
  auditContract,
  auditQueriesContract,
  changeFeedContract,
  watchContract,
]

const PARTS: { readonly [Part in StorePart]: readonly Contract[] } = {
  emails: [
    emailsContract,
    emailListContract,
    emailLeaseContract,
    emailChangesContract,
    emailConflictsContract,
    expiringContract,
  ],
  usage: [
    usageContract,
    usageListContract,
    usageByRouteContract,
    expiredUsageContract,
    reportedContract,
    refusalsContract,
  ],
  quotas: [quotasContract],
  signIns: [signInsContract, signOutsContract],
  imports: [importsContract, endedKeysContract, hashReplacementContract],
  processes: [processesContract],
  assertions: [assertionsContract],
}
const STORE_PARTS = Object.keys(PARTS) as StorePart[]
