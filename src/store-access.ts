import { ConfigurationError, StoreUnavailableError } from './errors.js'
import type { Store } from './store.js'

interface StoreAccessOptions {
  /** Milliseconds to wait for an answer. */
  readonly timeout: number
  /** Told of every call's end: undefined when it was answered, otherwise why not. */
  readonly onAnswer: (problem: unknown) => void
}

/**
 * The store as the house uses it: whatever keeps a call from being answered (refused, thrown, or not in time) comes out
 * as one `StoreUnavailableError`, which the doors answer with 503.
 */
export function storeAccess(store: Store, { timeout, onAnswer }: StoreAccessOptions): Store {
  function reach<Args extends readonly unknown[], Result>(
    call: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async function reachStore(...args) {
      let timer: NodeJS.Timeout | undefined
      try {
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Error(`The store did not answer within ${timeout} ms.`)), timeout)
          timer.unref()
        })
        const result = await Promise.race([call(...args), late])
        onAnswer(undefined)
        return result
      } catch (cause) {
        onAnswer(cause)
        throw new StoreUnavailableError('The store is out of reach.', { cause })
      } finally {
        clearTimeout(timer)
      }
    }
  }

  return {
    kind: store.kind,
    pollInterval: store.pollInterval,
    open: () => openStore(store, onAnswer),
    close: () => store.close(),
    establishPepper: reach((sealed: string) => store.establishPepper(sealed)),
    listSigningKeys: reach(() => store.listSigningKeys()),
    addSigningKey: reach((...args: Parameters<Store['addSigningKey']>) => store.addSigningKey(...args)),
    removeSigningKey: reach((...args: Parameters<Store['removeSigningKey']>) => store.removeSigningKey(...args)),
    findApplication: reach((id: string) => store.findApplication(id)),
    findApplicationByKey: reach((hash: string) => store.findApplicationByKey(hash)),
    listApplications: reach((...args: Parameters<Store['listApplications']>) => store.listApplications(...args)),
    saveApplication: reach((...args: Parameters<Store['saveApplication']>) => store.saveApplication(...args)),
    revokeAccessToken: reach((...args: Parameters<Store['revokeAccessToken']>) => store.revokeAccessToken(...args)),
    listRevokedAccessTokens: reach((...args: Parameters<Store['listRevokedAccessTokens']>) =>
      store.listRevokedAccessTokens(...args),
    ),
    isAccessTokenRevoked: reach((id: string) => store.isAccessTokenRevoked(id)),
    listAudit: reach((...args: Parameters<Store['listAudit']>) => store.listAudit(...args)),
    changesSince: reach((cursor: string | undefined) => store.changesSince(cursor)),
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
