import { ApplicationError } from '../contracts/errors.js'
import type { Emit } from '../contracts/events.js'
import type { Encryption } from '../store-client/encryption.js'
import type { NewAuditRecord, Store } from '../contracts/store.js'
import { findCurrentKey, makeSigningKey, verifyingKeys, type SigningKey, type SigningKeys } from './signing-keys.js'

/** A signing key as `auth.signingKeys.list()` shows it. */
export interface SigningKeyInfo {
  readonly kid: string
  /** The JWS algorithm (RFC 7518 3.1, RFC 8037). */
  readonly algorithm: string
  /** `next`: published, signs later; `current`: signs; `former`: only verifies, until `verifiesUntil`. */
  readonly state: 'next' | 'current' | 'former'
  readonly createdAt: Date
  readonly signsFrom: Date
  /** Undefined while no later key has taken over. */
  readonly verifiesUntil: Date | undefined
}

/** `auth.signingKeys`: the keys that sign access tokens, shared by every process on the store. */
export interface SigningKeyRotation {
  /** Every key that still verifies, in the order in which they sign. */
  list(): Promise<{ items: SigningKeyInfo[] }>
  /**
   * Publishes a new key, which signs `signing.publishAhead` seconds later, or at once with `immediately`; resolves that
   * key. A key that is already waiting to sign is the one resolved. The former key verifies until its last access token
   * has expired.
   */
  rotate(options?: { readonly immediately?: boolean; readonly by?: string }): Promise<SigningKeyInfo>
  /**
   * Forgets a key: every access token it signed is refused from the next request on. The current key is replaced first.
   * Rejects with code `signing_key_not_found`.
   */
  revoke(kid: string, options?: { readonly by?: string }): Promise<void>
}

interface RotationOptions {
  readonly store: Store
  readonly encryption: Encryption
  readonly signingKeys: SigningKeys
  readonly now: () => number
  readonly emit: Emit
  readonly algorithm: string
  /** Seconds. */
  readonly publishAhead: number
  /** Seconds that the longest access token lasts, clock tolerance included. */
  readonly longestLifetime: number
}

/** Everything that changes which keys there are. */
export interface KeyRotation extends SigningKeyRotation {
  /** Makes the first key, or the next one where the option `signing.algorithm` has changed; seals anew what an older secret sealed. */
  ensure(): Promise<void>
  /** Rotates if the newest key is older than that (seconds). */
  rotateWhenOlderThan(age: number): Promise<void>
}

/** Seconds by which clocks of processes may differ before one of them signs with a key that another no longer takes. */
const CLOCKS_APART = 60
/** How often another process may be first before it is left at that. */
const TRIES = 10

export function createKeyRotation(options: RotationOptions): KeyRotation {
  const { store, encryption, signingKeys, now, emit, algorithm, publishAhead, longestLifetime } = options

  function newest(): SigningKey | undefined {
    return signingKeys
      .list()
      .reduce<SigningKey | undefined>(
        (latest, key) => (latest && latest.createdAt >= key.createdAt ? latest : key),
        undefined,
      )
  }

  /**
   * Adds a key behind the one that was added last as far as this process knows: whoever decides to add one has looked at
   * that one. Where another process was first, theirs is the next one.
   */
  async function add(
    signsFrom: number,
    by: string | undefined,
    formerVerifiesFor = longestLifetime + CLOCKS_APART,
  ): Promise<void> {
    const at = now()
    const last = signingKeys.lastAdded()
    const key = await makeSigningKey(encryption, { algorithm, createdAt: at, signsFrom, formerVerifiesFor })
    const added = await store.addSigningKey(key, last, audit('signingKey.rotated', at, by, key.kid))
    await signingKeys.load()
    if (added) emit('signingKey.rotated', {})
  }

  /** Another process may have added one that only signs later: then once more. */
  async function replace(
    former: string | undefined,
    by: string | undefined,
    formerVerifiesFor?: number,
  ): Promise<void> {
    for (let tries = 0; tries < TRIES && signingKeys.current()?.kid === former; tries++)
      await add(now(), by, formerVerifiesFor)
  }

  /** Takes a key away; what ended before must not verify again because the key that ended it is gone. */
  async function remove(kid: string, by: string | undefined): Promise<boolean> {
    const records = await store.listSigningKeys()
    const verifying = new Set(verifyingKeys(records, now()).map((key) => key.kid))
    for (const { kid: ended } of records) {
      if (ended !== kid && !verifying.has(ended)) {
        await store.removeSigningKey(ended, audit('signingKey.revoked', now(), by, ended))
      }
    }
    return store.removeSigningKey(kid, audit('signingKey.revoked', now(), by, kid))
  }

  /** Seconds that the key before the current one goes on verifying, seen from now: for a successor that takes the current one's place. */
  function formerGoesOnFor(): number {
    const keys = signingKeys.list()
    const current = signingKeys.current()
    const former = current && keys[keys.indexOf(current) - 1]
    return former?.verifiesUntil === undefined ? 0 : Math.floor((former.verifiesUntil - now()) / 1000)
  }

  /** Another process may do the same at the same time: whichever encryption is kept, the newest secret opens it. */
  async function reseal(): Promise<void> {
    for (const { kid, sealedPrivateJwk } of await store.listSigningKeys()) {
      if (encryption.isNewest(sealedPrivateJwk)) continue
      await store.resealSigningKey(
        kid,
        sealedPrivateJwk,
        await encryption.seal(await encryption.open(sealedPrivateJwk)),
      )
    }
  }

  const publishedSignsFrom = (): number => now() + publishAhead * 1000

  function waiting(): SigningKey | undefined {
    return signingKeys.list().find((key) => key.signsFrom > now())
  }

  return {
    async list() {
      await signingKeys.load()
      return { items: describeSigningKeys(signingKeys.list(), now()) }
    },
    async rotate({ immediately = false, by } = {}) {
      // Whoever has not heard of another process's rotation yet means the same one.
      const former = signingKeys.current()?.kid
      const known = new Set(signingKeys.list().map(({ kid }) => kid))
      const isDone = (): boolean => waiting() !== undefined || signingKeys.list().some(({ kid }) => !known.has(kid))
      await signingKeys.load()
      if (immediately) await replace(former, by)
      else for (let tries = 0; tries < TRIES && !isDone(); tries++) await add(publishedSignsFrom(), by)
      const rotated = immediately ? signingKeys.current() : (waiting() ?? signingKeys.current())
      return describeSigningKeys(signingKeys.list(), now()).find(({ kid }) => kid === rotated?.kid)!
    },
    async revoke(kid, { by } = {}) {
      await signingKeys.load()
      if (signingKeys.current()?.kid === kid) await replace(kid, by, formerGoesOnFor())
      const removed = await remove(kid, by)
      if (!removed)
        throw new ApplicationError('signing_key_not_found', `There is no signing key with the kid "${kid}".`)
      await signingKeys.load()
      emit('signingKey.revoked', {})
    },
    async ensure() {
      await reseal()
      await signingKeys.load()
      if (!signingKeys.current()) await add(now(), undefined)
      else if (newest()?.algorithm !== algorithm) await add(publishedSignsFrom(), undefined)
    },
    async rotateWhenOlderThan(age) {
      const isDue = (): boolean => (newest()?.createdAt ?? Infinity) + age * 1000 <= now()
      if (!isDue()) return
      // Every process finds so at about the same time; one of them may have done it a moment ago.
      await signingKeys.load()
      if (isDue()) await add(publishedSignsFrom(), undefined)
    },
  }
}

type Described = Pick<SigningKey, 'kid' | 'algorithm' | 'createdAt' | 'signsFrom' | 'verifiesUntil'>

/** Keys as `auth.signingKeys.list()` shows them. */
export function describeSigningKeys(keys: readonly Described[], now: number): SigningKeyInfo[] {
  const current = findCurrentKey(keys, now)
  return keys.map((key) => ({
    kid: key.kid,
    algorithm: key.algorithm,
    state: key.kid === current?.kid ? 'current' : key.signsFrom > now ? 'next' : 'former',
    createdAt: new Date(key.createdAt),
    signsFrom: new Date(key.signsFrom),
    verifiesUntil: key.verifiesUntil === undefined ? undefined : new Date(key.verifiesUntil),
  }))
}

function audit(type: NewAuditRecord['type'], at: number, by: string | undefined, kid: string): NewAuditRecord {
  return { at, type, by, applicationId: undefined, details: { kid } }
}
