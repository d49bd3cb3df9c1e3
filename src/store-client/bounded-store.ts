import { ConfigurationError, StoreIncompatibleError, StoreUnavailableError } from '../contracts/errors.js'
import type { Logger } from '../contracts/logger.js'
import type { SchemaMigration, Store } from '../contracts/store.js'
import { copyPlainObject } from '../lib/own-members.js'
import { CALL_TIMEOUT_MS, withTimeout } from '../lib/timeout.js'
import { isPermanentFault, isTimeoutFault } from './store-fault.js'
import type { StoreCall, StoreCallKind, StoreHealth } from './store-health.js'

interface BoundedStoreOptions {
  /** Receives the outcome of every call. */
  readonly storeHealth: Pick<StoreHealth, 'answered' | 'failed' | 'timedOut' | 'isUnresponsive'>
  readonly logger: Pick<Logger, 'warn'>
}

/** `auth.close()` must end within seconds even if the store hangs. A store that never opened may never close. */
const STORE_CLOSE_TIMEOUT_MS = 2000
/** This limit bounds memory: a call that timed out here is still in the store's own queue, and counts until the store settles it. */
const MAX_WAITING_CALLS = 10_000

/**
 * The store with bounded calls: every failure to answer (rejection, exception or time-out) becomes a `StoreUnavailableError`,
 * which the endpoints answer with 503. After a time-out further calls fail at once, except the change feed's polls, which
 * find out when the store answers again.
 */
export function createBoundedStore(store: Store, { storeHealth, logger }: BoundedStoreOptions): Store {
  let waiting = 0
  let closed = false

  async function callStore(name: StoreCallName, args: unknown[]): Promise<unknown> {
    waiting += 1
    try {
      // A query's optional members, whatever a store of the host reads them by.
      const given = STORE_CALLS[name] === 'read' ? args.map(copyPlainObject) : args
      return await (Reflect.apply(store[name], store, given) as Promise<unknown>)
    } finally {
      waiting -= 1
    }
  }

  function assertMayCall(): void {
    if (storeHealth.isUnresponsive())
      throw new StoreUnavailableError('The store is unavailable.', { cause: new StoreTimeoutError() })
    if (waiting >= MAX_WAITING_CALLS)
      throw new StoreUnavailableError(`${MAX_WAITING_CALLS} calls are waiting for the store.`)
  }

  function bound<Name extends StoreCallName>(name: Name): Store[Name] {
    const kind = STORE_CALLS[name]
    async function boundedCall(...args: unknown[]): Promise<unknown> {
      if (kind !== 'feed') assertMayCall()
      const call: StoreCall = { name, kind, startedAt: performance.now() }
      try {
        const result = await withTimeout(callStore(name, args), CALL_TIMEOUT_MS, () => new StoreTimeoutError(), {
          background: kind === 'feed',
        })
        storeHealth.answered(call)
        return result
      } catch (cause) {
        const outcome = kind === 'write' ? readOutcome(cause) : undefined
        // A call that fails because the store has been closed is no outage.
        if (closed) throw new StoreUnavailableError('The store is closed.', { cause, outcome })
        if (cause instanceof StoreTimeoutError || isTimeoutFault(cause)) storeHealth.timedOut(call, cause)
        else storeHealth.failed(call, cause)
        throw new StoreUnavailableError('The store is unavailable.', { cause, outcome })
      }
    }
    return boundedCall as Store[Name]
  }

  const names = Object.keys(STORE_CALLS) as StoreCallName[]
  const boundedCalls = Object.fromEntries(names.map((name) => [name, bound(name)])) as unknown as Pick<
    Store,
    StoreCallName
  >

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
      closed = true
      return closeStore(store)
    },
    ...boundedCalls,
    ...(store.watch && { watch: (wake: () => void) => store.watch!(wake) }),
  }
}

/** The calls of a store that wait for the database. */
type StoreCallName = Exclude<
  keyof Store,
  | 'kind'
  | 'pollInterval'
  | 'concurrentCalls'
  | 'clock'
  | 'open'
  | 'close'
  | 'watch'
  | 'diagnose'
  | 'countImportedHashes'
>

const STORE_CALLS: Readonly<Record<StoreCallName, StoreCallKind>> = {
  establishSecret: 'write',
  replaceSecret: 'write',
  listSigningKeys: 'read',
  addSigningKey: 'write',
  resealSigningKey: 'write',
  removeSigningKey: 'write',
  findApplication: 'read',
  findApplicationByKey: 'read',
  listApplications: 'read',
  listExpiring: 'read',
  saveApplication: 'write',
  addApplications: 'write',
  replaceCredentialHash: 'write',
  noteCredentialUse: 'write',
  leaseEmail: 'write',
  saveEmail: 'write',
  findEmail: 'read',
  findEmailByClaimLink: 'read',
  listEmails: 'read',
  revokeAccessToken: 'write',
  listRevokedAccessTokens: 'read',
  isAccessTokenRevoked: 'read',
  listAudit: 'read',
  deleteAudit: 'write',
  addUsage: 'write',
  listUsage: 'read',
  addReported: 'write',
  listReported: 'read',
  addRefusals: 'write',
  listRefusals: 'read',
  deleteExpiredUsage: 'write',
  addSignIn: 'write',
  findSignInByLink: 'read',
  countSignInGuess: 'write',
  removeSignIn: 'write',
  addSignOut: 'write',
  listSignOuts: 'read',
  changesSince: 'feed',
}

class StoreTimeoutError extends Error {
  override readonly name = 'StoreTimeoutError'
  readonly code = 'ETIMEDOUT'

  constructor() {
    super(`The store did not answer within ${CALL_TIMEOUT_MS} ms.`)
  }
}

/** The state of a write that failed: one that has timed out may still take effect. */
function readOutcome(cause: unknown): StoreUnavailableError['outcome'] {
  if (cause instanceof StoreUnavailableError) return cause.outcome
  return cause instanceof StoreTimeoutError ? 'unknown' : undefined
}

/**
 * Opening has no time-out, because migrations may take long. An incompatible store is a `ConfigurationError`: no retry will
 * help.
 */
async function openStore(
  store: Store,
  storeHealth: BoundedStoreOptions['storeHealth'],
  onProgress: (progress: string) => void,
): Promise<SchemaMigration | undefined> {
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
  const timeout = new StoreTimeoutError()
  try {
    await withTimeout(store.close(), STORE_CLOSE_TIMEOUT_MS, () => timeout)
  } catch (error) {
    if (error !== timeout) throw error
  }
}
