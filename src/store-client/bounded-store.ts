import { ConfigurationError, StoreIncompatibleError, StoreUnavailableError } from '../contracts/errors.js'
import type { StoreHealth } from './store-health.js'
import { STORE_CALLS, type StoreCallName } from './store-calls.js'
import type { Logger } from '../contracts/logger.js'
import type { SchemaMigration, Store } from '../contracts/store.js'

interface StoreAccessOptions {
  /** Milliseconds to wait for an answer. */
  readonly timeout: number
  /** Told of every call's end. */
  readonly storeHealth: StoreHealth
  readonly logger: Logger
}

/** Calls that may wait for the store at once, those included that nobody waits for any more. */
const MOST = 10_000
/** Milliseconds that closing may take. */
const LAST = 2000

/**
 * The store as the house uses it: whatever keeps a call from being answered (refused, thrown, or not in time) comes out
 * as one `StoreUnavailableError`, which the doors answer with 503. Calls that wait are bounded in number and in time. Once
 * one has waited in vain, the others are refused at once, but for the change feed's: that is the pulse by which a silent
 * store is heard of again.
 */
export function createBoundedStore(store: Store, { timeout, storeHealth, logger }: StoreAccessOptions): Store {
  let waiting = 0
  let closed = false

  /** Counted until the store itself has done with it: time-outs here take nothing out of its queues. */
  async function ask(name: StoreCallName, args: unknown[]): Promise<unknown> {
    waiting += 1
    try {
      return await (Reflect.apply(store[name], store, args) as Promise<unknown>)
    } finally {
      waiting -= 1
    }
  }

  function refuseInVain(): void {
    if (storeHealth.isSilent())
      throw new StoreUnavailableError('The store is out of reach.', { cause: silence(timeout) })
    if (waiting >= MOST) throw new StoreUnavailableError(`${MOST} calls are waiting for the store.`)
  }

  function reach<Name extends StoreCallName>(name: Name): Store[Name] {
    async function reachStore(...args: unknown[]): Promise<unknown> {
      if (name !== 'changesSince') refuseInVain()
      const call = { name, since: performance.now() }
      const late = lateness(timeout)
      try {
        const result = await Promise.race([ask(name, args), late.promise])
        storeHealth.answered(call)
        return result
      } catch (cause) {
        // What a store can't answer because it has just been closed is no outage.
        if (closed) throw new StoreUnavailableError('The store is closed.', { cause })
        if (cause === late.reason()) storeHealth.timedOut(call, cause)
        else storeHealth.failed(call, cause)
        throw new StoreUnavailableError('The store is out of reach.', { cause })
      } finally {
        late.cancel()
      }
    }
    return reachStore as Store[Name]
  }

  const names = Object.keys(STORE_CALLS) as StoreCallName[]
  const answering = Object.fromEntries(names.map((name) => [name, reach(name)])) as unknown as Pick<
    Store,
    StoreCallName
  >

  return {
    kind: store.kind,
    // As it is now: a store that is told of changes may look less often.
    get pollInterval() {
      return store.pollInterval
    },
    async open() {
      const migration = await openStore(store, storeHealth)
      // Not `info`, which the default logger drops: the operator must learn where the copy is.
      if (migration) logger.warn(describeMigration(migration))
      return migration
    },
    close() {
      closed = true
      return closeStore(store)
    },
    ...answering,
    ...(store.watch && { watch: (wake: () => void) => store.watch!(wake) }),
  }
}

/** Opening may take as long as its migrations do; what waiting can't cure comes out as `ConfigurationError`. */
async function openStore(store: Store, storeHealth: StoreHealth): Promise<SchemaMigration | undefined> {
  const call = { name: 'open' as const, since: performance.now() }
  const migration = await store.open().catch((cause: unknown) => {
    if (cause instanceof StoreIncompatibleError) throw new ConfigurationError(cause, { cause })
    storeHealth.failed(call, cause)
    throw new StoreUnavailableError('The store could not be opened.', { cause })
  })
  storeHealth.answered({ ...call, since: performance.now() })
  return migration
}

function describeMigration({ from, to, copy }: SchemaMigration): string {
  const migrated = `The store was migrated from schema ${from} to ${to}.`
  return copy === undefined ? migrated : `${migrated} A copy of the file as it was before is ${copy}.`
}

/** A store that never opened may never close. */
async function closeStore(store: Store): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, LAST)))
  try {
    await Promise.race([store.close(), enough])
  } finally {
    clearTimeout(timer)
  }
}

/** Rejects when it is too late. */
function lateness(milliseconds: number) {
  let reason: Error | undefined
  let timer: NodeJS.Timeout | undefined
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // If it was this process that stood still, the answer is there, and read before this.
      setImmediate(() => reject((reason = silence(milliseconds))))
    }, milliseconds)
    timer.unref()
  })
  return { promise, reason: () => reason, cancel: () => clearTimeout(timer) }
}

function silence(milliseconds: number): Error {
  return Object.assign(new Error(`The store did not answer within ${milliseconds} ms.`), { code: 'ETIMEDOUT' })
}
