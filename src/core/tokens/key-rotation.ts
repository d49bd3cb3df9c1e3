import type { SignCompact } from './access-token.js'
import { ApplicationError, invalidState } from '../../shared/contracts/errors.js'
import type { Emit, NewAuditRecord } from '../../shared/contracts/events.js'
import type { Store } from '../../shared/contracts/store.js'
import { describeRecord, generateSigningKey, type KeyEncryption, type SigningKey } from './signing-key.js'
import { describeSigningKeys, selectVerifyingKeys, type SigningKeyInfo } from './key-schedule.js'
import type { SigningKeys } from './signing-keys.js'

/** `auth.signingKeys`: the keys that sign access tokens, shared by every process on the store. */
export interface SigningKeyRotation {
  /** Every key that still verifies, in the order in which they sign. */
  list(): Promise<{ items: SigningKeyInfo[] }>
  /**
   * Publishes a new key, which signs `tokens.publishAhead` seconds later, or at once with `immediately`; resolves that
   * key. A key that is already waiting to sign is the one resolved. The former key verifies until its last access token
   * has expired.
   */
  rotate(options?: { readonly immediately?: boolean; readonly by?: string }): Promise<SigningKeyInfo>
  /**
   * Removes a key: every access token it signed is refused from the next request on. The current key is replaced first.
   * Rejects with code `signing_key_not_found`.
   */
  revoke(kid: string, options?: { readonly by?: string }): Promise<void>
}

/** A request that must make a key, and once: only what is made can be remembered. */
export interface OnceRotation {
  /** The `request` of the audit record, of a request that is remembered. */
  readonly id: string | undefined
  /** Rejects if the request has had its effect. */
  readonly check: (() => Promise<void>) | undefined
}

/** `rotate()`, also for a request that must make a key: `invalid_state` if there is one that was not made by it. */
export type RotateOnce = (
  options?: Parameters<SigningKeyRotation['rotate']>[0],
  once?: OnceRotation,
) => ReturnType<SigningKeyRotation['rotate']>

export interface KeyRotation extends SigningKeyRotation {
  readonly rotate: RotateOnce
  /** Adds a key if there is none, or `tokens.algorithm` has changed. Encrypts keys again that an older secret encrypted. */
  ensure(): Promise<void>
  /** Rotates if the newest key is older than `age` seconds. With a signer it reads its list. */
  rotateWhenOlderThan(age: number): Promise<void>
  /** With a signer: signs with the key that it lists first, or with a stored one while that is not published for long enough. */
  sign?: SignCompact
  /** Problems of a signer, for `auth.health()`. */
  problems?(): readonly string[]
}

export interface KeyRotationOptions {
  readonly store: Pick<Store, 'listSigningKeys' | 'addSigningKey' | 'removeSigningKey' | 'resealSigningKey'>
  readonly encryption: KeyEncryption
  readonly signingKeys: SigningKeys
  readonly now: () => number
  readonly emit: Emit
  /** Seconds. */
  readonly publishAhead: number
  /** Seconds that the longest access token lasts, clock tolerance included. */
  readonly longestLifetime: number
}

/** A process whose clock is behind may sign with the former key for this long after the new one signs elsewhere. */
export const CLOCK_SKEW_SECONDS = 60
/** An attempt fails only if another process added a key meanwhile, so a few are enough. */
const MAX_ADD_ATTEMPTS = 10

export function createKeyRotation(options: KeyRotationOptions, algorithm: string): KeyRotation {
  const { store, encryption, signingKeys, now, emit, publishAhead, longestLifetime } = options

  /** Compare-and-set on the last key. The former one verifies for its tokens' lifetime, or `formerVerifiesFor` seconds. */
  async function addKey(
    signsFrom: number,
    by?: string,
    once?: OnceRotation,
    formerVerifiesFor = longestLifetime + CLOCK_SKEW_SECONDS,
  ) {
    const createdAt = now()
    // The last key is read before the key pair is generated, which takes time: the decision to add a key was based on it.
    const lastKid = signingKeys.lastAddedKid()
    const key = await generateSigningKey(encryption, { algorithm, createdAt, signsFrom, formerVerifiesFor })
    const audit = createAuditRecord('signingKey.rotated', createdAt, by, key.kid)
    // A repeat that was faster has either added its key before this, or after `lastKid` was read, and then this adds none.
    await once?.check?.()
    const noted = once?.id ? { ...audit, details: { ...audit.details, request: once.id } } : audit
    const added = await store.addSigningKey(key, lastKid, noted)
    await signingKeys.load()
    if (added) emit('signingKey.rotated', {})
    return added
  }

  function findNewest(keys = signingKeys.list()): SigningKey | undefined {
    return keys.toSorted((a, b) => a.createdAt - b.createdAt).at(-1)
  }

  /** Without those that a process made whose clock was ahead: they may wait for months. */
  function listTimely(): readonly SigningKey[] {
    return signingKeys.list().filter(({ createdAt }) => createdAt <= now() + CLOCK_SKEW_SECONDS * 1000)
  }

  function findWaiting(): SigningKey | undefined {
    return listTimely().find((key) => key.signsFrom > now())
  }

  function addPublishedAhead(by?: string, once?: OnceRotation): Promise<boolean> {
    return addKey(now() + publishAhead * 1000, by, once)
  }

  const describe = (): SigningKeyInfo[] => describeSigningKeys(signingKeys.list(), now(), signingKeys.current())

  /** Adds keys that sign at once until `former` no longer signs: another process may have added one that signs later. */
  async function replaceCurrent(former?: string, by?: string, once?: OnceRotation, verifiesFor?: number) {
    let added = false
    for (let attempt = 0; attempt < MAX_ADD_ATTEMPTS && signingKeys.current()?.kid === former; attempt++)
      added = await addKey(now(), by, once, verifiesFor)
    return added
  }

  return {
    async list() {
      await signingKeys.load()
      return { items: describe() }
    },
    async rotate({ immediately = false, by } = {}, once) {
      // The comparison uses what this process knew before load(): a rotation that another process just made counts as this one.
      const former = signingKeys.current()?.kid
      const known = new Set(signingKeys.list().map(({ kid }) => kid))
      const isDone = (): boolean => findWaiting() !== undefined || signingKeys.list().some(({ kid }) => !known.has(kid))
      await signingKeys.load()
      let added = false
      if (immediately) added = await replaceCurrent(former, by, once)
      else
        for (let attempt = 0; attempt < MAX_ADD_ATTEMPTS && !isDone(); attempt++)
          added = await addPublishedAhead(by, once)
      // Of repeats at one moment, another one may have added it.
      if (!added) await once?.check?.()
      const rotated = immediately ? signingKeys.current() : (findWaiting() ?? signingKeys.current())
      if (!added && once)
        throw invalidState(`Nothing was made: signing key ${rotated?.kid} waits to sign, or was added at this moment.`)
      return describe().find(({ kid }) => kid === rotated?.kid)!
    },
    async revoke(kid, { by } = {}) {
      await signingKeys.load()
      if (signingKeys.current()?.kid === kid)
        await replaceCurrent(kid, by, undefined, remainingFormerSeconds(signingKeys, now()))
      if (!(await removeKey(options, kid, by)))
        throw new ApplicationError('signing_key_not_found', `There is no signing key with the kid "${kid}".`)
      await signingKeys.load()
      emit('signingKey.revoked', {})
    },
    async ensure() {
      await resealOldKeys(options)
      await signingKeys.load()
      if (!signingKeys.current()) await addKey(now())
      else if (findNewest()?.algorithm !== algorithm || findNewest()?.ofSigner) await addPublishedAhead()
    },
    async rotateWhenOlderThan(age) {
      const isDue = (): boolean => (findNewest(listTimely())?.createdAt ?? Infinity) + age * 1000 <= now()
      if (!isDue()) return
      // All processes get here at about the same time, so one of them may just have rotated.
      await signingKeys.load()
      if (isDue()) await addPublishedAhead()
    },
  }
}

/** A key that replaces a revoked one gives the key before it this long, so that the revocation does not extend it. */
function remainingFormerSeconds(signingKeys: SigningKeys, now: number): number {
  const keys = signingKeys.list()
  const current = signingKeys.current()
  const former = current && keys[keys.indexOf(current) - 1]
  return former?.verifiesUntil === undefined ? 0 : Math.floor((former.verifiesUntil - now) / 1000)
}

/** Keys that have ended are removed before it: their end is stored in the key after them, so they would verify again. */
export async function removeKey({ store, signingKeys, now }: KeyRotationOptions, kid: string, by: string | undefined) {
  const records = await signingKeys.readRecords()
  const verifying = new Set(selectVerifyingKeys(records, now()).map((key) => key.kid))
  const ended = records.filter((key) => key.kid !== kid && !verifying.has(key.kid))
  for (const key of ended)
    await store.removeSigningKey(key.kid, createAuditRecord('signingKey.revoked', now(), by, key.kid))
  return store.removeSigningKey(kid, createAuditRecord('signingKey.revoked', now(), by, kid))
}

/** Other processes may do the same at the same time: whichever result is stored, the newest secret decrypts it. */
export async function resealOldKeys({ store, encryption, signingKeys }: KeyRotationOptions): Promise<void> {
  for (const record of await signingKeys.readRecords()) {
    const { kid, sealedPrivateJwk } = record
    const context = describeRecord(record)
    if (encryption.isNewest(sealedPrivateJwk) && encryption.authenticate(sealedPrivateJwk, context) === 'authentic')
      continue
    const sealed = await encryption.seal(await encryption.unseal(sealedPrivateJwk), context)
    await store.resealSigningKey(kid, sealedPrivateJwk, sealed)
  }
}

export function createAuditRecord(type: NewAuditRecord['type'], at: number, by: string | undefined, kid: string) {
  return { at, type, by, applicationId: undefined, details: { kid } }
}
