import { ConfigurationError, StoreIncompatibleError, StoreUnavailableError } from '../../shared/contracts/errors.js'
import { OutageCause } from '../../shared/contracts/denial.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { SchemaMigration, Store, StorePart, StoreWith } from '../../shared/contracts/store.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { copyPlainObject } from '../../shared/lib/own-members.js'
import { ownRecord } from '../../shared/lib/own-record.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../../shared/lib/timeout.js'
import { isPermanentFault, isTimeoutFault } from './store-faults.js'
import type { StoreCall, StoreCallKind, StoreHealth } from './store-health.js'

type Outcomes = Pick<StoreHealth, 'answered' | 'failed' | 'timedOut' | 'isUnresponsive'>

/** `auth.close()` must end within seconds even if the store hangs. A store that never opened may never close. */
const STORE_CLOSE_TIMEOUT_MS = 2000
/** This limit bounds memory: a call that timed out here is still in the store's own queue, and counts until the store settles it. */
const MAX_WAITING_CALLS = 10_000

/** Every failure becomes a `StoreUnavailableError`. After a time-out calls fail at once, but for the change feed's polls. */
export function createBoundedCalls(options: { readonly storeHealth: Outcomes; readonly name: string }) {
  const { storeHealth, name: source } = options
  let waiting = 0
  let closed = false

  async function callStore(call: Call, kind: StoreCallKind, args: unknown[]): Promise<unknown> {
    waiting += 1
    try {
      // A query's optional members, whatever a store of the host reads them by.
      return await call(...(kind === 'read' ? args.map(copyPlainObject) : args))
    } finally {
      waiting -= 1
    }
  }

  function assertMayCall(): void {
    if (storeHealth.isUnresponsive())
      throw new StoreUnavailableError(`The ${source} is unavailable.`, { cause: new StoreTimeoutError(source) })
    if (waiting >= MAX_WAITING_CALLS)
      throw new StoreUnavailableError(`${MAX_WAITING_CALLS} calls are waiting for the ${source}.`)
  }

  function bound(name: string, kind: StoreCallKind, work: Call): Call {
    return async function boundedCall(...args) {
      if (closed) throw createClosedError(source)
      if (kind !== 'feed') assertMayCall()
      const call: StoreCall = { name, kind, startedAt: performance.now() }
      const health = kind === 'notice' ? undefined : storeHealth
      try {
        const result = await withTimeout(
          callStore(work, kind, args),
          CALL_TIMEOUT_MS,
          () => new StoreTimeoutError(source),
          {
            background: kind === 'feed' || kind === 'notice',
          },
        )
        health?.answered(call)
        return result
      } catch (cause) {
        const outcome = kind === 'write' ? readOutcome(cause) : undefined
        // A call that fails because the store has been closed is no outage.
        if (closed) throw createClosedError(source, outcome)
        if (cause instanceof StoreTimeoutError || isTimeoutFault(cause)) health?.timedOut(call, cause)
        else health?.failed(call, cause)
        throw new StoreUnavailableError(`The ${source} is unavailable.`, { cause, outcome })
      }
    }
  }

  /** The calls of the store, or of a part. Each is looked up when it is called, and keeps its `this`. */
  function boundCalls<Part extends object>(part: Part, kinds: CallKinds<Part>, prefix = ''): Part {
    const calls = Object.entries<StoreCallKind>(kinds).flatMap(([name, kind]) => {
      const given = (part as Record<string, unknown>)[name]
      if (given === undefined && OPTIONAL_CALLS.has(prefix + name)) return []
      if (typeof given !== 'function')
        throw new ConfigurationError({
          option: 'store',
          problem: `has no call ${prefix}${name}()`,
          fix: 'storeTests() of "express-platform-auth/testing/store" finds all that is missing.',
        })
      const work: Call = (...args) => (part as Record<string, Call>)[name]!(...args)
      return [[name, bound(prefix + name, kind, work)]]
    })
    return Object.fromEntries(calls) as Part
  }

  return { boundCalls, close: () => void (closed = true) }
}

/** Of a store too that answers after it was closed, as one in memory does for other platforms that share it. */
export function createClosedError(subject: string, outcome?: 'unknown'): StoreUnavailableError {
  const cause = new OutageCause('auth.close() was called.')
  return new StoreUnavailableError(`The ${subject} is closed: auth.close() was called.`, { cause, outcome })
}

export function createBoundedStore(
  store: Store,
  { storeHealth, logger }: { readonly storeHealth: Outcomes; readonly logger: Pick<Logger, 'warn'> },
): Store {
  const { boundCalls, close } = createBoundedCalls({ storeHealth, name: 'store' })
  const parts = Object.entries<CallKinds<object>>(PART_CALLS).flatMap(([name, kinds]) => {
    const part = store[name as StorePart]
    return part ? [[name, boundCalls<object>(part, kinds, `${name}.`)]] : []
  })
  const calls = boundCalls<Omit<Store, UnboundedCall | StorePart>>(store, STORE_CALLS)
  return {
    kind: store.kind,
    // A getter: a store polls less often while it is notified of changes.
    get pollInterval() {
      return store.pollInterval
    },
    ...(store.clock && { clock: store.clock }),
    ...(store.concurrentCalls !== undefined && { concurrentCalls: store.concurrentCalls }),
    async open() {
      const migration = await openStore(store, storeHealth, (progress) => logger.warn(progress))
      // The level is not `info`, which the default logger drops: the operator must learn where the copy is.
      if (migration) logger.warn(describeMigration(migration))
      return migration
    },
    close() {
      close()
      return closeStore(store)
    },
    ...calls,
    findApplication: async (id) => ownFound(await calls.findApplication(id)),
    findApplicationByKey: async (...hashes) => ownFound(await calls.findApplicationByKey(...hashes)),
    listApplications: async (query) => (await calls.listApplications(query)).map(ownRecord),
    ...Object.fromEntries(parts),
    ...(store.watch && { watch: (wake: () => void) => store.watch!(wake) }),
  }
}

function ownFound(record: ApplicationRecord | undefined): ApplicationRecord | undefined {
  return record && ownRecord(record)
}

type Call = (...args: unknown[]) => Promise<unknown>

export type CallKinds<Part extends object> = { readonly [Name in keyof Part]-?: StoreCallKind }

/** The members of a store that do not wait for the database, or that have a time-out of their own. */
type UnboundedCall = 'kind' | 'pollInterval' | 'concurrentCalls' | 'clock' | 'open' | 'close' | 'watch' | 'diagnose'

const STORE_CALLS: CallKinds<Omit<Store, UnboundedCall | StorePart>> = {
  establishSecret: 'write',
  replaceSecret: 'write',
  listSigningKeys: 'read',
  addSigningKey: 'write',
  resealSigningKey: 'write',
  removeSigningKey: 'write',
  findApplication: 'read',
  findApplicationByKey: 'read',
  listApplications: 'read',
  saveApplication: 'write',
  noteCredentialUse: 'write',
  revokeAccessToken: 'write',
  listRevokedAccessTokens: 'read',
  isAccessTokenRevoked: 'read',
  listAudit: 'read',
  deleteAudit: 'write',
  changesSince: 'feed',
}

const PART_CALLS: { readonly [Name in StorePart]: CallKinds<StoreWith[Name]> } = {
  emails: { lease: 'write', save: 'write', find: 'read', findByClaimLink: 'read', list: 'read', listExpiring: 'read' },
  usage: {
    add: 'write',
    list: 'read',
    listSums: 'read',
    addReported: 'write',
    listReported: 'read',
    addRefusals: 'write',
    listRefusals: 'read',
    deleteExpired: 'write',
  },
  quotas: { add: 'write', list: 'read', listUsed: 'read', deleteExpired: 'write' },
  signIns: {
    add: 'write',
    findByLink: 'read',
    countGuess: 'write',
    remove: 'write',
    addSignOut: 'write',
    listSignOuts: 'read',
  },
  imports: { add: 'write', replaceHash: 'write', countHashes: 'read' },
  processes: { announce: 'notice', list: 'notice', remove: 'notice' },
  assertions: { add: 'write' },
}

const OPTIONAL_CALLS: ReadonlySet<string> = new Set(['imports.countHashes'])

class StoreTimeoutError extends Error {
  override readonly name = 'StoreTimeoutError'
  readonly code = 'ETIMEDOUT'

  constructor(source: string) {
    super(`The ${source} did not answer within ${CALL_TIMEOUT_MS} ms.`)
  }
}

/** The state of a write that failed: one that has timed out may still take effect. */
function readOutcome(cause: unknown): StoreUnavailableError['outcome'] {
  if (cause instanceof StoreUnavailableError) return cause.outcome
  return cause instanceof StoreTimeoutError ? 'unknown' : undefined
}

/** Opening has no time-out, because migrations may take long. No retry helps with an incompatible store. */
async function openStore(store: Store, storeHealth: Outcomes, onProgress: (progress: string) => void) {
  const call = { name: 'open', kind: 'read' } as const
  const startedAt = performance.now()
  try {
    const migration = await store.open({ onProgress })
    // Measured from now: `health()` must not report a slow store because of a long migration.
    storeHealth.answered({ ...call, startedAt: performance.now() })
    return migration
  } catch (cause) {
    if (cause instanceof StoreIncompatibleError) throw new ConfigurationError(cause, { cause: cause.cause })
    // This is no outage: the start-up reports it, once.
    if (isPermanentFault(cause)) throw cause
    storeHealth.failed({ ...call, startedAt }, cause)
    throw new StoreUnavailableError('The store could not be opened.', { cause })
  }
}

function describeMigration({ from, to, copy }: SchemaMigration): string {
  const migrated = `The store was migrated from schema ${from} to ${to}.`
  return copy === undefined ? migrated : `${migrated} A copy of the file before the migration is ${copy}.`
}

async function closeStore(store: Store): Promise<void> {
  const timeout = new StoreTimeoutError('store')
  try {
    await withTimeout(store.close(), STORE_CLOSE_TIMEOUT_MS, () => timeout)
  } catch (error) {
    if (error !== timeout) throw error
  }
}
