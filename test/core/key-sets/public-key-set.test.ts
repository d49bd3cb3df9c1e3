import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readKeySet, toVerificationKeys } from '../../../src/core/key-sets/public-key-set.js'

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const rsa = (modulusLength: number, publicExponent = 65537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent })
const jwk = ({ publicKey }: ReturnType<typeof ec>, members = {}): JsonWebKey => ({
  ...publicKey.export({ format: 'jwk' }),
  ...members,
})
const P256 = jwk(ec('P-256'))
const ED25519 = jwk(generateKeyPairSync('ed25519'))
const RSA_2048 = rsa(2048)
const RSA = jwk(RSA_2048)

const USABLE: readonly (readonly [string, JsonWebKey, readonly string[]])[] = [
  ['P-256', P256, ['ES256']],
  ['P-384', jwk(ec('P-384')), ['ES384']],
  ['Ed25519', ED25519, ['EdDSA', 'Ed25519']],
  ['RSA', RSA, ['RS256', 'PS256', 'RS384', 'PS384', 'RS512', 'PS512']],
  ['RSA with an algorithm', { ...RSA, alg: 'PS256' }, ['PS256']],
  ['a key for signatures', { ...P256, use: 'sig', key_ops: ['verify'] }, ['ES256']],
]

const OTHERS: readonly (readonly [string, unknown, RegExp])[] = [
  ['P-521', jwk(ec('P-521')), /none of P-256/],
  ['secp256k1', jwk(ec('secp256k1')), /none of P-256/],
  ['X25519', jwk(generateKeyPairSync('x25519')), /none of P-256/],
  ['Ed448', jwk(generateKeyPairSync('ed448')), /none of P-256/],
  ['RSA of 1024 bits', jwk(rsa(1024)), /1024 bits/],
  ['RSA with the exponent 1', { ...RSA, e: 'AQ' }, /exponent|valid/],
  ['RSA with a long exponent', { ...RSA, e: 'AQAAAAAAAAAB' }, /exponent/],
  ['the algorithm of another curve', { ...P256, alg: 'ES384' }, /alg/],
  ['the algorithm none', { ...P256, alg: 'none' }, /alg/],
  ['HS256 for an RSA key', { ...RSA, alg: 'HS256' }, /alg/],
  ['a key for encryption', { ...RSA, use: 'enc' }, /another use/],
  ['key_ops without verify', { ...P256, key_ops: ['encrypt'] }, /key_ops/],
  ['key_ops that is a text', { ...P256, key_ops: 'verify' }, /key_ops/],
  ['a point off the curve', { ...P256, y: P256.x! }, /no valid public key/],
  ['a member that is no text', { ...P256, x: 7 }, /no text/],
  ['a kid with a line break', { ...P256, kid: 'a\nb' }, /kid/],
  ['a long kid', { ...P256, kid: 'k'.repeat(201) }, /kid/],
  ['no object', 'key', /no object/],
  ['nothing', null, /no object/],
  ['__proto__ as type', { ...P256, kty: '__proto__' }, /none of P-256/],
]

const SECRET: readonly (readonly [string, unknown])[] = [
  ['a private EC key', ec('P-256').privateKey.export({ format: 'jwk' })],
  ['a private RSA key', RSA_2048.privateKey.export({ format: 'jwk' })],
  ['a private OKP key', generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })],
  ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0' }],
  ...['p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].map((name) => [`the member ${name}`, { ...RSA, [name]: 'AQ' }] as const),
]

const ONLY_THESE = { ignoreOthers: false }

describe('a JWK Set of a client', () => {
  it.each(USABLE)('may have %s', (_name, key, algorithms) => {
    const keys = readKeySet({ keys: [key] }, ONLY_THESE)
    expect(toVerificationKeys(keys)).toMatchObject([{ algorithms, key: { type: 'public' } }])
  })

  it.each(OTHERS)('is refused with %s, which is left out of a published one', (_name, key, problem) => {
    expect(() => readKeySet({ keys: [key] }, ONLY_THESE)).toThrow(problem)
    expect(() => readKeySet({ keys: [key] }, { ignoreOthers: true })).toThrow('no key that verifies')
    expect(readKeySet({ keys: [key, P256] }, { ignoreOthers: true })).toEqual([expect.objectContaining({ x: P256.x })])
  })

  it.each(SECRET)('is refused with %s, published or not', (_name, key) => {
    for (const ignoreOthers of [false, true])
      expect(() => readKeySet({ keys: [P256, key] }, { ignoreOthers })).toThrow('publish public keys only')
  })

  it.each([
    ['no set', undefined, 'no JWK Set'],
    ['an array', [P256], 'no JWK Set'],
    ['no keys', { keys: [] }, 'no key that verifies'],
    ['11 keys', { keys: Array(11).fill(P256) }, '11 keys'],
    ['10,000 keys', { keys: Array(10_000).fill(P256) }, '10000 keys'],
    [
      'two keys of one kid',
      {
        keys: [
          { ...P256, kid: 'a' },
          { ...RSA, kid: 'a' },
        ],
      },
      'one kid',
    ],
    ['two keys, one without kid', { keys: [{ ...P256, kid: 'a' }, RSA] }, 'each has a kid'],
  ])('is refused as %s', (_name, value, problem) => {
    expect(() => readKeySet(value, ONLY_THESE)).toThrow(problem)
  })

  it('keeps what verifies, and nothing else', () => {
    const given = { ...P256, kid: 'a', alg: 'ES256', use: 'sig', x5c: ['MII'], name: 'Acme' }
    expect(readKeySet({ keys: [given], contact: 'x' }, ONLY_THESE)).toEqual([{ ...P256, kid: 'a', alg: 'ES256' }])
  })
})
