import { describe, expect, it } from 'vitest'
import { ALL_ACCEPTED, describeCredential, expectRefused, onEveryHost } from './operator.js'

onEveryHost((host, { caller, createApplication, listAnswers, listAudit }) => {
  describe('allow() and disallow()', () => {
    it('disallow() ends keys and access tokens at one API only, and allow() revives them', async () => {
      const { id, credentials } = await createApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      const other = await caller.accessToken('invoices', credentials)
      expect(await listAnswers(credentials, accessToken)).toEqual(ALL_ACCEPTED)

      expect((await host.auth.applications.disallow(id, 'orders')).apis).not.toHaveProperty('orders')
      expect(await listAnswers(credentials, accessToken)).toEqual([
        '400 unauthorized_client',
        '401 invalid_token',
        '200',
      ])
      await caller.bearer('/invoices/items', other).expect(200)

      await host.auth.applications.disallow(id, 'catalog')
      expect(await listAnswers(credentials, accessToken)).toEqual([
        '400 unauthorized_client',
        '401 invalid_token',
        '403 access_denied',
      ])
      await caller.key('/weather/now', credentials.clientId).expect(200)

      await host.auth.applications.allow(id, 'orders')
      await host.auth.applications.allow(id, 'catalog')
      expect(await listAnswers(credentials, accessToken)).toEqual(ALL_ACCEPTED)
    })

    it('allow() does not revive access tokens that were revoked meanwhile', async () => {
      const { id, credentials } = await createApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      await host.auth.applications.disallow(id, 'orders')
      await host.auth.applications.revokeTokens(id)
      await host.auth.applications.allow(id, 'orders')
      await caller.bearer('/orders/items', accessToken).expect(401, /no longer valid/)
      await caller.bearer('/orders/items', await caller.accessToken('orders', credentials)).expect(200)
    })

    it('allow() replaces the scopes: a scope that the application has lost is missing from its tokens too', async () => {
      const { id, credentials } = await createApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      await caller.bearer('/orders/changes', accessToken).expect(200)

      const { apis } = await host.auth.applications.allow(id, 'orders', { scopes: ['orders:read'] })
      expect(apis['orders']).toEqual({ scopes: ['orders:read'] })
      const { body } = await caller.bearer('/orders/items', accessToken).expect(200)
      expect(body).toMatchObject({ scopes: ['orders:read'] })
      await caller.bearer('/orders/changes', accessToken).expect(403, /insufficient_scope/)
      await caller.token('orders', credentials, { scope: 'orders:write' }).expect(400, /invalid_scope/)

      await host.auth.applications.allow(id, 'orders')
      await caller.bearer('/orders/changes', accessToken).expect(200)
    })

    it('allow() does not add scopes to access tokens that were issued without them', async () => {
      const { id, credentials } = await createApplication()
      const accessToken = await caller.accessToken('orders', credentials, { scope: 'orders:read' })
      await host.auth.applications.allow(id, 'orders')
      await caller.bearer('/orders/changes', accessToken).expect(403, /insufficient_scope/)
    })

    it('allow() makes no secret: rotateSecret() makes the first one', async () => {
      const { id, credentials } = await createApplication(['catalog'])
      await host.auth.applications.allow(id, 'orders')
      expect((await host.auth.applications.get(id))!.secrets).toEqual([])
      await caller.token('orders', credentials).expect(401, /missing/)
      await caller.token('orders', { ...credentials, clientSecret: 'a guess' }).expect(401, /failed/)

      const rotated = await host.auth.applications.rotateSecret(id)
      expect(rotated.application.secrets).toEqual([
        describeCredential(rotated.credentials.clientSecret, host.clock.now()),
      ])
      const accessToken = await caller.accessToken('orders', { ...credentials, ...rotated.credentials })
      await caller.bearer('/orders/items', accessToken).expect(200)
    })

    it('reject an unknown API with unknown_api and an unknown scope with unknown_scope, by name', async () => {
      const { id } = await createApplication()
      for (const api of ['ordres', 'constructor', '__proto__', 'toString'] as never[]) {
        await expectRefused(host.auth.applications.allow(id, api), 'unknown_api', api)
        await expectRefused(host.auth.applications.disallow(id, api), 'unknown_api', api)
      }
      const scopes = ['orders:read', 'orders:reed']
      await expectRefused(
        host.auth.applications.allow(id, 'orders', { scopes }),
        'unknown_scope',
        /"orders:reed".*orders:read/,
      )
      await expectRefused(host.auth.applications.allow(id, 'catalog', { scopes }), 'unknown_scope', /has none/)
      for (const bad of ['orders:read', null, {}] as never[]) {
        await expectRefused(host.auth.applications.allow(id, 'orders', { scopes: bad }), 'invalid_argument', /scopes/)
      }
      expect(await listAudit(id)).toHaveLength(1)
    })

    it('change only the audit log if the application has that access already', async () => {
      const { id, credentials } = await createApplication(['orders'])
      await host.auth.applications.disallow(id, 'catalog')
      await host.auth.applications.allow(id, 'orders')
      expect((await host.auth.applications.get(id))!.apis).toEqual({
        orders: { scopes: ['orders:read', 'orders:write'] },
      })
      await caller.token('orders', credentials).expect(200)
      expect((await listAudit(id)).slice(1).map(({ details }) => details)).toEqual([
        { disallowed: 'catalog' },
        { allowed: 'orders', scopes: ['orders:read', 'orders:write'] },
      ])
    })
  })
})
