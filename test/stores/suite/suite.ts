import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type {
  ApplicationQuery,
  ApplicationRecord,
  AuditQuery,
  AuditRecord,
  Change,
  EmailQuery,
  NewAuditRecord,
  QueuedEmail,
  StoreWith,
} from '../../../src/store.js'
import { application, audit } from './records.js'

/** The stores of one test, both open on the same database. */
export interface OpenedStores {
  readonly store: StoreWith
  /** A second store on the same database; the same object if the stores of one process share it. */
  readonly other: StoreWith
}

/** What a test is given: the stores, and calls of them. */
export type TestContext = OpenedStores & ReturnType<typeof createCalls>

/** Collects tests, with the functions by which test runners name them. */
export interface TestCollector {
  readonly describe: (subject: string, define: () => void) => void
  readonly it: (behaviour: string, run: (context: TestContext) => Promise<void>) => void
}

/** The entries that a call adds to the audit and to the change feed. */
export interface Traces {
  readonly audit: number
  readonly changes: readonly Change[]
}

/** Cursors and ids that no store issues. `Number()` or `parseInt()` would read some of them as numbers. */
export const MALFORMED_CURSORS = [
  '',
  ' ',
  '1abc',
  'abc',
  '-1',
  '+1',
  '1.5',
  '1e0',
  '0x1',
  '01',
  ' 1',
  '1\n',
  '999999',
  '9007199254740993',
  '9'.repeat(40),
  '1'.repeat(10_000),
  'NaN',
  'Infinity',
  '١',
  'ü🔑',
  '\u0000',
  '1\u0000',
  '\ud800',
  "1' OR '1'='1",
]

/** Calls of the stores, with a default for every member of a record and of a query. */
export function createCalls({ store, other }: OpenedStores) {
  /** Whether the application was saved. */
  async function trySave(
    id: string,
    changes: Partial<ApplicationRecord> = {},
    record: NewAuditRecord = audit(id),
  ): Promise<boolean> {
    return store.saveApplication(application(id, changes), record)
  }

  async function save(...given: Parameters<typeof trySave>): Promise<void> {
    assert.equal(await trySave(...given), true)
  }

  async function saveEmails(emails: readonly QueuedEmail[]): Promise<readonly boolean[]> {
    return Promise.all(emails.map((email) => store.emails.save(email)))
  }

  async function listApplications(query: Partial<ApplicationQuery> = {}): Promise<readonly ApplicationRecord[]> {
    return store.listApplications({ after: undefined, limit: 100, api: undefined, status: undefined, ...query })
  }

  async function listIds(query: Partial<ApplicationQuery> = {}): Promise<readonly string[]> {
    return (await listApplications(query)).map(({ id }) => id)
  }

  /** The ids of all pages of a query; `readPosition` returns where the page after that record begins. */
  async function listInPages(
    query: Partial<ApplicationQuery>,
    limit: number,
    readPosition: (last: ApplicationRecord) => Partial<ApplicationQuery> = () => ({}),
  ): Promise<readonly string[]> {
    const records = await readPages<ApplicationRecord>(limit, (last) =>
      listApplications({ ...query, ...(last && { after: last.id, ...readPosition(last) }), limit }),
    )
    return records.map(({ id }) => id)
  }

  async function listAudit(query: Partial<AuditQuery> = {}): Promise<readonly AuditRecord[]> {
    return store.listAudit({ after: undefined, limit: 100, applicationId: undefined, ...query })
  }

  async function listEmails(query: Partial<EmailQuery> = {}): Promise<readonly QueuedEmail[]> {
    return store.emails.list({ applicationId: undefined, state: undefined, limit: 100, ...query })
  }

  async function listEmailIds(query: Partial<EmailQuery> = {}): Promise<readonly string[]> {
    return (await listEmails(query)).map(({ id }) => id)
  }

  async function recordTraces(call: () => Promise<unknown>): Promise<Traces> {
    const before = (await listAudit()).length
    const { cursor } = await store.changesSince(undefined)
    await call()
    const { changes } = await store.changesSince(cursor)
    return { audit: (await listAudit()).length - before, changes }
  }

  /** The result of a call that must leave nothing in the audit and in the change feed. */
  async function withoutTraces<Result>(call: () => Promise<Result>): Promise<Result> {
    let result: { readonly of: Result } | undefined
    const traces = await recordTraces(async () => (result = { of: await call() }))
    assertEqual(traces, { audit: 0, changes: [] })
    return result!.of
  }

  /** The results of calls that are made at the same time, half of them by each store. */
  async function callAtOnce<Result>(
    count: number,
    call: (one: StoreWith, at: number) => Promise<Result>,
  ): Promise<readonly Result[]> {
    return Promise.all(Array.from({ length: count }, (_, at) => call(at % 2 === 0 ? store : other, at)))
  }

  /** The number of the only one of these calls that succeeds. */
  async function findWinner(...calls: Parameters<typeof callAtOnce<boolean>>): Promise<number> {
    const winners = (await callAtOnce(...calls)).flatMap((hasWon, at) => (hasWon ? [at] : []))
    assert.equal(winners.length, 1)
    return winners[0]!
  }

  return {
    trySave,
    save,
    saveEmails,
    listApplications,
    listIds,
    listInPages,
    listAudit,
    listEmails,
    listEmailIds,
    recordTraces,
    withoutTraces,
    callAtOnce,
    findWinner,
  }
}

/** The items of all pages; `readPage` reads the page after an item. */
export async function readPages<Item>(
  limit: number,
  readPage: (last: Item | undefined) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const seen: Item[] = []
  for (;;) {
    const page = await readPage(seen.at(-1))
    assert.ok(page.length <= limit)
    seen.push(...page)
    if (page.length < limit) return seen
  }
}

/** Writes to everything in a value that can be written to. */
export function overwrite(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    overwrite(part)
    Reflect.set(value, name, 'overwritten')
  }
  if (Array.isArray(value) && Object.isExtensible(value)) value.push('overwritten')
}

/** Polls, because a store may wake a watcher at any time, and without a change. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  const end = performance.now() + WATCH_TIMEOUT_MS
  while (!condition()) {
    if (performance.now() > end) throw new Error('watch() did not call back within 10 seconds of a change.')
    await setTimeout(WATCH_POLL_INTERVAL_MS)
  }
}

const WATCH_TIMEOUT_MS = 10_000
const WATCH_POLL_INTERVAL_MS = 20

/** Compares copies: Jest's modules have an `Object` of their own, which is not the one of `structuredClone()` or a driver. */
export function assertEqual(actual: unknown, expected: unknown, ...message: [message?: string]): void {
  // No message is passed if there is none: Node 26 refuses `undefined`.
  assert.deepEqual(structuredClone(actual), structuredClone(expected), ...message)
}
