import { describe, expect, it } from 'vitest'
import type { Application } from '../../../src/index.js'
import { AUDIT_TYPES, CALLS, expectRefused, onEveryHost, UNKNOWN_ID } from './operator.js'
import { expectNoCredentials } from './applicant.js'

onEveryHost((host, { caller, createApplication, listAudit }) => {
  describe('get() and update()', () => {
    it('get() resolves undefined for an unknown id', async () => {
      for (const id of [UNKNOWN_ID, '', 'constructor', '__proto__', `' OR 1 = 1 --`, 'app_%']) {
        expect(await host.auth.applications.get(id)).toBeUndefined()
      }
    })

    it('update() changes only what is named, for the next request', async () => {
      const { id, credentials } = await createApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      await caller.bearer('/orders/items', accessToken).expect(200)
      host.clock.advance(1)
      const before = await host.auth.applications.get(id)

      expect(await host.auth.applications.update(id, { name: 'New name' })).toEqual({ ...before, name: 'New name' })
      const { body } = await caller.bearer('/orders/items', accessToken).expect(200)
      expect(body).toMatchObject({ application: { id, name: 'New name' } })
      const changed = await host.auth.applications.update(id, { contact: 'new@example.com' })
      const contact = 'new@example.com'
      expect(changed).toEqual({ ...before, name: 'New name', contact, contacts: [contact] })
      expect(await host.auth.applications.get(id)).toEqual(changed)
    })

    it('update() rejects what create() rejects, and changes nothing', async () => {
      const { id } = await createApplication()
      await expectRefused(host.auth.applications.update(id, { name: '' }), 'invalid_argument', /^name /)
      await expectRefused(host.auth.applications.update(id, { contact: 'a@b, c@d' }), 'invalid_argument', /^contact /)
      await expectRefused(host.auth.applications.update(id, { name: 'Good', contact: '' }), 'invalid_argument')
      expect(await host.auth.applications.get(id)).toMatchObject({ name: 'Shop', contact: undefined })
      expect(await listAudit(id)).toHaveLength(1)
    })

    it('get() shows instants as Dates, and neither hashes nor credentials', async () => {
      const { id, credentials } = await createApplication()
      const application = (await host.auth.applications.get(id))!
      expect(application.createdAt).toBeInstanceOf(Date)
      expect(application.keys[0]!.createdAt).toBeInstanceOf(Date)
      const members = ['apis', 'createdAt', 'expiresAt', 'id', 'lastUsedAt', 'name', 'networks', 'prefix']
      expect(Object.keys(application.keys[0]!).toSorted()).toEqual(members)
      expect(JSON.stringify(application)).not.toContain('hash')
      expectNoCredentials(credentials, application)
    })

    it('get() resolves a copy: changing it changes nothing else', async () => {
      const { id, credentials } = await createApplication()
      const first = (await host.auth.applications.get(id))! as { apis: Record<string, unknown> } & Application
      delete first.apis['orders']
      ;(first.apis['catalog'] as { scopes: string[] }).scopes.push('everything')
      expect((await host.auth.applications.get(id))!.apis).toEqual({
        orders: { scopes: ['orders:read', 'orders:write'] },
        invoices: { scopes: [] },
        catalog: { scopes: [] },
        weather: { scopes: [] },
      })
      await caller.token('orders', credentials).expect(200)
    })
  })

  describe('list()', () => {
    it('lists all applications except deleted ones, page by page, oldest first', async () => {
      const ids: string[] = []
      for (let i = 0; i < 7; i++) ids.push((await createApplication()).id)
      await host.auth.applications.delete(ids[2]!)
      await host.auth.applications.suspend(ids[3]!)
      const listed: string[] = []
      let pages = 0
      let after: string | undefined
      do {
        const page = await host.auth.applications.list({ limit: 2, ...(after !== undefined && { after }) })
        expect(page.items.length).toBeLessThanOrEqual(2)
        listed.push(...page.items.map(({ id }) => id))
        pages += 1
        after = page.next
        if (after !== undefined) expect(after).toBe(listed.at(-1))
      } while (after !== undefined)
      expect(pages).toBe(Math.ceil(listed.length / 2))
      expect(listed.slice(-6)).toEqual(ids.toSpliced(2, 1))
      expect(new Set(listed).size).toBe(listed.length)
    })

    it('has no next page if the last page is exactly full', async () => {
      const [first, second] = [await createApplication(), await createApplication()]
      const page = await host.auth.applications.list({ after: first.id, limit: 1 })
      expect(page.items.map(({ id }) => id)).toEqual([second.id])
      expect(page).not.toHaveProperty('next')
      expect(await host.auth.applications.list({ after: second.id })).toEqual({ items: [] })
    })

    it('shows what get() shows', async () => {
      const before = await createApplication()
      const { id } = await createApplication()
      const { items: applications } = await host.auth.applications.list({ after: before.id })
      expect(applications).toEqual([await host.auth.applications.get(id)])
    })

    it('filters by API and by status', async () => {
      const start = (await createApplication()).id
      const catalog = (await createApplication(['catalog'])).id
      const orders = (await createApplication(['orders'])).id
      const suspended = (await createApplication(['orders', 'catalog'])).id
      const deleted = (await createApplication()).id
      await host.auth.applications.suspend(suspended)
      await host.auth.applications.delete(deleted)
      const list = async (query: Parameters<typeof host.auth.applications.list>[0]) => {
        const { items: applications } = await host.auth.applications.list({ after: start, ...query })
        return applications.map(({ id }) => id)
      }
      expect(await list({})).toEqual([catalog, orders, suspended])
      expect(await list({ api: 'catalog' })).toEqual([catalog, suspended])
      expect(await list({ api: 'orders' })).toEqual([orders, suspended])
      expect(await list({ status: 'active' })).toEqual([catalog, orders])
      expect(await list({ status: 'suspended' })).toEqual([suspended])
      expect(await list({ status: 'deleted' })).toEqual([deleted])
      expect(await list({ status: 'pending' })).toEqual([])
      expect(await list({ api: 'orders', status: 'suspended' })).toEqual([suspended])
      expect(await list({ api: 'invoices', status: 'suspended' })).toEqual([])
    })

    it('is empty after an unknown id', async () => {
      await createApplication()
      expect(await host.auth.applications.list({ after: UNKNOWN_ID })).toEqual({ items: [] })
    })

    it.each([0, -1, 1001, 1.5, NaN, '10', null])('rejects the limit %j', async (limit) => {
      await expectRefused(host.auth.applications.list({ limit: limit as number }), 'invalid_argument', /^limit /)
    })

    it.each(['gone', 'Active', '', null])('rejects the status %j', async (status) => {
      await expectRefused(
        host.auth.applications.list({ status: status as 'active' }),
        'invalid_argument',
        /pending, active/,
      )
    })
  })

  describe('every call that changes an application', () => {
    it.each(Object.keys(CALLS))('%s() rejects for an unknown id with application_not_found', async (call) => {
      for (const id of [UNKNOWN_ID, 'constructor', '']) {
        await expectRefused(CALLS[call]!(host, id), 'application_not_found', id)
      }
    })

    it.each(Object.entries(CALLS))(
      '%s() resolves the application, and leaves an audit record with its actor',
      async (call, change) => {
        const { id, credentials } = await createApplication()
        if (call === 'resume') await host.auth.applications.suspend(id)
        host.clock.advance(1)
        const result = await change(host, id, { by: 'ann, ticket 7' })
        const application = 'application' in result ? result.application : result
        expect(application).toEqual(await host.auth.applications.get(id))

        const records = await listAudit(id)
        expect(records.at(-1)).toMatchObject({
          id: expect.any(String),
          at: new Date(host.clock.now()),
          type: AUDIT_TYPES[call],
          by: 'ann, ticket 7',
          applicationId: id,
        })
        expectNoCredentials({ ...credentials, ...('credentials' in result ? result.credentials : {}) }, records)
      },
    )
  })

  it('does not reuse the id of a deleted application', async () => {
    const ids = new Set<string>()
    for (let i = 0; i < 30; i++) {
      const { id } = await createApplication(['catalog'])
      ids.add(id)
      await host.auth.applications.delete(id)
    }
    expect(ids.size).toBe(30)
  })

  describe('concurrent calls', () => {
    it('of 50 changes to one application none undoes another', async () => {
      const { id } = await createApplication()
      const ten = Array.from({ length: 10 }, (_, index) => index)
      const { applications } = host.auth
      const changes = [
        ...ten.map((i) => applications.update(id, { name: `name ${i}`, by: `name ${i}` })),
        ...ten.map((i) => applications.update(id, { contact: `c${i}@example.com`, by: `contact ${i}` })),
        ...ten.map((i) =>
          applications.allow(id, 'orders', { scopes: i % 2 ? ['orders:read'] : [], by: `scopes ${i}` }),
        ),
        ...ten.map((i) => applications.rotateSecret(id, { by: `secret ${i}` })),
        ...ten.map((i) => applications.revokeTokens(id, { by: `revoke ${i}` })),
      ]
      const settled = await Promise.allSettled(changes)
      const refused = settled.filter(({ status }) => status === 'rejected')
      for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: 'conflict' })
      expect(settled.length - refused.length).toBeGreaterThan(0)

      const records = (await listAudit(id)).slice(1)
      expect(records).toHaveLength(settled.length - refused.length)
      const last = (what: string) => records.findLast(({ by }) => by?.startsWith(what))
      const application = (await applications.get(id))!
      expect(application.name).toBe(last('name')?.by)
      expect(application.contact).toBe(`c${last('contact')?.by?.slice('contact '.length)}@example.com`)
      expect(application.apis['orders']).toEqual({ scopes: last('scopes')?.details['scopes'] })
      const rotations = records.filter(({ type }) => type === 'application.credentialRotated').toReversed()
      expect(application.secrets.map(({ prefix }) => prefix)).toEqual(
        rotations.slice(0, 2).map(({ details }) => details['prefix']),
      )
    })

    it('of two suspensions one succeeds and the other rejects with invalid_state', async () => {
      const { id } = await createApplication()
      const settled = await Promise.allSettled([host.auth.applications.suspend(id), host.auth.applications.suspend(id)])
      expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'invalid_state' } })
    })
  })
})
