import { describe, expect, it } from 'vitest'
import { ALL_ACCEPTED, ALL_APIS, CALLS, expectRefused, onEveryHost } from './operator.js'

onEveryHost((host, { caller, createApplication, listAnswers, listAudit }) => {
  describe('suspend(), resume() and delete()', () => {
    it('a suspended application is refused by token endpoint and guards, until it is resumed', async () => {
      const { id, credentials } = await createApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      expect(await listAnswers(credentials, accessToken)).toEqual(ALL_ACCEPTED)

      expect(await host.auth.applications.suspend(id)).toMatchObject({ id, status: 'suspended' })
      expect(await listAnswers(credentials, accessToken)).toEqual([
        '401 invalid_client',
        '401 invalid_token',
        '403 access_denied',
      ])

      expect(await host.auth.applications.resume(id)).toMatchObject({ id, status: 'active' })
      expect(await listAnswers(credentials, accessToken)).toEqual(ALL_ACCEPTED)
    })

    it('resume() does not revive access tokens that were revoked meanwhile or have expired', async () => {
      const { id, credentials } = await createApplication()
      const revoked = await caller.accessToken('orders', credentials)
      await host.auth.applications.suspend(id)
      await host.auth.applications.revokeTokens(id)
      await host.auth.applications.resume(id)
      await caller.bearer('/orders/items', revoked).expect(401, /no longer valid/)

      const fresh = await caller.accessToken('orders', credentials)
      await host.auth.applications.suspend(id)
      host.clock.advance(3606)
      await host.auth.applications.resume(id)
      await caller.bearer('/orders/items', fresh).expect(401, /expired/)
    })

    it('delete() erases name, contact and hashes, and keeps id and audit log', async () => {
      const { application, credentials } = await host.auth.applications.create({
        name: 'Very private Ltd.',
        contact: 'private@example.com',
        apis: ALL_APIS,
      })
      const accessToken = await caller.accessToken('orders', credentials)
      expect(await listAnswers(credentials, accessToken)).toEqual(ALL_ACCEPTED)

      const deleted = await host.auth.applications.delete(application.id)
      expect(await listAnswers(credentials, accessToken)).toEqual([
        '401 invalid_client',
        '401 invalid_token',
        '401 invalid_api_key',
      ])
      expect(deleted).toMatchObject({
        id: application.id,
        status: 'deleted',
        name: '',
        contact: undefined,
        keys: [],
        secrets: [],
      })
      expect(await host.auth.applications.get(application.id)).toEqual(deleted)
      const records = await listAudit(application.id)
      expect(records.map(({ type }) => type)).toEqual(['application.registered', 'application.deleted'])
      expect(JSON.stringify(records)).not.toMatch(/private/i)
    })

    it('delete() works for a suspended application', async () => {
      const { id, credentials } = await createApplication()
      await host.auth.applications.suspend(id)
      expect(await host.auth.applications.delete(id)).toMatchObject({ status: 'deleted' })
      await caller.key('/catalog/items', credentials.clientId).expect(401, /invalid_api_key/)
    })

    it.each(IMPOSSIBLE_CALLS)(
      '%s() of an application that is %s rejects with invalid_state and changes nothing',
      async (call, status) => {
        const { id } = await createApplication()
        if (status !== 'active') await host.auth.applications[status === 'deleted' ? 'delete' : 'suspend'](id)
        const before = [await host.auth.applications.get(id), await listAudit(id)]
        await expectRefused(CALLS[call]!(host, id), 'invalid_state', new RegExp(`${id} is ${status}: ${call}\\(`))
        expect([await host.auth.applications.get(id), await listAudit(id)]).toEqual(before)
      },
    )

    it('deny() rejects for an application that is not pending', async () => {
      const { id } = await createApplication()
      for (const status of ['active', 'suspended', 'deleted'] as const) {
        if (status !== 'active') await host.auth.applications[status === 'deleted' ? 'delete' : 'suspend'](id)
        await expectRefused(host.auth.applications.deny(id), 'invalid_state', `${id} is ${status}: deny(`)
        expect(await host.auth.applications.get(id)).toMatchObject({ status })
      }
    })

    it.each(ALLOWED_WHILE_SUSPENDED)('%s() works for a suspended application, which stays suspended', async (call) => {
      const { id } = await createApplication()
      await host.auth.applications.suspend(id)
      await CALLS[call]!(host, id)
      expect(await host.auth.applications.get(id)).toMatchObject({ status: 'suspended' })
    })
  })

  describe('revokeTokens()', () => {
    it('ends every access token issued before it, of every API, also in the same millisecond', async () => {
      const { id, credentials } = await createApplication()
      const tokens = [await caller.accessToken('orders', credentials), await caller.accessToken('orders', credentials)]
      const invoices = await caller.accessToken('invoices', credentials)
      for (const accessToken of tokens) await caller.bearer('/orders/items', accessToken).expect(200)
      // The clock stands still: tokens and revocation have the same instant.
      await host.auth.applications.revokeTokens(id)
      for (const accessToken of tokens) await caller.bearer('/orders/items', accessToken).expect(401, /no longer valid/)
      await caller.bearer('/invoices/items', invoices).expect(401, /no longer valid/)
      await caller.key('/catalog/items', credentials.clientId).expect(200)
    })

    it("does not end other applications' access tokens", async () => {
      const [revoked, other] = [await createApplication(), await createApplication()]
      const accessToken = await caller.accessToken('orders', other.credentials)
      await host.auth.applications.revokeTokens(revoked.id)
      await caller.bearer('/orders/items', accessToken).expect(200)
    })
  })
})

const IMPOSSIBLE_CALLS = [
  ['suspend', 'suspended'],
  ['resume', 'active'],
  ...Object.keys(CALLS).map((call) => [call, 'deleted'] as const),
] as const
const ALLOWED_WHILE_SUSPENDED = Object.keys(CALLS).filter((call) => !['suspend', 'resume', 'delete'].includes(call))
