import { createPublicKey, hash } from 'node:crypto'
import type { Api } from '../contracts/api.js'
import { invalidArgument } from '../contracts/errors.js'
import { hasOwnMember, isObject } from './own-members.js'

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
export function formatKeySet(keySet: { readonly keys: readonly PublicKey[] } | { readonly jwksUri: string }) {
  if (!hasOwnMember(keySet, 'keys')) return [keySet.jwksUri]
  return keySet.keys.map((jwk) => {
    const members = THUMBPRINT_MEMBERS[jwk.kty] ?? []
    const text = JSON.stringify(jwk, [...members])
    const kid = jwk.kid === undefined ? '' : `kid ${jwk.kid}, `
    return `${jwk.crv ?? jwk.kty}, ${kid}SHA-256 ${hash('sha256', text, 'base64url')}`
  })
}

/** The members of a private or symmetric key (RFC 7518 6.2.2, 6.3.2, 6.4; RFC 8037 2). */
export const SECRET_MEMBERS: readonly string[] = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

type ByMethod = Pick<Api, 'clientAuthentication'>

export function takesKeySets({ clientAuthentication }: ByMethod): boolean {
  return clientAuthentication.includes('private_key_jwt')
}

export function needsKeySet({ clientAuthentication }: ByMethod): boolean {
  return clientAuthentication.length > 0 && clientAuthentication.every((method) => method === 'private_key_jwt')
}

/** The text for the field of a refused form; empty unless it is an address or public keys: what else it is may have a private key. */
export function hidePrivateKey(text: string): string {
  if (/^[a-z]+:\/\/\S*$/i.test(text)) return text
  try {
    const { jwks } = parseKeySetText(text)
    // Written anew: in the text, a name may be spelled with escapes.
    const written = JSON.stringify(jwks ?? {})
    return jwks && !SECRET_MEMBERS.some((name) => written.includes(`"${name}":`)) ? text : ''
  } catch {
    return ''
  }
}

/** A JWK Set, one public key (JWK or PEM), or an https address. Errors repeat nothing: it may be a private key. */
export function parseKeySetText(text: string): { readonly jwks?: object; readonly jwksUri?: string } {
  if (/^https?:\/\//i.test(text)) return { jwksUri: text }
  if (/PRIVATE KEY-----/.test(text)) throw invalidArgument('jwks has a private key: publish public keys only.')
  try {
    if (/^\s*-----BEGIN PUBLIC KEY-----/.test(text))
      return { jwks: { keys: [createPublicKey(text).export({ format: 'jwk' })] } }
    const value: unknown = JSON.parse(text)
    return { jwks: isObject(value) && Object.hasOwn(value, 'kty') ? { keys: [value] } : (value as object) }
  } catch {
    throw invalidArgument('jwks is no JWK Set: { "keys": [...] }, and no public key in PEM.')
  }
}
