import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { Emit } from '../../shared/contracts/events.js'
import type { Store } from '../../shared/contracts/store.js'
import { deriveKey } from '../../shared/lib/derive-key.js'
import { openSecret, sealNewSecret, type Encryption } from './encryption.js'

/** `auth.sessionSecret`. */
export interface SessionSecretCalls {
  /**
   * Replaces the secret behind sessions of the portal, sign-in links, and the links in operators' e-mails. All of these that
   * were made before end: for the next request in this process, and within a second in every other one. Contacts sign in
   * again; operators decide about open requests with `auth.applications.approve()` and `deny()`, or on the command line.
   * Call it after a leak of the database with `secret`, once `secret` is replaced. Rejects with `StoreUnavailableError`.
   *
   * @example
   * ```ts
   * import type { PlatformAuth } from 'express-platform-auth'
   *
   * export async function recoverFromLeak(auth: PlatformAuth): Promise<void> {
   *   await auth.sessionSecret.replace({ by: 'alice, ticket 7' })
   * }
   * ```
   */
  replace(options?: { readonly by?: string | undefined }): Promise<void>
}

/** Other processes may encrypt it again meanwhile, or replace it too. */
const MAX_ATTEMPTS = 5

export function createSessionSecret(options: {
  readonly store: Pick<Store, 'establishSecret' | 'replaceSecret'>
  readonly encryption: Encryption
  readonly opened: () => Promise<unknown>
  readonly emit: Emit
  readonly now: () => number
}) {
  const { store, encryption, opened, emit, now } = options
  let current: Buffer | undefined
  const keys = new Map<string, Uint8Array>()

  function set(secret: Buffer): void {
    if (current?.equals(secret)) return
    current = secret
    keys.clear()
  }

  /** Reads follow each other: a late read must not bring back what a later one has replaced. */
  let loading: Promise<unknown> = Promise.resolve()
  function load(): Promise<void> {
    const next = loading.then(async () => set((await openSecret(store, encryption, 'session')).bytes))
    loading = next.catch(() => undefined)
    return next
  }

  async function replace(by: string | undefined): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { sealed } = await openSecret(store, encryption, 'session')
      const at = now()
      const audit = { at, type: 'sessionSecret.replaced', by, applicationId: undefined, details: {} } as const
      if (await store.replaceSecret('session', sealed, await sealNewSecret(encryption, 'session'), audit)) return
    }
    throw new StoreUnavailableError('The session secret was changed by other processes all the time. Try again.')
  }

  return {
    load,
    /** Derives a key from the secret. Each use has a label of its own, which never changes. */
    deriveKey(label: string): Uint8Array {
      const known = keys.get(label)
      if (known) return known
      if (!current) throw new Error('The platform is not ready.')
      const key = deriveKey(current, label)
      keys.set(label, key)
      return key
    },
    calls: {
      async replace(callOptions: Parameters<SessionSecretCalls['replace']>[0] = {}): Promise<void> {
        const { by } = callOptions
        await opened()
        await replace(by)
        await load()
        emit('sessionSecret.replaced', {})
      },
    },
  }
}
