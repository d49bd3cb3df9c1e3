import { OpenIdProviderMetadataSchema } from '@modelcontextprotocol/sdk/shared/auth.js'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Express } from 'express'
import { expectRefusal } from '../../support/http.js'
import { EXPRESSES, onEveryPlatform, openPlatform, usePlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

const DOCUMENTS = ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource']

/** Every member of RFC 8414 2 for the API with this identifier. */
function createAuthorizationServerDocument(resource: string, scopes: readonly string[]) {
  const methods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer: resource,
    authorization_endpoint: `${resource}/authorize`,
    token_endpoint: `${resource}/token`,
    jwks_uri: `${resource}/.well-known/jwks.json`,
    scopes_supported: scopes,
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${resource}/revoke`,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint: `${resource}/introspect`,
    introspection_endpoint_auth_methods_supported: methods,
  }
}

/** The same, with what OpenID Connect Discovery 1.0, 3, requires and strict readers check. */
function createOpenIdDocument(resource: string, scopes: readonly string[], algorithms: readonly string[]) {
  return {
    ...createAuthorizationServerDocument(resource, scopes),
    response_types_supported: ['none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: algorithms,
  }
}

/** RFC 9728 2. */
function createProtectedResourceDocument(resource: string, scopes: readonly string[], title: string) {
  return {
    resource,
    authorization_servers: [resource],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: title,
  }
}

const SCOPES = ['orders:read', 'orders:write']

const createDocuments = (resource: string) => ({
  'oauth-authorization-server': createAuthorizationServerDocument(resource, SCOPES),
  'openid-configuration': createOpenIdDocument(resource, SCOPES, ['ES256', 'RS256']),
  'oauth-protected-resource': createProtectedResourceDocument(resource, SCOPES, 'Orders'),
})

describe('Metadata of an oauth2 API (docs/http.md M1 to M7, P5 to P8)', () => {
  onEveryPlatform((host) => {
    it.each(Object.entries(createDocuments('https://api.example.com/orders')))(
      'M1, M8: %s is served below the API and at the root (RFC 8414, RFC 9728)',
      async (name, document) => {
        for (const path of [`/orders/.well-known/${name}`, `/.well-known/${name}/orders`]) {
          const { status, body } = await request(host.app).get(path)
          expect({ status, body: body as unknown }, path).toEqual({ status: 200, body: document })
        }
      },
    )

    it('M8: has the members that strict readers of OpenID documents require', async () => {
      const { body } = await request(host.app).get('/orders/.well-known/openid-configuration')
      expect(OpenIdProviderMetadataSchema.safeParse(body)).toMatchObject({ success: true })
    })

    it('M8: names the algorithm of new signing keys first, and RS256 once', async () => {
      for (const [algorithm, algorithms] of [
        ['EdDSA', ['EdDSA', 'RS256']],
        ['RS256', ['RS256']],
      ] as const) {
        const { auth } = openPlatform({ tokens: { algorithm } })
        const app = host.express().use(auth.router)
        const { body } = await request(app).get('/orders/.well-known/openid-configuration')
        expect(body).toMatchObject({ id_token_signing_alg_values_supported: algorithms })
        await auth.close()
      }
    })

    it('names each API as its own issuer, with an empty list for an API without scopes', async () => {
      const { body } = await request(host.app).get('/invoices/.well-known/oauth-authorization-server')
      expect(body).toEqual(createAuthorizationServerDocument('https://api.example.com/invoices', []))
      const resource = await request(host.app).get('/invoices/.well-known/oauth-protected-resource')
      expect(resource.body).toEqual(createProtectedResourceDocument('https://api.example.com/invoices', [], 'invoices'))
    })

    it.each(['catalog', 'weather', 'unknown'])('is not served for %s, which is no oauth2 API', async (api) => {
      for (const document of DOCUMENTS) {
        expect((await request(host.app).get(`/${api}/.well-known/${document}`)).status).toBe(404)
        expect((await request(host.app).get(`/.well-known/${document}/${api}`)).status).toBe(404)
      }
      expect((await request(host.app).get(`/${api}/.well-known/jwks.json`)).status).toBe(404)
    })

    it.each([
      ...DOCUMENTS.map((document) => `/orders/.well-known/${document}`),
      ...DOCUMENTS.map((document) => `/.well-known/${document}/orders`),
      '/.well-known/jwks.json',
      '/orders/.well-known/jwks.json',
    ])('is readable by every page and cached for 300 seconds at %s', async (path) => {
      const { headers } = await request(host.app).get(path)
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      })
      expect(headers).not.toHaveProperty('set-cookie')
    })

    it.each([...DOCUMENTS, 'jwks.json'].map((document) => `/orders/.well-known/${document}`))(
      'answers HEAD of %s with the headers of GET and no body',
      async (path) => {
        const { date: _date, ...get } = (await request(host.app).get(path)).headers as Record<string, string>
        const head = await request(host.app).head(path)
        const { date: _, ...headers } = head.headers as Record<string, string>
        expect(headers).toEqual(get)
        expect(head.text).toBeUndefined()
      },
    )

    it('is JSON for every Accept', async () => {
      for (const path of ['/orders/.well-known/openid-configuration', '/.well-known/jwks.json']) {
        const { headers } = await request(host.app).get(path).set('Accept', 'text/html')
        expect(headers['content-type']).toBe('application/json; charset=utf-8')
      }
    })

    it('C8: does not depend on the Host or X-Forwarded headers', async () => {
      host.app.set('trust proxy', true)
      const { text } = await request(host.app)
        .get('/orders/.well-known/oauth-authorization-server')
        .set({ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'gopher' })
      expect(text).not.toMatch(/evil|gopher/)
    })

    it('M5: names an authorization endpoint that answers 400 unsupported_response_type, without a redirect', async () => {
      for (const query of ['', '?response_type=code&client_id=x&redirect_uri=https%3A%2F%2Fevil.example%2F']) {
        expectRefusal(await request(host.app).get(`/orders/authorize${query}`), 400, 'unsupported_response_type')
      }
      expect((await request(host.app).post('/orders/authorize')).status).toBe(404)
    })

    it.each(['/.well-known/jwks.json', '/orders/.well-known/jwks.json', '/invoices/.well-known/jwks.json'])(
      'M3: includes the key set at %s (RFC 7517 5), without private members',
      async (path) => {
        const { body } = (await request(host.app).get(path)) as { body: { keys: object[] } }
        const [current] = (await host.auth.signingKeys.list()).items
        expect(body).toEqual({
          keys: [
            {
              kty: 'EC',
              crv: 'P-256',
              x: expect.any(String) as string,
              y: expect.any(String) as string,
              kid: current?.kid,
              alg: 'ES256',
              use: 'sig',
            },
          ],
        })
      },
    )
  })
})

describe.each(Object.entries(EXPRESSES))(
  'Metadata of a baseUrl with a path, in an %s app (docs/http.md P8, P10),',
  (_, express) => {
    const { auth } = usePlatform({ baseUrl: 'https://example.com/platform/v1/' })
    let app: Express

    beforeAll(() => {
      app = express().use('/platform/v1', auth.router).use(auth.wellKnownRouter)
    })

    const documents = createDocuments('https://example.com/platform/v1/orders')
    it.each(Object.entries(documents))('%s is served below the path, and at the root', async (name, document) => {
      for (const path of [`/platform/v1/orders/.well-known/${name}`, `/.well-known/${name}/platform/v1/orders`])
        expect((await request(app).get(path)).body, path).toEqual(document)
    })

    it('includes the key set below the path and below the issuer, where jwks_uri says', async () => {
      expect((await request(app).get('/platform/v1/.well-known/jwks.json')).status).toBe(200)
      expect((await request(app).get('/platform/v1/orders/.well-known/jwks.json')).status).toBe(200)
      expect((await request(app).get('/.well-known/jwks.json')).status).toBe(404)
    })

    it.each([
      [false, undefined, 'received=0, used=0'],
      [false, '192.0.2.1, 192.0.2.2', 'received=2, used=0'],
      [1, '192.0.2.1, 192.0.2.2', 'received=2, used=1'],
      [true, '192.0.2.1, 192.0.2.2', 'received=2, used=2'],
      [true, ' ,', 'received=0, used=0'],
    ])('M9: tells the doctor how "trust proxy" %j uses X-Forwarded-For "%s"', async (trust, forwarded, expected) => {
      const behindProxy = express().set('trust proxy', trust).use(auth.router)
      const ask = (name: string) =>
        request(behindProxy)
          .get('/.well-known/jwks.json')
          .set({ [name]: '1', ...(forwarded !== undefined && { 'X-Forwarded-For': forwarded }) })
      expect((await ask('Platform-Auth-Doctor')).headers).toMatchObject({
        'platform-auth-doctor': expected,
        'cache-control': 'no-store',
      })
      expect((await ask('X-Other')).headers).not.toHaveProperty('platform-auth-doctor')
    })

    it.each([
      '/orders/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/orders',
      '/.well-known/oauth-authorization-server/platform/v1',
      '/platform/v1/.well-known/oauth-authorization-server/orders',
      '/platform/v1/.well-known/oauth-authorization-server/platform/v1/orders',
    ])('is not served at %s', async (path) => {
      expect((await request(app).get(path)).status).toBe(404)
    })
  },
)
