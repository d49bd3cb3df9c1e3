import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { hidePrivateKey } from '../../../src/shared/lib/key-set-text.js'

it('a refused form shows no private or symmetric key again, however its members are written', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const [shown, hidden] = [publicKey, privateKey].map((key) => ({ ...key.export({ format: 'jwk' }), kid: '"d":' }))
  for (const text of [
    JSON.stringify(shown),
    JSON.stringify({ keys: [shown] }),
    publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    'https://partner.example/jwks.json',
  ])
    expect(hidePrivateKey(text)).toBe(text)
  for (const text of [
    JSON.stringify(hidden),
    JSON.stringify({ keys: [shown, hidden] }),
    JSON.stringify({ ...shown, d: 'x' }).replace('"d"', '"\\u0064"'),
    JSON.stringify({ kty: 'oct', k: 'x' }),
    privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    'no key at all',
  ])
    expect(hidePrivateKey(text)).toBe('')
})
