import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto'
import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importPrivateKey, makeKeyPair } from '../../../../src/tools/console/browser/private-key.js'
import { GRANT, post } from '../../../support/http.js'
import { openPlatform } from '../../../support/platform.js'

const ISSUER = 'https://api.example.com/payments'
const PAIRS: Readonly<Record<string, KeyPairKeyObjectResult>> = {
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  Ed25519: generateKeyPairSync('ed25519'),
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

const { auth } = openPlatform({
  apis: { payments: { scheme: 'oauth2', clientAuthentication: ['private_key_jwt'] } },
  now: Date.now,
})
const app = express().use(auth.router)
beforeAll(() => auth.ready())
afterAll(() => auth.close())

async function requestToken(publicKeys: object, sign: (clientId: string, issuer: string) => Promise<string>) {
  const keySet = { jwks: publicKeys }
  const { application } = await auth.applications.create({ name: 'Bank', apis: ['payments'], keySet })
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const ask = async () => {
    const assertion = await sign(application.id, ISSUER)
    return (await post(app, '/payments/token', { ...GRANT, client_assertion_type: type, client_assertion: assertion }))
      .status
  }
  return [await ask(), await ask()]
}

it.each(Object.entries(PAIRS))(
  'a private key of %s, as PEM and as JWK, signs assertions that the token endpoint takes',
  async (_kind, pair) => {
    const keys = [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'one' }]
    const pem = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
    const jwk = { ...pair.privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', key_ops: ['verify'] }
    for (const text of [pem, ` ${pem}\n`, JSON.stringify(jwk)]) {
      const sign = await importPrivateKey(text)
      expect(await requestToken({ keys }, sign!)).toEqual([200, 200])
    }
  },
)

it('a key pair that was made in the page signs too', async () => {
  const { sign, publicKey } = await makeKeyPair()
  expect(await requestToken(JSON.parse(publicKey) as object, sign)).toEqual([200, 200])
})

it('nothing else is taken for a private key', async () => {
  const { publicKey, privateKey } = PAIRS['P-256']!
  const others = [
    '',
    '{}',
    'null',
    'x',
    publicKey.export({ format: 'pem', type: 'spki' }) as string,
    privateKey.export({ format: 'pem', type: 'sec1' }) as string,
    JSON.stringify(publicKey.export({ format: 'jwk' })),
    JSON.stringify({ kty: 'oct', k: 'AAAA' }),
    '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
  ]
  for (const text of others) expect(await importPrivateKey(text), text).toBeUndefined()
})
