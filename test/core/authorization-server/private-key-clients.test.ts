import express from 'express'
import { auth as authorizeMcp } from '@modelcontextprotocol/sdk/client/auth.js'
import { PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js'
import { exportJWK, exportPKCS8, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import * as openid from 'openid-client'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createPrivateKeySamples } from '../../../src/shared/samples/private-key.js'
import { exchange, listen } from '../../support/http.js'
import { openPlatform } from '../../support/platform.js'

const ALGORITHMS = ['ES256', 'ES384', 'Ed25519', 'RS256', 'PS256'] as const
type Pair = Awaited<ReturnType<typeof createPair>>

let app: express.Express
let auth: ReturnType<typeof openPlatform>['auth']
let baseUrl: string
let issuer: string
let close: () => Promise<void>
let id: string
let pairs: Readonly<Record<(typeof ALGORITHMS)[number], Pair>>

async function createPair(algorithm: string) {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), alg: algorithm, kid: algorithm } }
}

beforeAll(async () => {
  app = express()
  const listening = await listen(app)
  close = listening.close
  baseUrl = `http://127.0.0.1:${listening.port}`
  issuer = `${baseUrl}/payments`
  const apis = { payments: { scheme: 'oauth2', clientAuthentication: ['private_key_jwt'] } } as const
  ;({ auth } = openPlatform({ baseUrl, now: Date.now, apis }))
  app.use(auth.router).use(auth.wellKnownRouter)
  await auth.ready()
  const made = await Promise.all(ALGORITHMS.map(async (each) => [each, await createPair(each)] as const))
  pairs = Object.fromEntries(made) as typeof pairs
  const keySet = { jwks: { keys: made.map(([, { jwk }]) => jwk) } }
  const { application } = await auth.applications.create({ name: 'Bank', apis: ['payments'], keySet })
  id = application.id
})
afterAll(async () => {
  await close()
  await auth.close()
})

async function expectToken(accessToken: string): Promise<void> {
  const verified = await auth.verifyAccessToken('payments', accessToken)
  expect(verified.application.id).toBe(id)
}

it.each(ALGORITHMS)('openid-client gets an access token with %s, as it is', async (algorithm) => {
  const { privateKey } = pairs[algorithm]
  const authentication = openid.PrivateKeyJwt({ key: privateKey, kid: algorithm })
  const config = await openid.discovery(new URL(issuer), id, {}, authentication, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  })
  await expectToken((await openid.clientCredentialsGrant(config)).access_token)
  const { access_token: second } = await openid.clientCredentialsGrant(config)
  expect(await openid.tokenIntrospection(config, second)).toMatchObject({ active: true, client_id: id })
  await openid.tokenRevocation(config, second)
  await expect(auth.verifyAccessToken('payments', second)).rejects.toMatchObject({ status: 401 })
})

it.each(['ES256', 'RS256'] as const)(
  "the MCP SDK's private-key provider gets an access token with %s, as it is",
  async (algorithm) => {
    const provider = new PrivateKeyJwtProvider({
      clientId: id,
      privateKey: await exportPKCS8(pairs[algorithm].privateKey),
      algorithm,
      expectedIssuer: issuer,
    })
    expect(await authorizeMcp(provider, { serverUrl: issuer })).toBe('AUTHORIZED')
    await expectToken(provider.tokens()!.access_token)
  },
)

it('the samples of openid-client and oauth4webapi get an access token as they are written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'private-key-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'private-key.pem')
  await writeFile(file, await exportPKCS8(pairs.ES256.privateKey))
  const samples = createPrivateKeySamples({ issuer, tokenEndpoint: `${issuer}/token`, clientId: id })
  const programs = samples.filter(({ language }) => language === 'javascript')
  expect(programs.map(({ title }) => title)).toEqual(['openid-client', 'oauth4webapi'])
  for (const { code } of programs) {
    const body = code
      .replaceAll(/^import (?:\* as )?(.+) from ('.+')$/gm, 'const $1 = await load($2)')
      .replace("'private-key.pem'", JSON.stringify(file))
    // A script, because modules of a folder elsewhere would not find the packages.
    const program = runInThisContext(`(async (load) => { ${body}\nreturn access_token })`) as (
      load: (name: string) => Promise<unknown>,
    ) => Promise<string>
    await expectToken(await program((name) => import(name)))
  }
})

it("takes the form of RFC 7523's example (2.2), with its header and its percent-encoding", async () => {
  const { privateKey } = pairs.RS256
  const [first] = (await auth.applications.get(id))!.secrets
  const { keys } = first!.keySet as { keys: readonly { kid?: string }[] }
  const renamed = keys.map((jwk) => (jwk.kid === 'RS256' ? { ...jwk, kid: '22' } : jwk))
  await auth.applications.replaceKeySet(id, first!.id, { jwks: { keys: renamed } })
  const assertion = await sign(privateKey, { alg: 'RS256', kid: '22' })
  expect(assertion.split('.')[0]).toBe('eyJhbGciOiJSUzI1NiIsImtpZCI6IjIyIn0')
  const body = `grant_type=client_credentials&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=${assertion}`
  const head = [
    'POST /payments/token HTTP/1.1',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ]
  expect((await exchange(app, head, body)).status).toBe(200)
})

function sign(key: CryptoKey, header: { readonly alg: string; readonly kid: string }): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return new SignJWT({ iss: id, sub: id, aud: issuer, exp: now + 60, jti: 'rfc-7523' })
    .setProtectedHeader(header)
    .sign(key)
}
