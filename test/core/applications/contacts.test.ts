import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform, usePlatform } from '../../support/platform.js'
import { expectRefused, onEveryHost, UNKNOWN_ID } from './operator.js'

const BY = { by: 'alice' }

onEveryHost((host, { listAudit }) => {
  async function create(...contacts: readonly string[]): Promise<string> {
    const [contact] = contacts
    const { application } = await host.auth.applications.create({
      name: 'Shop',
      apis: ['catalog'],
      ...(contact && { contact }),
    })
    for (const each of contacts.slice(1)) await host.auth.applications.addContact(application.id, each, BY)
    return application.id
  }

  async function readContacts(id: string): Promise<readonly string[] | undefined> {
    return (await host.auth.applications.get(id))?.contacts
  }

  describe('contacts', () => {
    it('are added after the first, and listed by any of them', async () => {
      const id = await create('Ann@one.example', 'bob@one.example')
      expect(await host.auth.applications.get(id)).toMatchObject({
        contact: 'Ann@one.example',
        contacts: ['Ann@one.example', 'bob@one.example'],
      })
      const { items } = await host.auth.applications.list({ contact: 'BOB@one.example' })
      expect(items.map((each) => each.id)).toEqual([id])
      expect((await host.auth.applications.list({ contact: 'ann@one.example', status: 'suspended' })).items).toEqual([])
      const [, added] = await listAudit(id)
      expect(added).toMatchObject({ type: 'application.contactAdded', by: 'alice', details: { contacts: 2 } })
    })

    it('begin with the first one that is added to an application without any', async () => {
      const id = await create()
      expect(await readContacts(id)).toEqual([])
      expect(await host.auth.applications.addContact(id, 'first@two.example')).toMatchObject({
        contact: 'first@two.example',
      })
    })

    it('are at most ten, and each address is one of them once', async () => {
      const id = await create(...Array.from({ length: 10 }, (_, i) => `dev${i}@three.example`))
      await expectRefused(host.auth.applications.addContact(id, 'DEV3@three.example'), 'conflict')
      await expectRefused(host.auth.applications.addContact(id, 'eleventh@three.example'), 'too_many_contacts')
      await expectRefused(host.auth.applications.addContact(id, 'not an address'), 'invalid_argument')
      await expectRefused(host.auth.applications.addContact(UNKNOWN_ID, 'a@three.example'), 'application_not_found')
      expect(await readContacts(id)).toHaveLength(10)
    })

    it('are removed down to one, and the next becomes the first', async () => {
      const id = await create('a@four.example', 'b@four.example', 'c@four.example')
      await host.auth.applications.removeContact(id, 'B@four.example', BY)
      expect(await readContacts(id)).toEqual(['a@four.example', 'c@four.example'])
      expect(await host.auth.applications.removeContact(id, 'a@four.example')).toMatchObject({
        contact: 'c@four.example',
      })
      await expectRefused(host.auth.applications.removeContact(id, 'c@four.example'), 'invalid_state', /only contact/)
      await expectRefused(
        host.auth.applications.removeContact(id, 'b@four.example'),
        'invalid_state',
        /is not a contact/,
      )
      expect((await host.auth.applications.list({ contact: 'a@four.example' })).items).toEqual([])
    })

    it('stay when update() replaces the first, which may be one of the others', async () => {
      const id = await create('a@five.example', 'b@five.example', 'c@five.example')
      await host.auth.applications.update(id, { contact: 'C@five.example' })
      expect(await readContacts(id)).toEqual(['C@five.example', 'b@five.example'])
    })

    it('are changed by one of two that remove each other at the same time', async () => {
      const id = await create('a@six.example', 'b@six.example')
      const removals = ['a@six.example', 'b@six.example'].map((each) => host.auth.applications.removeContact(id, each))
      const outcomes = (await Promise.allSettled(removals)).map(({ status }) => status)
      expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await readContacts(id)).toHaveLength(1)
    })

    it('are erased with their application, and not named in the audit log', async () => {
      const id = await create('a@seven.example', 'b@seven.example')
      await host.auth.applications.delete(id)
      expect(await host.auth.applications.get(id)).toMatchObject({ contacts: [], contact: undefined })
      expect((await host.auth.applications.list({ contact: 'b@seven.example', status: 'deleted' })).items).toEqual([])
      expect(JSON.stringify(await listAudit(id))).not.toContain('seven.example')
      await expectRefused(host.auth.applications.addContact(id, 'c@seven.example'), 'invalid_state')
    })
  })

  describe('language', () => {
    it('is one of four, can be changed, and is English if it is left out', async () => {
      const { application } = await host.auth.applications.create({ name: 'Shop', apis: ['catalog'], language: 'fr' })
      expect(application.language).toBe('fr')
      expect(await host.auth.applications.update(application.id, { language: 'de' })).toMatchObject({ language: 'de' })
      await expectRefused(host.auth.applications.update(application.id, { language: 'xx' as 'de' }), 'invalid_argument')
      expect((await host.auth.applications.get(await create()))?.language).toBeUndefined()
    })
  })
})

describe('requestAccess()', () => {
  const apis = {
    orders: {
      scheme: 'oauth2',
      scopes: { 'orders:read': 'Read', 'orders:write': 'Write', 'orders:admin': 'All' },
      registration: 'automatic',
      registrationScopes: ['orders:read', 'orders:write'],
    },
    catalog: { scheme: 'apiKey' },
    weather: { scheme: 'apiKey', registration: 'manual' },
    payroll: { scheme: 'apiKey', registration: 'closed' },
  } as const

  async function open() {
    const { auth } = openPlatform({ apis, mailer: memoryMailer(), developersUrl: 'https://example.com/developers' })
    const { application } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    return { auth, id: application.id }
  }

  it('grants an open API at once, with registrationScopes at most, and adds to what the application has', async () => {
    const { auth, id } = await open()
    const first = await auth.registration.requestAccess(id, {
      api: 'orders',
      scopes: ['orders:write'],
      by: 'contact:a@b.example',
    })
    expect(first.apis).toEqual({ catalog: { scopes: [] }, orders: { scopes: ['orders:write'] } })
    const all = await auth.registration.requestAccess(id, { api: 'orders' })
    expect(all.apis['orders']).toEqual({ scopes: ['orders:write', 'orders:read'] })
    await expectRefused(
      auth.registration.requestAccess(id, { api: 'orders', scopes: ['orders:admin'] }),
      'unknown_scope',
    )
    await auth.applications.allow(id, 'orders')
    expect((await auth.registration.requestAccess(id, { api: 'orders' })).apis['orders']?.scopes).toContain(
      'orders:admin',
    )
    const types = (await auth.audit.list({ applicationId: id })).items.map(({ type }) => type)
    expect(types.filter((type) => type === 'application.accessChanged')).toHaveLength(3)
    await auth.close()
  })

  it('stores a request for a manual API once, until it is decided, and refuses a closed one', async () => {
    const { auth, id } = await open()
    for (const by of ['contact:a@b.example', 'contact:c@b.example']) {
      const { apis: granted, accessRequests } = await auth.registration.requestAccess(id, { api: 'weather', by })
      expect(granted).toEqual({ catalog: { scopes: [] } })
      expect(accessRequests).toEqual([
        { api: 'weather', scopes: [], requestedAt: expect.any(Date), by: 'contact:a@b.example' },
      ])
    }
    const allowed = await auth.applications.allow(id, 'weather')
    expect(allowed.accessRequests).toEqual([])
    expect((await auth.registration.requestAccess(id, { api: 'weather' })).accessRequests).toEqual([])
    await expectRefused(auth.registration.requestAccess(id, { api: 'payroll' }), 'api_closed')
    await auth.applications.suspend(id)
    await expectRefused(auth.registration.requestAccess(id, { api: 'orders' }), 'invalid_state')
    await auth.close()
  })

  it('gives back what an operator took away only by an operator, at an automatic API too', async () => {
    const { auth, id } = await open()
    const { applications } = auth
    const by = 'contact:a@b.example'
    const ask = async (api: 'orders' | 'catalog', scopes?: readonly string[]) => {
      const { apis: granted, accessRequests } = await auth.registration.requestAccess(id, {
        api,
        by,
        ...(scopes && { scopes }),
      })
      return { granted: granted[api]?.scopes, waits: accessRequests.map((each) => each.api) }
    }
    await applications.disallow(id, 'catalog', { by: 'alice' })
    expect(await ask('catalog')).toEqual({ granted: undefined, waits: ['catalog'] })
    await applications.deny(id, { api: 'catalog' })
    expect(await ask('catalog')).toEqual({ granted: undefined, waits: ['catalog'] })
    await applications.approve(id, { api: 'catalog' })

    await applications.allow(id, 'orders', { scopes: ['orders:read', 'orders:admin'] })
    // Never had: still granted at once.
    expect(await ask('orders', ['orders:write'])).toMatchObject({ waits: [] })
    await applications.allow(id, 'orders', { scopes: ['orders:read'] })
    expect(await ask('orders', ['orders:write'])).toEqual({ granted: ['orders:read'], waits: ['orders'] })
    await applications.disallow(id, 'orders')
    await applications.deny(id, { api: 'orders' })
    // Another scope of an API that was taken away whole.
    expect(await ask('orders', ['orders:read'])).toEqual({ granted: undefined, waits: ['orders'] })
    await applications.approve(id, { api: 'orders' })
    expect(await ask('orders', ['orders:write'])).toEqual({ granted: ['orders:read'], waits: ['orders'] })
    await applications.allow(id, 'orders', { scopes: ['orders:read', 'orders:write', 'orders:admin'] })
    await applications.suspend(id)
    await applications.resume(id)
    expect(await ask('orders')).toMatchObject({ waits: [] })
    const types = (await auth.audit.list({ applicationId: id })).items.map(({ type }) => type)
    expect(types.filter((type) => type === 'application.accessRequested')).toHaveLength(5)
    await auth.close()
  })

  it('withholds what was taken away by a process without the options, and after recover()', async () => {
    const store = memoryStore()
    const { auth } = usePlatform({
      apis,
      store,
      mailer: memoryMailer(),
      developersUrl: 'https://example.com/developers',
    })
    const { id } = (await auth.applications.create({ name: 'Shop', apis: ['catalog'] })).application
    const admin = await openAdmin(store)
    await admin.applications.disallow(id, 'catalog')
    await auth.applications.recover(id, { contact: 'new@b.example' })
    const { apis: granted, accessRequests } = await auth.registration.requestAccess(id, { api: 'catalog' })
    expect(granted).toEqual({})
    expect(accessRequests).toHaveLength(1)
  })
})
