import express4 from 'express4'
import express5 from 'express'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { ClientCredentials } from 'simple-oauth2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SigningAlgorithm } from '../../../src/index.js'
import { createApplication, listen } from '../../support/http.js'
import { APIS, openPlatform } from '../../support/platform.js'

type Known = Awaited<ReturnType<typeof createApplication>>

const EXPRESSES = { 'Express 4': express4 as unknown as typeof express5, 'Express 5': express5 }
/** The clients require https, which the loopback address does not need. */
const INSECURE = { [oauth.allowInsecureRequests]: true }

describe.each([
  ['Express 4', 'ES256', ''],
  ['Express 5', 'EdDSA', ''],
  ['Express 5', 'RS256', '/platform/v1'],
] as const)('OAuth clients of an %s app, with %s, below "%s",', (expressName, algorithm: SigningAlgorithm, path) => {
  let auth: ReturnType<typeof open>
  let baseUrl: string
  let issuer: string
  let close: () => Promise<void>
  let shop: Known

  const open = () => openPlatform({ baseUrl, now: Date.now, apis: APIS, tokens: { algorithm } }).auth

  beforeAll(async () => {
    const app = EXPRESSES[expressName]()
    const listening = await listen(app)
    close = listening.close
    baseUrl = `http://127.0.0.1:${listening.port}${path}`
    issuer = `${baseUrl}/orders`
    auth = open()
    app.use(path === '' ? '/' : path, auth.router).use(auth.wellKnownRouter)
    // An RSA key takes long to make on a busy machine, and calls wait 5 seconds for the start.
    await auth.ready()
    shop = await createApplication(auth, ['orders'])
  })
  afterAll(async () => {
    await close()
    await auth.close()
  })

  /** Verifies the token as a resource server that knows only the issuer. */
  async function expectVerifiable(accessToken: string, scope = 'orders:read orders:write'): Promise<void> {
    const keySet = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(accessToken, keySet, {
      issuer,
      audience: issuer,
      typ: 'at+jwt',
      requiredClaims: ['sub', 'client_id', 'iat', 'exp', 'jti'],
    })
    expect(payload).toMatchObject({ sub: shop.id, client_id: shop.id, scope })
    expect(protectedHeader.alg).toBe(algorithm)
    await expect(auth.verifyAccessToken('orders', accessToken)).resolves.toMatchObject({ application: { id: shop.id } })
  }

  describe('openid-client', () => {
    it.each([
      ['Basic', openid.ClientSecretBasic],
      ['the body', openid.ClientSecretPost],
    ])('gets a valid access token with discovery (RFC 8414) and %s', async (_, authentication) => {
      const config = await openid.discovery(new URL(issuer), shop.clientId, {}, authentication(shop.clientSecret), {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      })
      expect(config.serverMetadata().token_endpoint).toBe(`${issuer}/token`)
      const tokens = await openid.clientCredentialsGrant(config, { scope: 'orders:read' })
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'orders:read' })
      await expectVerifiable(tokens.access_token, 'orders:read')
    })

    it('gets a valid access token with OpenID Connect discovery and `resource` (RFC 8707)', async () => {
      const authentication = openid.ClientSecretBasic(shop.clientSecret)
      const config = await openid.discovery(new URL(issuer), shop.clientId, {}, authentication, {
        algorithm: 'oidc',
        execute: [openid.allowInsecureRequests],
      })
      const { access_token: accessToken } = await openid.clientCredentialsGrant(config, { resource: issuer })
      await expectVerifiable(accessToken)
    })

    it('reports invalid_client for a wrong secret, and invalid_scope for an unknown scope', async () => {
      const discover = (secret: string) =>
        openid.discovery(new URL(issuer), shop.clientId, {}, openid.ClientSecretBasic(secret), {
          algorithm: 'oauth2',
          execute: [openid.allowInsecureRequests],
        })
      const refused: unknown = await openid
        .clientCredentialsGrant(await discover('wrong'))
        .catch((error: unknown) => error)
      expect(JSON.stringify((refused as Error).cause)).toContain('invalid_client')
      const scope = { scope: 'orders:all' }
      const refusedScope = openid.clientCredentialsGrant(await discover(shop.clientSecret), scope)
      await expect(refusedScope).rejects.toMatchObject({ error: 'invalid_scope', status: 400 })
    })
  })

  describe('oauth4webapi', () => {
    let server: oauth.AuthorizationServer
    const client = (): oauth.Client => ({ client_id: shop.clientId })
    const methods = {
      Basic: () => oauth.ClientSecretBasic(shop.clientSecret),
      'the body': () => oauth.ClientSecretPost(shop.clientSecret),
    }

    async function grant(method: keyof typeof methods): Promise<string> {
      const answer = await oauth.clientCredentialsGrantRequest(server, client(), methods[method](), {}, INSECURE)
      const { access_token: accessToken } = await oauth.processClientCredentialsResponse(server, client(), answer)
      return accessToken
    }

    beforeAll(async () => {
      const discovery = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...INSECURE })
      server = await oauth.processDiscoveryResponse(new URL(issuer), discovery)
    })

    it.each(['Basic', 'the body'] as const)('gets a valid access token with discovery and %s', async (method) => {
      await expectVerifiable(await grant(method))
    })

    it('validates the access token (RFC 9068)', async () => {
      const headers = { Authorization: `Bearer ${await grant('Basic')}` }
      const call = new Request(`${issuer}/items`, { headers })
      const claims = await oauth.validateJwtAccessToken(server, call, issuer, {
        ...INSECURE,
        signingAlgorithms: [algorithm === 'EdDSA' ? 'Ed25519' : algorithm, algorithm],
      })
      expect(claims).toMatchObject({ client_id: shop.id, scope: 'orders:read orders:write' })
    })

    it('finds the authorization server from the resource (RFC 9728)', async () => {
      const answer = await oauth.resourceDiscoveryRequest(new URL(issuer), INSECURE)
      const resource = await oauth.processResourceDiscoveryResponse(new URL(issuer), answer)
      expect(resource.authorization_servers).toEqual([issuer])
    })

    it.each(['Basic', 'the body'] as const)('introspects and revokes with %s', async (method) => {
      const token = await grant(method)
      const introspect = async (): Promise<oauth.IntrospectionResponse> => {
        const answer = await oauth.introspectionRequest(server, client(), methods[method](), token, INSECURE)
        return oauth.processIntrospectionResponse(server, client(), answer)
      }
      expect(await introspect()).toMatchObject({ active: true, sub: shop.id, token_type: 'bearer', iss: issuer })
      const answer = await oauth.revocationRequest(server, client(), methods[method](), token, INSECURE)
      await expect(oauth.processRevocationResponse(answer)).resolves.toBeUndefined()
      expect(await introspect()).toEqual({ active: false })
      await expect(auth.verifyAccessToken('orders', token)).rejects.toMatchObject({ code: 'invalid_token' })
    })

    it('reads the challenge for a wrong secret', async () => {
      const wrong = oauth.ClientSecretPost('wrong')
      const answer = await oauth.clientCredentialsGrantRequest(server, client(), wrong, {}, INSECURE)
      const refused: unknown = await oauth
        .processClientCredentialsResponse(server, client(), answer)
        .catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
      const [challenge] = (refused as oauth.WWWAuthenticateChallengeError).cause
      expect(challenge).toMatchObject({
        scheme: 'basic',
        parameters: { realm: 'orders', charset: 'UTF-8', error: 'invalid_client' },
      })
    })
  })

  describe('simple-oauth2', () => {
    it.each([
      ['Basic, form-encoded', { authorizationMethod: 'header', credentialsEncodingMode: 'strict' }],
      ['Basic, raw', { authorizationMethod: 'header', credentialsEncodingMode: 'loose' }],
      ['the body', { authorizationMethod: 'body' }],
    ] as const)('gets a valid access token with %s', async (_, options) => {
      const client = new ClientCredentials({
        client: { id: shop.clientId, secret: shop.clientSecret },
        auth: { tokenHost: new URL(baseUrl).origin, tokenPath: `${path}/orders/token` },
        options,
      })
      const accessToken = await client.getToken({ scope: ['orders:read', 'orders:write'] })
      expect(accessToken.token.token_type).toBe('bearer')
      expect(accessToken.expired()).toBe(false)
      await expectVerifiable(accessToken.token.access_token)
    })

    it('reports 401 and invalid_client for a wrong secret', async () => {
      const client = new ClientCredentials({
        client: { id: shop.clientId, secret: 'wrong' },
        auth: { tokenHost: new URL(baseUrl).origin, tokenPath: `${path}/orders/token` },
      })
      const refused: unknown = await client.getToken({}).catch((error: unknown) => error)
      expect(refused).toMatchObject({ output: { statusCode: 401 }, data: { payload: { error: 'invalid_client' } } })
    })
  })

  describe("jose's remote key set", () => {
    it('verifies access tokens from before and after a key rotation', async () => {
      const keySet = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`), { cooldownDuration: 0 })
      const get = async (): Promise<string> => {
        const form = { grant_type: 'client_credentials', client_id: shop.clientId, client_secret: shop.clientSecret }
        const answer = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
        return ((await answer.json()) as { access_token: string }).access_token
      }
      const before = await get()
      await jwtVerify(before, keySet, { issuer, audience: issuer, typ: 'at+jwt' })
      await auth.signingKeys.rotate({ immediately: true })
      const after = await get()
      for (const each of [before, after]) {
        await expect(jwtVerify(each, keySet, { issuer, audience: issuer, typ: 'at+jwt' })).resolves.toBeDefined()
      }
    })
  })
})
