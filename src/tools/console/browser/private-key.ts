import { parseObject } from '../../../shared/lib/own-members.js'
import type { Credentials } from './session.js'

type Sign = NonNullable<Credentials['sign']>

interface Algorithm {
  readonly alg: string
  readonly parameters: EcKeyImportParams | RsaHashedImportParams | { readonly name: string }
  /** Whether it is that of a JWK (RFC 7518 6, RFC 8037 2). */
  fits(jwk: JsonWebKey): boolean
}

const ALGORITHMS: readonly Algorithm[] = [
  ...(['256', '384'] as const).map((size) => ({
    alg: `ES${size}`,
    parameters: { name: 'ECDSA', namedCurve: `P-${size}` },
    fits: ({ crv }: JsonWebKey) => crv === `P-${size}`,
  })),
  { alg: 'EdDSA', parameters: { name: 'Ed25519' }, fits: ({ crv }) => crv === 'Ed25519' },
  {
    alg: 'RS256',
    parameters: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
    fits: ({ kty }) => kty === 'RSA',
  },
]

const LIFETIME = 60

/**
 * Imports a private key, as PEM (PKCS #8) or JWK, so that no script can read it any more (`extractable` is false), and returns what signs with
 * it; undefined if it is no such key.
 */
export async function importPrivateKey(text: string): Promise<Sign | undefined> {
  const jwk = parseObject(text) as JsonWebKey | undefined
  const body = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----$/.exec(text.trim())?.[1]
  for (const { alg, parameters, fits } of ALGORITHMS) {
    try {
      if (jwk?.d !== undefined && fits(jwk)) {
        // What the key may be used for, and by whom, is said here.
        const { use: _use, key_ops: _operations, alg: _alg, ext: _ext, ...plain } = jwk
        const key = await crypto.subtle.importKey('jwk', plain, parameters, false, ['sign'])
        return createSign(key, { alg, kid: (jwk as { kid?: string }).kid })
      }
      if (body === undefined) continue
      const bytes = Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0))
      return createSign(await crypto.subtle.importKey('pkcs8', bytes, parameters, false, ['sign']), { alg })
    } catch {
      // It is a key of another kind.
    }
  }
  return undefined
}

/** Makes a key pair whose private key nobody can read, and the public key as text. */
export async function makeKeyPair(): Promise<{ readonly sign: Sign; readonly publicKey: string }> {
  const { alg, parameters } = ALGORITHMS[0]!
  const { privateKey, publicKey } = await crypto.subtle.generateKey(parameters as EcKeyGenParams, false, [
    'sign',
    'verify',
  ])
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  return { sign: createSign(privateKey, { alg }), publicKey: JSON.stringify({ keys: [{ kty, crv, x, y }] }) }
}

/** Signs assertions as RFC 7523 section 3 says, each with a `jti` of its own. */
function createSign(key: CryptoKey, header: { readonly alg: string; readonly kid?: string | undefined }): Sign {
  const { namedCurve } = key.algorithm as EcKeyAlgorithm
  const parameters = { name: key.algorithm.name, hash: namedCurve === 'P-384' ? 'SHA-384' : 'SHA-256' }
  return async function sign(clientId, issuer) {
    const exp = Math.floor(Date.now() / 1000) + LIFETIME
    const claims = { iss: clientId, sub: clientId, aud: issuer, jti: crypto.randomUUID(), exp }
    const text = [header, claims].map((part) => encode(new TextEncoder().encode(JSON.stringify(part)))).join('.')
    const signature = await crypto.subtle.sign(parameters, key, new TextEncoder().encode(text))
    return `${text}.${encode(new Uint8Array(signature))}`
  }
}

function encode(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
