import { readFile, writeFile } from 'node:fs/promises'
import * as fc from 'fast-check'
import { Validator } from '@seriousme/openapi-schema-validator'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { plans } from '../../../src/features/plans/index.js'
import { developerConsole } from '../../../src/tools/console/index.js'
import { management, managementApi, managementDocument } from '../../../src/tools/management/index.js'
import { accessToken, exchange, useServer } from '../../support/http.js'
import { APIS, openPlatform, usePlatform, type TestOptions } from '../../support/platform.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { MANAGED_STORES, useManagement, type Call } from './site.js'

it('is described by docs/management.openapi.json, which is a valid document', async () => {
  const { auth } = openPlatform({
    apis: { ...APIS, management: managementApi },
    mailer: { send: async () => undefined },
    developersUrl: 'https://api.example.com/developers',
    plans: plans({ gold: { requests: [{ limit: 1000, per: 'day' }] } }),
  })
  const document = managementDocument(auth, { api: 'management' })
  expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true })
  const file = new URL('../../../docs/management.openapi.json', import.meta.url)
  // WRITE_DOCUMENT=1 writes it; oxfmt formats it.
  if (process.env['WRITE_DOCUMENT']) await writeFile(file, JSON.stringify(document))
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(document)))
  const app = express().use('/developers', developerConsole(auth, { documents: { management: document } }))
  const { url } = await useServer(app)
  const page = await (await fetch(`${url}/developers/apis/management`)).text()
  expect(page).toContain('Suspends an application')
})

/** A platform with management, and an access token with these scopes of it. */
async function openManaged(scopes: (keyof typeof managementApi.scopes)[], options: TestOptions = {}) {
  const { auth } = usePlatform({ apis: { ...APIS, management: managementApi }, now: Date.now, ...options })
  const app = express()
    .use(auth.router)
    .use('/management', management(auth, { api: 'management' }))
  const { application, credentials } = await auth.applications.create({ name: 'CI', apis: { management: { scopes } } })
  return { auth, app, application, token: await accessToken(app, 'management', credentials as never) }
}

it('answers request targets in absolute form (RFC 9112 3.2.2), and names the path of what it made', async () => {
  const { app, token } = await openManaged(['applications:write'])
  const body = JSON.stringify({ name: 'Shop', apis: ['catalog'] })
  const made = await exchange(
    app,
    [
      'POST http://localhost/management/applications HTTP/1.1',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ],
    body,
  )
  expect([made.status, made.headers.location]).toEqual([
    201,
    expect.stringMatching(/^\/management\/applications\/[\w-]+$/),
  ])
  // As in Express: a gate of the host on /management/applications would be passed otherwise.
  for (const target of ['x/../applications', './applications', '%2e/applications', 'x/%2e%2e/applications']) {
    const head = [`GET http://localhost/management/${target} HTTP/1.1`, `Authorization: Bearer ${token}`]
    expect([target, (await exchange(app, head, '')).status]).toEqual([target, 404])
  }
})

it.each([
  ['unknown', undefined, 'names "other"'],
  ['a key API', { scheme: 'apiKey' }, 'names "other"'],
  ['open to registration', { ...managementApi, registration: 'manual' }, 'names "other"'],
  ['without a scope', { ...managementApi, scopes: { 'audit:read': 'Read' } }, 'names "other"'],
])('refuses to serve with an API that is %s', (_, options, message) => {
  const { auth } = openPlatform({ apis: { ...APIS, ...(options && { other: options as never }) } })
  expect(() => management(auth, { api: 'other' })).toThrow(message)
})

it('refuses also on a platform whose guards only report', async () => {
  const { auth, app, application, token } = await openManaged(['audit:read'], { reportOnly: true })
  const { url } = await useServer(app)
  const get = (path: string, headers = {}) => fetch(`${url}/management/${path}`, { headers })
  const authorization = `Bearer ${token}`
  expect((await get('applications')).status).toBe(401)
  expect((await get('applications', { authorization })).status).toBe(403)
  expect((await get('audit', { authorization })).status).toBe(200)
  await auth.applications.suspend(application.id)
  expect((await get('audit', { authorization })).status).toBe(401)
})

it('is counted by the paths of its document', async () => {
  const { auth, app, application, token } = await openManaged(['applications:read'], { usage: { routes: true } })
  const { url } = await useServer(app)
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${url}/management/applications/${application.id}`, { headers })).status).toBe(200)
  await auth.flush()
  const { items } = await auth.usage.routes()
  expect(items.map(({ route }) => route)).toEqual(['GET /applications/{id}'])
})

describe.each(Object.entries(MANAGED_STORES))('management on %s', (_, openStore) => {
  let ahead = 0
  const site = useManagement(openStore, { now: () => Date.now() + ahead })

  it('lets a script create, read back, change, repeat and delete an application', async () => {
    const call = await site.caller()
    const given = {
      name: 'Corner Shop',
      contact: 'dev@shop.example',
      apis: ['orders', 'catalog'],
      externalId: 'C-1',
      metadata: { a: 1, b: { c: 2, d: 3 } },
    }
    const created = await call('POST /applications', given)
    const { application, credentials } = created.body
    const at = `/applications/${application.id}`
    expect([created.status, created.headers.get('location')]).toEqual([201, `/management${at}`])
    expect(credentials).toEqual({
      clientId: expect.stringMatching(/^epa_key_/),
      clientSecret: expect.stringMatching(/^epa_sec_/),
    })

    const read = await call(`GET ${at}`)
    expect(read.body).toEqual(application)
    expect((await call('GET /applications?externalId=C-1')).body.items).toEqual([application])

    // RFC 7396: what is not named stays, also within metadata; null removes it.
    const changed = await call(`PATCH ${at}`, {
      name: 'Shop',
      metadata: { b: { c: null, e: 4 } },
      rateLimits: { orders: { limit: 5, window: 1 } },
    })
    expect(changed.body).toMatchObject({
      name: 'Shop',
      metadata: { a: 1, b: { d: 3, e: 4 } },
      externalId: 'C-1',
      rateLimits: { orders: { limit: 5, window: 1 } },
    })
    expect(changed.body.metadata.b).not.toHaveProperty('c')
    expect((await call(`PATCH ${at}`, { rateLimits: { orders: { limit: 6 } }, externalId: null })).body).toMatchObject({
      rateLimits: { orders: { limit: 6, window: 1 } },
    })
    expect((await call(`PATCH ${at}`, { rateLimits: { orders: null }, metadata: null })).body).toMatchObject({
      rateLimits: {},
    })

    // A repeat changes nothing, in either type of JSON; null takes away.
    const patch = { externalId: null, metadata: { a: 1, b: null }, networks: null }
    const patched = (await call(`PATCH ${at}`, patch)).body
    expect(patched).toMatchObject({ metadata: { a: 1 } })
    expect(Object.keys(patched)).not.toContain('externalId')
    for (const type of ['application/json', 'application/merge-patch+json; charset=utf-8'])
      expect((await call(`PATCH ${at}`, patch, { 'content-type': type, 'if-match': '*' })).body).toEqual(patched)
    const [head, options] = [await call(`HEAD ${at}`), await call(`OPTIONS ${at}`, undefined, { authorization: '' })]
    expect([head.status, head.headers.get('etag'), head.body]).toEqual([
      200,
      (await call(`GET ${at}`)).headers.get('etag'),
      undefined,
    ])
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, PATCH, DELETE, OPTIONS'])
    for (const { headers } of [options, await fetch(`${site.url}/openapi.json`)])
      expect(headers.get('cache-control')).toBe('no-store')

    const key = await call(`POST ${at}/keys`, {
      name: 'warehouse',
      apis: { catalog: {} },
      expiresAt: '2099-01-01T00:00:00Z',
    })
    expect(key.body).toMatchObject({
      credential: { name: 'warehouse' },
      credentials: { clientId: expect.stringMatching(/^epa_key_/) },
    })
    const credential = `${at}/credentials/${key.body.credential.id}`
    expect((await call(`PATCH ${credential}`, { expiresAt: null, networks: ['192.0.2.0/24'] })).body.keys[0]).toEqual({
      ...key.body.credential,
      expiresAt: undefined,
      networks: ['192.0.2.0/24'],
    })
    expect((await call(`POST ${at}/keys/rotate`, { credential: key.body.credential.id, overlap: 0 })).status).toBe(201)
    expect(
      (await call(`DELETE ${at}/credentials/${application.secrets[0].id}?revokeTokens=true`)).body.secrets,
    ).toEqual([])
    expect((await call(`PUT ${at}/apis/invoices`, {})).body.apis).toHaveProperty('invoices')
    expect((await call(`DELETE ${at}/apis/invoices`)).body.apis).not.toHaveProperty('invoices')
    expect((await call(`PUT ${at}/contacts/second@shop.example`)).body.contacts).toHaveLength(2)
    expect((await call(`DELETE ${at}/contacts/second%40shop.example`)).body.contacts).toHaveLength(1)
    expect((await call(`PUT ${at}/invitations/third@shop.example`)).body.invitations).toHaveLength(1)
    expect((await call(`PUT ${at}/plan`, { plan: 'gold' })).status).toBe(204)
    expect((await call(`GET ${at}/plan`)).body).toMatchObject({ plan: 'gold', quotas: [{ limit: 1000 }] })
    expect((await call(`POST ${at}/recover`, { contact: 'owner@shop.example' })).body).toMatchObject({
      credentials: {},
      selfService: [],
    })
    expect((await call(`POST ${at}/suspend`, { reason: 'Unpaid' })).body.status).toBe('suspended')
    expect((await call(`POST ${at}/suspend`)).body).toMatchObject({ status: 409, code: 'invalid_state' })
    expect((await call(`POST ${at}/resume`)).body.status).toBe('active')
    expect((await call('POST /signing-keys', { immediately: true })).body.state).toBe('current')
    expect((await call('GET /signing-keys')).body.items).toHaveLength(2)
    expect((await call('POST /emails/retry')).body).toEqual({ retried: 0 })
    expect((await call('GET /emails?state=due')).body.items).toMatchObject([
      { purpose: 'changes', name: 'Shop', attempts: 0 },
    ])
    expect((await call('GET /emails?state=sent')).status).toBe(400)
    expect((await call('GET /emails/status')).status).toBe(200)
    expect((await call(`GET ${at}/refusals`)).body).toEqual({ items: [] })
    expect((await call(`DELETE ${at}`)).body.status).toBe('deleted')
    expect((await call(`GET ${at}`)).body.status).toBe('deleted')

    // The actor of every change is the application that has called; nobody is that of what e-mails have done.
    const { items } = (await call(`GET /audit?applicationId=${application.id}&limit=1000`)).body
    expect(new Set(items.flatMap(({ by }: { by?: string }) => by ?? []))).toEqual(new Set([`${call.id} (CI)`]))
  })

  it('neither changes an application that has access to management, nor grants it', async () => {
    const { auth } = site
    const call = await site.caller()
    const { application } = await auth.applications.create({
      name: 'Job',
      contact: 'job@ops.example',
      apis: { management: {}, catalog: {} },
    })
    const before = await auth.applications.get(application.id)
    const at = `/applications/${application.id}`
    const credential = application.keys[0]!.id
    const attempts: readonly (readonly [string, unknown?])[] = [
      [`PATCH ${at}`, { name: 'Mine' }],
      [`PATCH ${at}`, { contact: 'thief@evil.example' }],
      [`PATCH ${at}`, { metadata: { a: 1 } }],
      [`PATCH ${at}`, { networks: null }],
      [`DELETE ${at}`],
      ...['suspend', 'resume', 'revoke-tokens', 'keys/rotate', 'secrets/rotate'].map(
        (name) => [`POST ${at}/${name}`] as const,
      ),
      [`POST ${at}/keys/rotate`, { deliver: 'email' }],
      [`POST ${at}/keys`, { name: 'mine' }],
      [`POST ${at}/secrets`, { name: 'mine' }],
      [`POST ${at}/recover`, { contact: 'thief@evil.example' }],
      [`PUT ${at}/apis/orders`, {}],
      [`DELETE ${at}/apis/catalog`],
      [`DELETE ${at}/apis/management`],
      [`PATCH ${at}/credentials/${credential}`, { name: 'x' }],
      [`DELETE ${at}/credentials/${credential}`],
      [`PUT ${at}/contacts/thief@evil.example`],
      [`DELETE ${at}/contacts/job@ops.example`],
      [`PUT ${at}/invitations/thief@evil.example`],
      [`DELETE ${at}/invitations/thief@evil.example`],
      [`PUT ${at}/plan`, { plan: 'gold' }],
      [`DELETE ${at}/emails`],
      [`POST ${at}/approve`],
      [`POST ${at}/deny`, { reason: 'no' }],
    ]
    for (const [line, body] of attempts) {
      const { status, body: problem } = await call(line, body)
      expect([line, status, problem.code]).toEqual([line, 403, 'protected_application'])
    }
    expect(await auth.applications.get(application.id)).toEqual(before)

    // Nor a resource server, in any way; and nobody becomes one.
    const service = await auth.applications.create({ name: 'Service', apis: ['catalog'], resourceServer: ['orders'] })
    for (const [line, body] of attempts) {
      const { body: problem } = await call(line.replace(application.id, service.application.id), body)
      expect([line, problem.code]).toEqual([line, 'protected_application'])
    }
    expect(await auth.applications.get(service.application.id)).toEqual(service.application)
    const member = { name: 'Mine', apis: ['catalog'], resourceServer: ['orders'] }
    expect((await call('POST /applications', member)).body.code).toBe('invalid_argument')

    const other = (await call('POST /applications', { name: 'Other', apis: ['catalog'] })).body.application
    const to = `/applications/${other.id}`
    const grants: readonly (readonly [string, unknown])[] = [
      ['POST /applications', { name: 'Mine', apis: ['management'] }],
      ['POST /applications', { name: 'Mine', apis: { management: { scopes: ['audit:read'] } } }],
      ['POST /registrations', { name: 'Mine', contact: 'thief@evil.example', apis: ['management'] }],
      [`PUT ${to}/apis/management`, {}],
      [`PUT ${to}/apis/%6danagement`, { scopes: ['applications:read'] }],
      [`POST ${to}/approve`, { api: 'management' }],
      [`POST ${to}/keys`, { name: 'mine', apis: { management: {} } }],
    ]
    for (const [line, body] of grants)
      expect([line, (await call(line, body)).body.code]).toEqual([line, 'protected_application'])
    for (const member of ['apis', 'scopes', 'resourceServer', 'status', 'id', 'keys', '__proto__', 'constructor', 'by'])
      expect((await call(`PATCH ${to}`, `{"${member}":["orders"]}`)).body.code).toBe('invalid_argument')
    for (const apis of ['{"__proto__":{}}', '"management"', '[["management"]]', '{"Management":{}}'])
      expect((await call('POST /applications', `{"name":"Mine","apis":${apis}}`)).status).toBe(400)
    expect((await auth.applications.get(other.id))?.apis).toEqual({ catalog: { scopes: [] } })

    // It can be neither registered for nor requested, whoever asks.
    await expect(auth.registration.requestAccess(other.id, { api: 'management' })).rejects.toMatchObject({
      code: 'api_closed',
    })
    // Granted meanwhile by an operator, in the middle of changes: from then on nothing changes it.
    const rename = async (call: Call): Promise<number> => (await call(`PATCH ${to}`, { name: 'Renamed' })).status
    await auth.applications.allow(other.id, 'management')
    expect(await rename(call)).toBe(403)
  })

  it('shows and repeats by own members alone, whatever a polluted prototype has', async () => {
    const call = await site.caller(['applications:write', 'credentials:write'])
    const shop = { name: 'Guarded', contact: 'guarded@shop.example', apis: ['orders', 'catalog'] }
    const members = {
      repeated: true,
      applicationId: 'app_polluted',
      request: 'polluted',
      kid: 'polluted',
      deliver: 'email',
      details: { polluted: true },
      innerType: { def: {} },
      'x-scope': undefined,
    }
    const prototype = Object.prototype as Record<string, unknown>
    for (const [name, value] of Object.entries(members)) {
      const made: [status: number, location: string | null, text: string, id: unknown][] = []
      // Not enumerable, for the sake of what checks the answers here.
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true })
      try {
        for (let twice = 0; twice < 2; twice++)
          for (const line of ['POST /applications', 'POST ', 'PUT ']) {
            const id = made[0]?.[3] as string
            const path = { 'POST ': `/applications/${id}/keys`, 'PUT ': `/applications/${id}/apis/weather` }[line] ?? ''
            const body = line === 'PUT ' ? {} : path ? { name: 'more' } : shop
            const { status, headers, body: answer } = await call(line + path, body, { 'idempotency-key': name })
            made.push([status, headers.get('location'), JSON.stringify(answer), answer.application?.id])
          }
      } finally {
        delete prototype[name]
      }
      const id = made[0]![3]
      const at = `/management/applications/${String(id)}`
      const expected = [201, 201, 200, 200, 200, 200].map((status, i) => [status, i % 3 === 2 ? null : at])
      expect([name, ...made.map(([status, location]) => [status, location])]).toEqual([name, ...expected])
      expect(made.map(([, , text]) => text).join()).not.toMatch(/Guarded|guarded@|polluted/)
      expect(made[4]![2]).toContain('"credentialId":"cred_')
      const { items } = await site.auth.audit.list({ applicationId: String(id) })
      expect(JSON.stringify(items)).not.toContain('polluted')
    }
  })

  it('makes once what is asked for again with an Idempotency-Key, also at the same time, and shows no credential again', async () => {
    const call = await site.caller()
    const again = (line: string, body: unknown, key = 'k-1') => call(line, body, { 'idempotency-key': key })
    const shop = { name: 'Once', contact: 'once@shop.example', apis: ['orders', 'catalog'] }
    const answers = await Promise.all(Array.from({ length: 6 }, () => again('POST /applications', shop)))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 200, 200, 200, 200, 201,
    ])
    const { application } = answers.find(({ status }) => status === 201)!.body
    const repeated = { repeated: true, applicationId: application.id }
    for (const { status, body } of answers) if (status === 200) expect(body).toEqual(repeated)
    expect((await call('GET /applications?name=Once')).body.items).toHaveLength(1)
    const reused = await again('POST /applications', { ...shop, name: 'Other' })
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect((await again('POST /applications', { ...shop, name: 'Twice' }, 'k-2')).status).toBe(201)
    // Another caller's keys are others.
    const stranger = await site.caller()
    expect((await stranger('POST /applications', shop, { 'idempotency-key': 'k-1' })).status).toBe(201)

    const at = `/applications/${application.id}`
    for (const [path, body] of [
      ['keys', { name: 'warehouse' }],
      ['secrets', { name: 'warehouse' }],
      ['keys/rotate', { credential: application.keys[0].id }],
      ['secrets/rotate', { credential: application.secrets[0].id, deliver: 'email' }],
      ['recover', { contact: 'once@shop.example' }],
    ] as const) {
      const before = (await call(`GET ${at}`)).body
      const made = await Promise.all(Array.from({ length: 4 }, () => again(`POST ${at}/${path}`, body)))
      expect(
        made.map(({ status }) => status).toSorted((one, other) => one - other),
        path,
      ).toEqual([200, 200, 200, 201])
      const first = made.find(({ status }) => status === 201)!.body
      const { body: repeat } = await again(`POST ${at}/${path}`, body)
      expect(repeat, path).toMatchObject(repeated)
      if (path === 'keys') expect(repeat.credentialId).toBe(first.credential.id)
      expect(JSON.stringify(repeat)).not.toMatch(/epa_(?:key|sec)_/)
      const after = (await call(`GET ${at}`)).body
      if (path === 'keys') expect(after.keys).toHaveLength(before.keys.length + 1)
      expect((await again(`POST ${at}/${path}`, { ...body, name: 'x' })).body.code, path).toMatch(
        /idempotency_key_reused|invalid_argument/,
      )
    }
    for (const body of [{ immediately: true }, {}]) {
      const made = await Promise.all(
        Array.from({ length: 6 }, () => again('POST /signing-keys', body, `k-${JSON.stringify(body)}`)),
      )
      expect(made.filter(({ status }) => status === 201)).toHaveLength(1)
    }
    // No key is made while one waits to sign, so none is promised or remembered; and then one is made once.
    const wait = async (): Promise<unknown[]> => [
      (await again('POST /signing-keys', {}, 'k-other')).body.code,
      (await again('POST /signing-keys', { immediately: false }, 'k-other')).body.code,
      (await call('POST /signing-keys', {})).body.code,
    ]
    const keys = async (): Promise<number> => (await call('GET /signing-keys')).body.items.length
    const before = await keys()
    expect(await wait()).toEqual(['invalid_state', 'invalid_state', 'invalid_state'])
    expect((await again('POST /signing-keys', {}, 'k-{}')).body).toMatchObject({ repeated: true })
    expect(await keys()).toBe(before)
    ahead += 301_000
    const { status, body: added } = await again('POST /signing-keys', {}, 'k-other')
    expect([status, added.state]).toEqual([201, 'next'])
    expect((await again('POST /signing-keys', {}, 'k-other')).body).toEqual({ repeated: true, kid: added.kid })
    expect((await again('POST /signing-keys', { immediately: true }, 'k-other')).status).toBe(422)
    expect(await keys()).toBe(before + 1)
    // A request that was refused is not remembered.
    expect((await again(`POST ${at}/keys`, { name: '' }, 'k-3')).status).toBe(400)
    expect((await again(`POST ${at}/keys`, { name: 'now right' }, 'k-3')).status).toBe(201)
    expect((await again(`POST ${at}/keys`, { name: 'x' }, 'two words')).body.code).toBe('invalid_request')
    const nested = `{"name":"Deep","apis":["orders"],"metadata":${'['.repeat(8000)}${']'.repeat(8000)}}`
    expect((await again('POST /applications', nested, 'k-4')).body.code).toBe('invalid_argument')
    // What was deleted since is not made again.
    await call(`DELETE ${at}`)
    expect((await again('POST /applications', shop)).body).toEqual(repeated)
  })
})

// What is refused before the store is the same on all of them; PostgreSQL has texts and numbers of its own to refuse.
const FEW = { PostgreSQL: MANAGED_STORES['PostgreSQL']! }

describe.each(Object.entries(IS_LONG_LANE ? MANAGED_STORES : FEW))('every operation on %s', (_, openStore) => {
  const site = useManagement(openStore)

  it('refuses each operation without its scope, and without an access token', async () => {
    const all = Object.entries(site.document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        line: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`,
        operation,
      })),
    )
    expect(all.length).toBeGreaterThan(35)
    const scopes = [...new Set(all.map(({ operation }) => operation.security[0].oauth2[0]))]
    expect(scopes).toHaveLength(7)
    for (const scope of scopes) {
      const call = await site.caller(scopes.filter((each) => each !== scope))
      for (const { line, operation } of all) {
        const { status, body } = await call(line)
        if (operation.security[0].oauth2[0] === scope)
          expect([line, status, body.code]).toEqual([line, 403, 'insufficient_scope'])
        else expect(status, line).not.toBe(403)
      }
    }
    const stranger = await site.caller()
    for (const { line } of all)
      expect((await stranger(line, undefined, { authorization: '' })).body, line).toMatchObject({
        code: 'unauthorized',
      })
    const writer = await site.caller(['applications:write'])
    const { application } = (await writer('POST /applications', { name: 'Shop', apis: ['catalog'] })).body
    const contact = await writer(`PATCH /applications/${application.id}`, { contact: 'thief@evil.example' })
    expect([contact.status, contact.body.code, contact.headers.get('www-authenticate')]).toEqual([
      403,
      'insufficient_scope',
      'Bearer realm="management", error="insufficient_scope", scope="credentials:write"',
    ])
  })

  it('answers whatever is sent as its document says, and never with 5xx', async () => {
    const call = await site.caller()
    const made = (await call('POST /applications', { name: 'Fuzzed', contact: 'a@b.example', apis: ['orders'] })).body
    const ids = [
      made.application.id,
      made.application.keys[0].id,
      'orders',
      'a@b.example',
      '%00',
      '%ff',
      '..%2f',
      'x',
      '*',
    ]
    const text = fc.constantFrom(...ids, 'gold', '', '\0', '\u{1F600}', '2099-01-01T00:00:00Z', 'x'.repeat(3000))
    const value = fc.oneof(
      text,
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(null, true, 0, -1, 1e21, ['orders'], {}),
    )
    const bodies = fc.sample(fc.oneof(fc.jsonValue(), fc.dictionary(text, value)), { numRuns: 20, seed: 7 })
    let count = 0
    for (const [path, item] of Object.entries(site.document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const schemas = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema)
        const inQuery = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name)
        const names = [...Object.keys((schemas[0] as { properties?: object })?.properties ?? {}), ...inQuery]
        const shaped = fc.sample(
          fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }),
          { numRuns: IS_LONG_LANE ? 300 : 8, seed: 3 },
        )
        for (const body of [undefined, bodies[count % bodies.length], ...shaped]) {
          const segments = path.replaceAll(/\{\w+\}/g, () => encodeURI(ids[count % ids.length]).replaceAll('%25', '%'))
          const query = inQuery.length > 0 ? `?${formatQuery(body)}` : ''
          const hasBody = !['get', 'delete'].includes(method) && body !== undefined
          await call(`${method.toUpperCase()} ${segments}${query}`, hasBody ? body : undefined)
          count += 1
        }
      }
    }
    for (const body of ['{', '[]', 'null', '1', `{"name":"${'x'.repeat(20_000)}"}`, '{"a":'.repeat(2000)])
      expect([400, 413]).toContain((await call('POST /applications', body)).status)
    const { status } = await call('POST /applications', '<a/>', { 'content-type': 'text/xml' })
    expect(status).toBe(415)
    expect(count).toBeGreaterThan(300)
  }, 600_000)
})

/** Members as they are, and what is no text as JSON. */
function formatQuery(values: unknown): string {
  const entries = Object.entries(Object(values) as object)
  return new URLSearchParams(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ).toString()
}
