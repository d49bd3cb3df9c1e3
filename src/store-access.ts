import { ConfigurationError, StoreUnavailableError } from './errors.js'
import type { Store } from './store.js'

interface StoreAccessOptions {
  /** Milliseconds to wait for an answer. */
  readonly timeout: number
  /** Told of every call's end: undefined when it was answered, otherwise why not. */
  readonly onAnswer: (problem: unknown) => void
}

/** The calls that wait for the database. */
type Answered = Exclude<keyof Store, 'kind' | 'pollInterval' | 'open' | 'close' | 'watch'>

/**
 * The store as the house uses it: whatever keeps a call from being answered (refused, thrown, or not in time) comes out
 * as one `StoreUnavailableError`, which the doors answer with 503.
 */
export function storeAccess(store: Store, { timeout, onAnswer }: StoreAccessOptions): Store {
  let closed = false
  /** What a store can't answer because it has just been closed is no outage. */
  function tell(problem: unknown): void {
    if (!closed) onAnswer(problem)
  }

  function reach<Call extends Answered>(call: Call): Store[Call] {
    async function reachStore(...args: unknown[]): Promise<unknown> {
      let timer: NodeJS.Timeout | undefined
      try {
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error(`The store did not answer within ${timeout} ms.`)), timeout)
          timer.unref()
        })
        const result = await Promise.race([Reflect.apply(store[call], store, args) as Promise<unknown>, late])
        tell(undefined)
        return result
      } catch (cause) {
        tell(cause)
        throw new StoreUnavailableError('The store is out of reach.', { cause })
      } finally {
        clearTimeout(timer)
      }
    }
    return reachStore as Store[Call]
  }

  return {
    kind: store.kind,
    // As it is now: a store that is told of changes may look less often.
    get pollInterval() {
      return store.pollInterval
    },
    open: () => openStore(store, tell),
    close() {
      closed = true
      return store.close()
    },
    establishPepper: reach('establishPepper'),
    resealPepper: reach('resealPepper'),
    listSigningKeys: reach('listSigningKeys'),
    addSigningKey: reach('addSigningKey'),
    resealSigningKey: reach('resealSigningKey'),
    removeSigningKey: reach('removeSigningKey'),
    findApplication: reach('findApplication'),
    findApplicationByKey: reach('findApplicationByKey'),
    listApplications: reach('listApplications'),
    saveApplication: reach('saveApplication'),
    noteCredentialUse: reach('noteCredentialUse'),
    leaseLetter: reach('leaseLetter'),
    saveLetter: reach('saveLetter'),
    findLetterByClaim: reach('findLetterByClaim'),
    listLetters: reach('listLetters'),
    revokeAccessToken: reach('revokeAccessToken'),
    listRevokedAccessTokens: reach('listRevokedAccessTokens'),
    isAccessTokenRevoked: reach('isAccessTokenRevoked'),
    listAudit: reach('listAudit'),
    changesSince: reach('changesSince'),
    ...(store.watch && { watch: (wake: () => void) => store.watch!(wake) }),
  }
}

/** Opening may take as long as its migrations do; what waiting can't cure comes out as `ConfigurationError`. */
async function openStore(store: Store, onAnswer: StoreAccessOptions['onAnswer']): Promise<void> {
  try {
    await store.open()
    onAnswer(undefined)
  } catch (cause) {
    const { code } = cause as { code?: unknown }
    if (code !== 'schema_too_new' && code !== 'driver_missing') {
      onAnswer(cause)
      throw new StoreUnavailableError('The store could not be opened.', { cause })
    }
    throw new ConfigurationError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
