import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { ROUTES } from '../../../src/tools/management/routes.js'
import { managementApi } from '../../../src/tools/management/index.js'
import { STORES } from '../../support/platform.js'
import { useManagement, type Answer, type Call, type ManagementSite } from './site.js'

interface Request {
  readonly body?: object
  /** Parameters of the path, beside the id of the application. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Makes the application that is changed; resolves its id, and parameters of the path. */
  prepare?(site: ManagementSite): Promise<{ readonly id?: string } & Readonly<Record<string, string>>>
}

const { kty, crv, x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const jwks = { keys: [{ kty, crv, x, y }] }

const createShop = async ({ auth }: ManagementSite) => {
  const { application } = await auth.applications.create({
    name: 'Shop',
    contact: 'dev@shop.example',
    apis: ['orders', 'catalog', 'partner'],
    metadata: { secret: 'dev@shop.example' },
  })
  return application
}
const prepareShop = async (site: ManagementSite) => {
  const { id, keys } = await createShop(site)
  return { id, credentialId: keys[0]!.id }
}
const prepareKeySet = async (site: ManagementSite) => {
  const { id } = await createShop(site)
  const source = { jwksUri: 'https://keys.example.com/jwks' }
  const { credential } = await site.auth.applications.addKeySet(id, { name: 'set', ...source })
  return { id, credentialId: credential.id }
}
const prepareRegistered = async ({ auth }: ManagementSite) => {
  const registration = { name: 'Asks', contact: 'dev@asks.example', apis: ['manual'] }
  const { application } = await auth.registration.register(registration)
  return { id: application.id }
}
const address = 'second@shop.example'
const after = (change: (site: ManagementSite, id: string) => Promise<unknown>) => async (site: ManagementSite) => {
  const prepared = await prepareShop(site)
  await change(site, prepared.id)
  return prepared
}

/** A request of each operation that changes something. A new operation needs one here. */
const REQUESTS: Readonly<Record<string, Request>> = {
  'applications.create': { body: { name: 'Shop', apis: ['orders'] } },
  'registration.register': { body: { name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] } },
  'applications.update': { body: { name: 'Renamed' } },
  'applications.delete': {},
  'applications.suspend': {},
  'applications.resume': { prepare: after(({ auth }, id) => auth.applications.suspend(id)) },
  'applications.approve': { prepare: prepareRegistered },
  'applications.deny': { prepare: prepareRegistered, body: { reason: 'No.' } },
  'applications.revokeTokens': {},
  'applications.recover': { body: { contact: 'owner@shop.example' } },
  'applications.allow': { parameters: { api: 'invoices' } },
  'applications.disallow': { parameters: { api: 'catalog' } },
  'plans.set': { body: { plan: 'gold' } },
  'applications.addKey': { body: { name: 'new' } },
  'applications.addSecret': { body: { name: 'new' } },
  'applications.addKeySet': { body: { name: 'new', jwks } },
  'applications.replaceKeySet': { prepare: prepareKeySet, body: { jwks } },
  'applications.reloadKeySet': { prepare: prepareKeySet },
  'applications.rotateKey': {},
  'applications.rotateSecret': {},
  'applications.updateCredential': { body: { name: 'renamed' } },
  'applications.endCredential': {},
  'applications.addContact': { parameters: { address } },
  'applications.removeContact': {
    parameters: { address },
    prepare: after(({ auth }, id) => auth.applications.addContact(id, address)),
  },
  'portal.invite': { parameters: { address } },
  'applications.cancelInvitation': {
    parameters: { address },
    prepare: after(({ auth }, id) => auth.portal.invite(id, address)),
  },
  'portal.signOut': { parameters: { contact: address } },
  'signingKeys.rotate': { body: { immediately: true } },
  'signingKeys.revoke': {
    prepare: async ({ auth }) => ({ kid: (await auth.signingKeys.rotate({ immediately: true })).kid }),
  },
  'sessionSecret.replace': {},
  'emails.retry': {},
  'emails.cancel': { prepare: after(({ auth }, id) => auth.portal.invite(id, address)) },
}

const site = useManagement(STORES.memory, {
  // No e-mail is sent, which would change its application.
  background: false,
  apis: {
    partner: { scheme: 'oauth2', clientAuthentication: ['client_secret_basic', 'private_key_jwt'] },
    manual: { scheme: 'apiKey', registration: 'manual' },
  },
})
let call: Call
beforeAll(async () => {
  call = await site.caller()
})

const changing = ROUTES.filter(({ operation }) => operation.changes !== 'nothing')

it('has a request of every operation that changes something', () => {
  expect(changing.map(({ operation }) => operation.name).toSorted()).toEqual(Object.keys(REQUESTS).toSorted())
})

it('documents for every operation the headers that its kind takes and has', () => {
  for (const { operation, method, path } of ROUTES) {
    const described = site.document.paths[path]![method.toLowerCase()]!
    const taken = described.parameters.filter((each) => each.in === 'header').map(({ name }) => name)
    const { status, answer } = findAnswer(described.responses)
    const text = JSON.stringify(answer.content ?? {})
    const showsApplication = /"#\/components\/schemas\/Application"/.test(text)
    const isChange = operation.changes === 'application'
    expect([operation.name, taken.toSorted(), status]).toEqual([
      operation.name,
      [...(operation.creates ? ['Idempotency-Key'] : []), ...(isChange && path.includes('{id}') ? ['If-Match'] : [])],
      operation.creates ? '201' : operation.output === undefined ? '204' : '200',
    ])
    expect([operation.name, Object.keys(answer.headers ?? {})]).toEqual([
      operation.name,
      [
        // A list has an `ETag` of none of its items.
        ...(isChange || (showsApplication && !text.includes('"items"')) ? ['ETag'] : []),
        ...(operation.creates ? ['Location'] : []),
      ],
    ])
  }
})

it.each(changing.map((route) => [route.operation.name, route] as const))(
  '%s keeps preconditions',
  async (name, route) => {
    const { operation, method, path } = route
    const { body, parameters, prepare = prepareShop } = REQUESTS[name]!
    const prepared: { readonly id?: string } = { ...parameters, ...(await prepare(site)) }
    const fill = (given: object) =>
      path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => String(Reflect.get(given, parameter)))
    const send = (headers: Record<string, string>, given: object = prepared, sent = body): Promise<Answer> =>
      call(`${method} ${fill(given)}`, sent, headers)
    const readTag = async () => (await call(`GET /applications/${prepared.id}`)).headers.get('etag')!
    const countChanges = async () => (await site.auth.audit.list({ limit: 1000 })).items.length

    const before = await countChanges()
    if (operation.changes === 'application' && path.includes('{id}')) {
      const tag = await readTag()
      for (const stale of ['"99"', `W/${tag}`, 'x', `"98", W/${tag}`]) {
        const refused = await send({ 'if-match': stale })
        expect([stale, refused.status, refused.body.code]).toEqual([stale, 412, 'version_changed'])
      }
      expect([await countChanges(), await readTag()]).toEqual([before, tag])
      const changed = await send({ 'if-match': `"98", ${tag}` })
      expect([changed.status < 300, await countChanges()], JSON.stringify(changed.body)).toEqual([true, before + 1])
      expect(changed.headers.get('etag')).toBe(`"${Number(JSON.parse(tag)) + 1}"`)
      expect(await readTag()).toBe(changed.headers.get('etag'))
    } else {
      const refused = await send({ 'if-match': '"1"' })
      expect([refused.status, refused.body.code, await countChanges()]).toEqual([400, 'invalid_request', before])
    }
    if (!operation.creates) return

    const other: object = { ...parameters, ...(await prepare(site)) }
    const key = { 'idempotency-key': `key of ${name}`.replaceAll(' ', '-') }
    const made = await Promise.all(Array.from({ length: 3 }, () => send(key, other)))
    expect(made.map(({ status }) => String(status)).toSorted()).toEqual(['200', '200', '201'])
    const first = made.find(({ status }) => status === 201)!
    const count = await countChanges()
    const repeat = await send(key, other)
    expect([repeat.status, repeat.body.repeated, await countChanges()]).toEqual([200, true, count])
    const { application, credential, kid } = first.body
    expect(repeat.body).toMatchObject(kid ? { kid } : { applicationId: application.id })
    if (credential) expect(repeat.body.credentialId).toBe(credential.id)
    for (const { headers } of [first, repeat])
      expect(headers.get('location')).toBe(
        `/management/${kid ? `signing-keys/${kid}` : `applications/${application.id}`}`,
      )
    if (application) {
      const { headers } = await call(`GET /applications/${application.id}`)
      expect(first.headers.get('etag')).toBe(headers.get('etag'))
    }
    const reused = await send(key, other, { ...body, ...DIFFERENT[name] })
    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused'])
  },
)

it('shows names, addresses and data of applications to nobody who may not read applications', async () => {
  const scopes = Object.keys(managementApi.scopes).filter((scope) => scope !== 'applications:read')
  const blind = await site.caller(scopes, 'Blind')
  const { id } = await createShop(site)
  await site.auth.portal.invite(id, address)
  await site.auth.applications.update(id, { language: 'de', by: `contact:${address}` })
  await site.auth.usage.list()
  for (const { operation, method, path } of ROUTES) {
    if (operation.scope === 'applications:read' || operation.output === undefined) continue
    const { body, parameters, prepare = prepareShop } = REQUESTS[operation.name] ?? {}
    const values: object = { ...parameters, ...(await prepare(site)) }
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => String(Reflect.get(values, parameter)))
    const answer = await blind(`${method} ${filled}`, body)
    expect(answer.status, `${operation.name} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    expect(JSON.stringify(answer.body), operation.name).not.toMatch(/Shop|Asks|@/)
  }
  const { items } = (await blind('GET /audit?order=newest')).body as { items: { by?: string }[] }
  expect(items.filter(({ by }) => by === 'contact').length).toBeGreaterThan(0)
  // Nor is an address found by guessing it.
  expect((await blind(`GET /audit?by=contact:${address}`)).body.items).toEqual([])
  const { body } = await (await site.caller(Object.keys(managementApi.scopes)))(`GET /audit?by=contact:${address}`)
  expect(body.items).toHaveLength(1)
})

it('marks every such member of an answer in the document', () => {
  const found: string[] = []
  const walk = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { properties = {}, ...others } = node as { properties?: Record<string, object> }
    for (const [name, member] of Object.entries(properties)) {
      if ('x-scope' in member) continue
      if (/^(?:name|contacts?|recipient|address|by|externalId|metadata)$/.test(name)) found.push(`${place}.${name}`)
      walk(member, `${place}.${name}`)
    }
    for (const other of Object.values(others)) walk(other, place)
  }
  for (const [path, item] of Object.entries(site.document.paths))
    for (const [method, { responses }] of Object.entries(item)) walk(responses, `${method} ${path}`)
  walk(site.document.components, '')
  expect(found.toSorted()).toEqual([
    // Names of credentials, who has made a change, and from where a request came.
    '.name',
    'get /applications/{id}/refusals.items.address',
    'get /audit.items.by',
  ])
})

/** Other inputs of the same operations. */
const DIFFERENT: Readonly<Record<string, object>> = {
  'applications.rotateKey': { overlap: 0 },
  'applications.rotateSecret': { overlap: 0 },
  'applications.recover': { contact: 'other@shop.example' },
  'signingKeys.rotate': { immediately: false },
  ...Object.fromEntries(
    [
      'applications.create',
      'registration.register',
      'applications.addKey',
      'applications.addSecret',
      'applications.addKeySet',
    ].map((each) => [each, { name: 'Different' }]),
  ),
}

function findAnswer(responses: ManagementSite['document']['paths'][string][string]['responses']) {
  const status = ['201', '204', '200'].find((each) => each in responses)!
  return { status, answer: responses[status]! }
}
