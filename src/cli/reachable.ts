import { StoreIncompatibleError, StoreUnavailableError, type Store } from '../index.js'
import { reasonOf } from './failure.js'

/** Milliseconds that a store has to answer; and to open, migrations included. */
const PATIENCE = 10_000
const PATIENCE_TO_OPEN = 60_000

/** The same store; what keeps a call from being answered comes out as `StoreUnavailableError`, whichever driver it is. */
export function reachable(store: Store): Store {
  // In front of nothing: a store may be frozen, and a proxy must show a frozen object's methods as they are.
  return new Proxy({} as Store, {
    get(_, name) {
      const member: unknown = Reflect.get(store, name)
      if (typeof member !== 'function' || name === 'watch') return member
      return async function reachStore(...args: unknown[]): Promise<unknown> {
        try {
          const answer = Reflect.apply(member, store, args) as Promise<unknown>
          return await inTime(answer, name === 'open' ? PATIENCE_TO_OPEN : PATIENCE)
        } catch (cause) {
          if (cause instanceof StoreIncompatibleError || cause instanceof StoreUnavailableError) throw cause
          throw new StoreUnavailableError(`The store is out of reach: ${reasonOf(cause)}`, { cause })
        }
      }
    },
  })
}

/** The same promise, or a rejection where it takes too long. */
export async function inTime<T>(promise: Promise<T>, patience: number = PATIENCE): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patience / 1000} seconds`)), patience)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
