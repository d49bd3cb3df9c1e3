import type { SigningKeyRecord } from '../../shared/contracts/store.js'

/** A record with the time at which it stops verifying, which the record of the next key determines. */
export interface ScheduledKey extends SigningKeyRecord {
  /** Milliseconds since 1970; undefined while no later key has replaced it. */
  readonly verifiesUntil: number | undefined
}

/** The keys that verify at `now`, in the order in which they sign. The store keeps the others as history. */
export function selectVerifyingKeys(records: readonly SigningKeyRecord[], now: number): ScheduledKey[] {
  const bySigningTime = records.toSorted((a, b) => a.signsFrom - b.signsFrom)
  return bySigningTime
    .map((record, index) => {
      // The keys of a signer do not end each other: each verifies while it is listed.
      const next = bySigningTime.slice(index + 1).find((later) => !(isOfSigner(record) && isOfSigner(later)))
      return { ...record, verifiesUntil: next && next.signsFrom + next.formerVerifiesFor * 1000 }
    })
    .filter((key) => isVerifying(key, now))
}

/** Whether a signer has the private key (`tokens.signer`). The member is authenticated, and is not published. */
export const isOfSigner = ({ publicJwk }: SigningKeyRecord): boolean => publicJwk['signer'] === true

export function isVerifying({ verifiesUntil }: Pick<ScheduledKey, 'verifiesUntil'>, now: number): boolean {
  return verifiesUntil === undefined || now < verifiesUntil
}

/** If all sign later, the first: a clock slightly ahead may have made it, and there must always be a signing key. */
export function findCurrentKey<Key extends { readonly signsFrom: number }>(keys: readonly Key[], now: number) {
  return keys.findLast((key) => key.signsFrom <= now) ?? keys[0]
}

/** A signing key as `auth.signingKeys.list()` shows it. */
export interface SigningKeyInfo {
  readonly kid: string
  /** The JWS algorithm (RFC 7518 3.1, RFC 8037). */
  readonly algorithm: string
  /** `next`: published, signs later; `current`: signs; `former`: only verifies, until `verifiesUntil`. */
  readonly state: 'next' | 'current' | 'former'
  readonly createdAt: Date
  readonly signsFrom: Date
  /** Undefined while no later key has replaced it. */
  readonly verifiesUntil: Date | undefined
}

export function describeSigningKeys(
  keys: readonly Pick<ScheduledKey, 'kid' | 'algorithm' | 'createdAt' | 'signsFrom' | 'verifiesUntil'>[],
  now: number,
  current: { readonly kid: string } | undefined,
): SigningKeyInfo[] {
  return keys.map((key) => ({
    kid: key.kid,
    algorithm: key.algorithm,
    state: key.kid === current?.kid ? 'current' : key.signsFrom > now ? 'next' : 'former',
    createdAt: new Date(key.createdAt),
    signsFrom: new Date(key.signsFrom),
    verifiesUntil: key.verifiesUntil === undefined ? undefined : new Date(key.verifiesUntil),
  }))
}
