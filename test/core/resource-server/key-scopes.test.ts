import express, { type Express } from 'express'
import { beforeAll, describe, expect, it } from 'vitest'
import { guardsFromDocument } from '../../../src/tools/document-guards/index.js'
import { authOf, createPlatformAuth, memoryStore, type Guard } from '../../../src/index.js'
import { createApplication, expectRefusal } from '../../support/http.js'
import { EXPRESSES, usePlatform } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'
import { sendAuthInfo } from './guarded-routes.js'

const SCOPES = { 'catalog:read': 'Read the catalog', 'catalog:write': 'Change the catalog' }
const apis = { catalog: { scheme: 'apiKey', scopes: SCOPES }, weather: { scheme: 'apiKey' } } as const
const { auth } = usePlatform({ apis })

/** Keys of applications with these scopes, and of one credential each that is narrowed. */
const keys: Record<string, string> = {}

beforeAll(async () => {
  const all = await createApplication(auth, ['catalog', 'weather'], 'All')
  keys['both'] = all.clientId
  for (const [name, scopes] of [
    ['read', ['catalog:read']],
    ['write', ['catalog:write']],
    ['none', []],
  ] as const) {
    keys[name] = (await createApplication(auth, { catalog: { scopes } }, name)).clientId
    const { credentials } = await auth.applications.addKey(all.id, { name, apis: { catalog: { scopes } } })
    keys[`narrowed to ${name}`] = credentials.clientId
  }
})

function appWith(...guards: Guard[]): Express {
  return express()
    .disable('x-powered-by')
    .all('/catalog{/:id}', ...guards, sendAuthInfo)
}

const send = async (app: express.Application, method: string, key: string, path = '/catalog'): Promise<Response> =>
  request(app)[method.toLowerCase() as 'get'](path).set('X-Api-Key', keys[key]!)

const LACKS = 'The API key lacks a scope that this needs'
const challenge = (scope: string): Record<string, string> =>
  toHeader(`error="insufficient_scope", error_description="${LACKS}", scope="${scope}"`)
const toHeader = (parameters: string): Record<string, string> => ({
  'www-authenticate': `ApiKey realm="catalog", ${parameters}, header="X-Api-Key"`,
})

describe.each(Object.entries(EXPRESSES))('scopes of a key on %s (docs/http.md G65 to G67)', (_name, create) => {
  const app = create().all(
    '/catalog',
    auth.requireApiKey('catalog', { scopes: ['catalog:read', 'catalog:write'] }),
    (req, res) => void res.json(authOf(req).scopes),
  )

  it('G65: passes with all of them, and answers 403 insufficient_scope with a challenge without', async () => {
    expect((await send(app, 'GET', 'both')).body).toEqual(['catalog:read', 'catalog:write'])
    for (const key of ['read', 'write', 'none', 'narrowed to read', 'narrowed to write', 'narrowed to none'])
      expectRefusal(await send(app, 'GET', key), 403, 'insufficient_scope', challenge('catalog:read catalog:write'))
  })

  it('G10: names them in the challenge of a request without a key', async () => {
    const answer = await request(app).get('/catalog')
    expectRefusal(answer, 401, 'unauthorized', toHeader('scope="catalog:read catalog:write"'))
  })
})

describe('scopes of a key per method, and one of several', () => {
  it('needs the list of the method, and refuses a method that has none', async () => {
    const scopes = { GET: ['catalog:read'], POST: ['catalog:write'] } as const
    const app = appWith(auth.requireApiKey('catalog', { scopes }))
    const statusOf = async (method: string, key: string): Promise<number> => (await send(app, method, key)).status
    expect([await statusOf('GET', 'read'), await statusOf('HEAD', 'read'), await statusOf('POST', 'read')]).toEqual([
      200, 200, 403,
    ])
    expect([await statusOf('GET', 'narrowed to write'), await statusOf('POST', 'narrowed to write')]).toEqual([
      403, 200,
    ])
    const text = 'No API key allows this method here'
    expectRefusal(
      await send(app, 'DELETE', 'both'),
      403,
      'access_denied',
      toHeader(`error="access_denied", error_description="${text}"`),
    )
  })

  it('needs one of anyScope', async () => {
    const app = appWith(auth.requireApiKey('catalog', { anyScope: ['catalog:write', 'catalog:read'] }))
    for (const key of ['read', 'narrowed to write', 'both']) expect((await send(app, 'GET', key)).status).toBe(200)
    expectRefusal(await send(app, 'GET', 'none'), 403, 'insufficient_scope', challenge('catalog:write catalog:read'))
  })

  it('are checked again by a second guard, by verifyApiKey() not at all', async () => {
    const app = appWith(auth.requireApiKey('catalog'), auth.requireApiKey('catalog', { scopes: ['catalog:write'] }))
    expect((await send(app, 'GET', 'read')).status).toBe(403)
    expect((await auth.verifyApiKey('catalog', keys['read']!)).scopes).toEqual(['catalog:read'])
    expect((await auth.verifyApiKey('weather', keys['both']!)).scopes).toEqual([])
  })

  it('holds a change for the next request', async () => {
    const app = appWith(auth.requireApiKey('catalog', { scopes: ['catalog:write'] }))
    const { id, clientId } = await createApplication(auth, { catalog: { scopes: ['catalog:read'] } })
    keys['changed'] = clientId
    expect((await send(app, 'GET', 'changed')).status).toBe(403)
    await auth.applications.allow(id, 'catalog', { scopes: ['catalog:write'] })
    expect((await send(app, 'GET', 'changed')).status).toBe(200)
    await auth.applications.allow(id, 'catalog', { scopes: [] })
    expect((await send(app, 'GET', 'changed')).status).toBe(403)
  })

  it('are named in the refusals that the developer of the application sees', async () => {
    const { id, clientId } = await createApplication(auth, { catalog: { scopes: [] } })
    keys['refused'] = clientId
    const app = appWith(auth.requireApiKey('catalog', { scopes: { GET: ['catalog:read'] } }))
    for (const method of ['GET', 'DELETE']) await send(app, method, 'refused')
    await expect.poll(async () => (await auth.usage.refusals(id)).items.length).toBe(2)
    const refused = (await auth.usage.refusals(id)).items.map(({ reason, problem }) => [reason, problem])
    expect(refused.toSorted(([a = ''], [b = '']) => a.localeCompare(b))).toEqual([
      ['insufficient_scope', 'API key without a required scope (catalog:read)'],
      ['method_not_allowed', 'Method not allowed for API keys'],
    ])
  })

  it('are in the challenges of requireAny(), and refused if the API has no such scope', async () => {
    const either = auth.requireAny([auth.requireApiKey('catalog', { scopes: ['catalog:read'] })])
    const { headers } = await request(appWith(either)).get('/catalog')
    expect(headers['www-authenticate']).toBe('ApiKey realm="catalog", scope="catalog:read", header="X-Api-Key"')
    expect(() => auth.requireApiKey('catalog', { scopes: ['read' as never] })).toThrow(
      'requireApiKey("catalog"): the API "catalog" has no scope "read". There are: catalog:read, catalog:write.',
    )
    expect(() => auth.requireApiKey('weather', { scopes: ['read' as never] })).toThrow(
      'the API "weather" has no scope "read". Declare it under apis.weather.scopes.',
    )
    expect(() => auth.requireApiKey('catalog', { anyScope: [] })).toThrow('No API key has one of no scopes')
  })
})

describe('scopes of an OpenAPI document', () => {
  const apiKey = { type: 'apiKey', in: 'header', name: 'X-Api-Key' }
  const documentOf = (version: string, security?: unknown) => ({
    openapi: version,
    info: { title: 'Catalog', version: '1' },
    paths: { '/{id}': { get: security === undefined ? {} : { security } } },
    components: { securitySchemes: { key: apiKey } },
  })
  const appOf = (document: object): Express =>
    express().use('/catalog', guardsFromDocument(auth, 'catalog', document), sendAuthInfo)

  it.each(['3.0.3', '3.1.0'])('are needed as its security lists them (%s)', async (version) => {
    const app = appOf(documentOf(version, [{ key: ['catalog:read'] }, { key: ['catalog:write'] }]))
    for (const key of ['read', 'write']) expect((await send(app, 'GET', key, '/catalog/1')).status).toBe(200)
    const refused = await send(app, 'GET', 'none', '/catalog/1')
    expectRefusal(refused, 403, 'insufficient_scope', challenge('catalog:read catalog:write'))
  })

  it('are all needed without security, and none with an empty list', async () => {
    expect((await send(appOf(documentOf('3.1.0')), 'GET', 'read', '/catalog/1')).status).toBe(403)
    expect((await send(appOf(documentOf('3.1.0', [{ key: [] }])), 'GET', 'none', '/catalog/1')).status).toBe(200)
  })

  it('are refused with the fix if the API does not have them', () => {
    expect(() => appOf(documentOf('3.1.0', [{ key: ['catalog:delete'] }]))).toThrow(
      /with the scope "catalog:delete", which apis\.catalog\.scopes does not have/,
    )
  })
})

describe('an application that was granted an API before it had scopes', () => {
  const open = (catalog: object) =>
    createPlatformAuth({
      baseUrl: 'http://localhost',
      apis: { catalog: { scheme: 'apiKey' as const, ...catalog } as typeof apis.catalog },
      store,
    })
  const store = memoryStore()
  const routes = (platform: ReturnType<typeof open>): Express =>
    express()
      .get('/catalog', platform.requireApiKey('catalog'), sendAuthInfo)
      .post('/catalog', platform.requireApiKey('catalog', { scopes: ['catalog:write'] }), sendAuthInfo)
      .put('/catalog', platform.requireApiKey('catalog', { scopes: ['catalog:read'] }), sendAuthInfo)

  it('has none of them, or those that the provider chose, until an operator grants it some', async () => {
    const before = open({})
    const { id, clientId } = await createApplication(before, ['catalog'])
    const restricted = await before.applications.addKey(id, { name: 'Restricted', apis: ['catalog'] })
    keys['old'] = clientId
    keys['old, restricted'] = restricted.credentials.clientId
    await before.close()

    const statuses = async (platform: ReturnType<typeof open>, key: string): Promise<number[]> => {
      const app = routes(platform)
      const answers = ['GET', 'POST', 'PUT'].map(async (method) => (await send(app, method, key)).status)
      return Promise.all(answers)
    }
    const scoped = open({ scopes: SCOPES })
    const lenient = open({ scopes: SCOPES, defaultScopes: ['catalog:read'] })
    for (const key of ['old', 'old, restricted']) {
      expect(await statuses(scoped, key)).toEqual([200, 403, 403])
      expect(await statuses(lenient, key)).toEqual([200, 403, 200])
    }
    expect((await lenient.verifyApiKey('catalog', clientId)).scopes).toEqual(['catalog:read'])

    await lenient.applications.allow(id, 'catalog', { scopes: ['catalog:write'] })
    expect(await statuses(lenient, 'old')).toEqual([200, 200, 403])
    // A key has no more than its application.
    expect(await statuses(lenient, 'old, restricted')).toEqual([200, 403, 403])
    await Promise.all([scoped.close(), lenient.close()])
  })

  it('loses scopes that the API no longer has', async () => {
    const { clientId } = await createApplication(auth, ['catalog'])
    keys['known'] = clientId
    expect((await auth.verifyApiKey('catalog', clientId)).scopes).toHaveLength(2)
    const own = memoryStore()
    const wide = createPlatformAuth({ baseUrl: 'http://localhost', apis, store: own })
    const created = await createApplication(wide, ['catalog'])
    const { 'catalog:read': read } = SCOPES
    const narrow = createPlatformAuth({
      baseUrl: 'http://localhost',
      apis: { catalog: { scheme: 'apiKey', scopes: { 'catalog:read': read } } },
      store: own,
    })
    expect((await narrow.verifyApiKey('catalog', created.clientId)).scopes).toEqual(['catalog:read'])
    await Promise.all([wide.close(), narrow.close()])
  })
})
