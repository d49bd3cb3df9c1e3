import { describe, expect, it, onTestFinished } from 'vitest'
import type { PlatformParts } from '../../../src/core/platform/core-auth.js'
import { PLATFORM_PARTS } from '../../../src/shared/contracts/platform-parts.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { basic } from '../../support/http.js'
import { openPlatform, STORES, type TestOptions } from '../../support/platform.js'

const partsOf = (auth: object): PlatformParts => (auth as { [PLATFORM_PARTS]: PlatformParts })[PLATFORM_PARTS]

async function open(openStore: (typeof STORES)[keyof typeof STORES] = STORES.memory, options: TestOptions = {}) {
  const { store, remove } = await openStore()
  const mailer = memoryMailer()
  const { auth, clock } = openPlatform({ store, mailer, developersUrl: 'https://example.com/developers', ...options })
  onTestFinished(async () => {
    await auth.close()
    await remove()
  })
  await auth.ready()
  return { auth, store, mailer, clock, applications: auth.applications }
}

describe.each(Object.entries(STORES))('resourceServer, on %s', (_, openStore) => {
  it('is set by create(), which gives a secret whatever APIs it may use, replaced and removed by update()', async () => {
    const { auth, applications } = await open(openStore)
    const { application, credentials } = await applications.create({
      name: 'Backend',
      resourceServer: ['catalog', 'orders', 'catalog'],
      by: 'alice',
    })
    const { id } = application
    expect(application).toMatchObject({ apis: {}, resourceServer: ['catalog', 'orders'] })
    expect(credentials.clientSecret).toMatch(/_sec_/)
    expect(await applications.get(id)).toEqual(application)
    const read = async () => (await applications.get(id))!.resourceServer
    await applications.update(id, { name: 'Other' })
    expect(await read()).toEqual(['catalog', 'orders'])
    await applications.update(id, { resourceServer: ['weather'], by: 'alice' })
    expect(await read()).toEqual(['weather'])
    await applications.update(id, { resourceServer: null, by: 'alice' })
    expect(await read()).toBeUndefined()
    const { items } = await auth.audit.list({ applicationId: id })
    expect(items.map(({ details }) => details['resourceServer'])).toEqual([
      ['catalog', 'orders'],
      undefined,
      ['weather'],
      null,
    ])
    await applications.update(id, { resourceServer: ['weather'] })
    await applications.delete(id)
    expect(await read()).toBeUndefined()
  })
})

describe('resourceServer', () => {
  it('names APIs that exist, one at least', async () => {
    const { applications } = await open()
    const { id } = (await applications.create({ name: 'Backend', resourceServer: ['orders'] })).application
    const wrong: readonly (readonly [unknown, string])[] = [
      [['oders'], 'unknown_api'],
      [['constructor'], 'unknown_api'],
      [['__proto__'], 'unknown_api'],
      [['*'], 'unknown_api'],
      [[], 'invalid_argument'],
      ['orders', 'invalid_argument'],
      [[['orders']], 'invalid_argument'],
      [{ orders: {} }, 'invalid_argument'],
      [true, 'invalid_argument'],
      [new Set(['orders']), 'invalid_argument'],
    ]
    for (const [resourceServer, code] of wrong) {
      const given = { resourceServer: resourceServer as ['orders'] }
      await expect(applications.create({ name: 'Backend', apis: ['orders'], ...given })).rejects.toMatchObject({ code })
      await expect(applications.update(id, given)).rejects.toMatchObject({ code })
    }
    await expect(applications.create({ name: 'Nobody' })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(applications.create({ name: 'Nobody', apis: [] })).rejects.toMatchObject({ code: 'invalid_argument' })
    expect((await applications.get(id))!.resourceServer).toEqual(['orders'])
  })

  it('needs a secret, and delivers one after recover() and a rotation', async () => {
    const { applications, mailer, clock } = await open()
    const { id } = (await applications.create({ name: 'Reader', apis: ['catalog'] })).application
    const make = () => applications.update(id, { resourceServer: ['catalog'] })
    await expect(make()).rejects.toMatchObject({ code: 'invalid_state' })
    const { credential } = await applications.addSecret(id, {
      name: 'backend',
      expiresAt: new Date(clock.now() + 1000),
    })
    expect(await make()).toMatchObject({ resourceServer: ['catalog'], secrets: [{ id: credential.id }] })
    clock.advance(2)
    await expect(make()).rejects.toMatchObject({ code: 'invalid_state' })
    const recovered = await applications.recover(id, { contact: 'dev@example.com' })
    expect(recovered.credentials?.clientSecret).toMatch(/_sec_/)
    expect(recovered.application.resourceServer).toEqual(['catalog'])
    await applications.recover(id, { contact: 'dev@example.com', deliver: 'email' })
    await expect.poll(() => mailer.emails.at(-1)?.text).toMatch(/_sec_/)
    await expect.poll(async () => (await applications.get(id))!.secrets.length).toBe(1)
  })

  it('is neither given nor taken away by contacts, and not by a store without the options', async () => {
    const { applications, auth, store } = await open()
    const contact = 'dev@example.com'
    const by = `contact:${contact}`
    const created = { contact, apis: ['orders'] as const }
    const plain = (await applications.create({ name: 'Shop', ...created })).application
    const service = (await applications.create({ name: 'Backend', ...created, resourceServer: ['orders'] })).application
    for (const [{ id }, resourceServer] of [
      [plain, ['orders']],
      [service, null],
      [service, ['orders', 'catalog']],
    ] as const) {
      const changed = applications.update(id, { resourceServer, by })
      await expect(changed).rejects.toMatchObject({ code: 'invalid_state' })
    }
    // What contacts may do leaves it.
    await applications.rotateSecret(service.id, { by })
    await auth.registration.requestAccess(service.id, { api: 'catalog', by })
    await applications.addContact(service.id, 'second@example.com', { by })
    expect((await applications.get(service.id))!.resourceServer).toEqual(['orders'])
    const registration = { name: 'Shop', contact, apis: ['orders'], resourceServer: ['orders'] }
    await expect(auth.registration.register(registration as never)).rejects.toMatchObject({ code: 'invalid_argument' })

    const admin = await openAdmin(store)
    const given = admin.applications.update(plain.id, { resourceServer: ['orders'] })
    await expect(given).rejects.toMatchObject({ code: 'unknown_api' })
    expect((await admin.applications.update(service.id, { resourceServer: null })).resourceServer).toBeUndefined()
  })
})

describe('A resource server authenticates', () => {
  const request = (id: string, secret: string, ip = '192.0.2.1') =>
    ({ headers: { authorization: basic(id, secret) }, rawHeaders: [], ip, method: 'POST', url: '/' }) as never

  it('with its secret, for the APIs that it names, as far as they exist and the secret may be used there', async () => {
    const { auth, applications } = await open()
    const { authenticateResourceServer } = partsOf(auth)
    const apisOf = async (id: string, secret: string) =>
      (await authenticateResourceServer(request(id, secret), new Map())).apis.map(({ name }) => name)
    const { application, credentials } = await applications.create({
      name: 'Backend',
      apis: ['orders'],
      resourceServer: ['catalog', 'orders'],
    })
    expect(await apisOf(application.id, credentials.clientSecret!)).toEqual(['orders', 'catalog'])
    expect(await apisOf(credentials.clientId, credentials.clientSecret!)).toEqual(['orders', 'catalog'])
    const restricted = await applications.addSecret(application.id, { name: 'orders', apis: ['orders'] })
    expect(await apisOf(application.id, restricted.credentials.clientSecret)).toEqual(['orders'])
  })

  it('with no secret for an API whose clients prove private keys', async () => {
    const { auth, applications } = await open(STORES.memory, {
      apis: { pay: { scheme: 'oauth2', clientAuthentication: ['private_key_jwt'] }, orders: { scheme: 'oauth2' } },
    } as TestOptions)
    const { application, credentials } = await applications.create({
      name: 'Backend',
      resourceServer: ['pay', 'orders'] as never,
    })
    const { apis } = await partsOf(auth).authenticateResourceServer(
      request(application.id, credentials.clientSecret!),
      new Map(),
    )
    expect(apis.map(({ name }) => name)).toEqual(['orders'])
  })

  it('and every other application, also a suspended one, is answered as an unknown client', async () => {
    const { auth, applications } = await open()
    const { authenticateResourceServer } = partsOf(auth)
    const ask = async (id: string, secret: string, ip?: string) =>
      authenticateResourceServer(request(id, secret, ip), new Map()).then(
        () => 'passed',
        (error: { status: number; error: string; description: string; headers: object }) => {
          const { status, error: code, description, headers } = error
          return { status, code, description, headers }
        },
      )
    const service = await applications.create({ name: 'Backend', resourceServer: ['catalog'] })
    const plain = await applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
    const { id } = service.application
    const secret = service.credentials.clientSecret!
    const unknown = await ask('app_0123456789abcdef0123456789abcdef', secret)
    expect(unknown).toMatchObject({ status: 401, code: 'invalid_client' })
    expect(await ask(plain.application.id, plain.credentials.clientSecret!)).toEqual(unknown)
    expect(await ask(id, `${secret}x`)).toEqual(unknown)
    expect(await ask(id, secret)).toBe('passed')
    await applications.update(id, { networks: ['198.51.100.0/24'] })
    expect(await ask(id, secret)).toMatchObject({ status: 403, code: 'network_not_allowed' })
    expect(await ask(id, secret, '198.51.100.7')).toBe('passed')
    await applications.suspend(id)
    expect(await ask(id, secret, '198.51.100.7')).toEqual(unknown)
    await applications.resume(id)
    await applications.update(id, { resourceServer: null })
    expect(await ask(id, secret, '198.51.100.7')).toEqual(unknown)
  })
})
