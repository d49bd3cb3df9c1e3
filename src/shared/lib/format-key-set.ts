import { hash } from 'node:crypto'

interface PublicKey {
  readonly kty: string
  readonly kid?: string
  readonly crv?: string
}

/** Members of a thumbprint (RFC 7638 3.2, RFC 8037 2), in their order. */
const THUMBPRINT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
}

/** A line for each public key, by which people compare it: its kind, its kid, its SHA-256 thumbprint (RFC 7638); or the address of the set. */
export function formatKeySet(
  keySet: { readonly keys: readonly PublicKey[] } | { readonly jwksUri: string },
): readonly string[] {
  if (!('keys' in keySet)) return [keySet.jwksUri]
  return keySet.keys.map((jwk) => {
    const members = THUMBPRINT_MEMBERS[jwk.kty] ?? []
    const text = JSON.stringify(jwk, [...members])
    const kid = jwk.kid === undefined ? '' : `kid ${jwk.kid}, `
    return `${jwk.crv ?? jwk.kty}, ${kid}SHA-256 ${hash('sha256', text, 'base64url')}`
  })
}
