import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authOf } from '../../src/index.js'
import type { ApplicationRecord, Store } from '../../src/contracts/store.js'
import { callerOf } from '../support/caller.js'
import { EXPRESSES, platform, STORES, type Host } from '../support/platform.js'
import { ALL, CALLS, expectRefused, infoOf, onEveryOperator, OPEN } from './operator.js'

onEveryOperator((host, { caller, anApplication, doors, auditOf }) => {
  describe('suspend(), resume() and delete()', () => {
    it('close every door to a suspended application, and open them again', async () => {
      const { id, credentials } = await anApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      expect(await doors(credentials, accessToken)).toEqual(OPEN)

      expect(await host.auth.applications.suspend(id)).toMatchObject({ id, status: 'suspended' })
      expect(await doors(credentials, accessToken)).toEqual([
        '401 invalid_client',
        '401 invalid_token',
        '403 access_denied',
      ])

      expect(await host.auth.applications.resume(id)).toMatchObject({ id, status: 'active' })
      expect(await doors(credentials, accessToken)).toEqual(OPEN)
    })

    it('do not revive by resume() what was revoked meanwhile, nor what has expired', async () => {
      const { id, credentials } = await anApplication()
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

    it('erase at deletion name, contact and hashes, and keep id and audit', async () => {
      const { application, credentials } = await host.auth.applications.create({
        name: 'Very private Ltd.',
        contact: 'private@example.com',
        apis: ALL,
      })
      const accessToken = await caller.accessToken('orders', credentials)
      expect(await doors(credentials, accessToken)).toEqual(OPEN)

      const deleted = await host.auth.applications.delete(application.id)
      expect(await doors(credentials, accessToken)).toEqual([
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
      const records = await auditOf(application.id)
      expect(records.map(({ type }) => type)).toEqual(['application.registered', 'application.deleted'])
      expect(JSON.stringify(records)).not.toMatch(/private/i)
    })

    it('delete a suspended application too', async () => {
      const { id, credentials } = await anApplication()
      await host.auth.applications.suspend(id)
      expect(await host.auth.applications.delete(id)).toMatchObject({ status: 'deleted' })
      await caller.key('/catalog/items', credentials.clientId).expect(401, /invalid_api_key/)
    })

    it.each(REFUSED_MOVES)('refuse %s of one that is %s, by name, and change nothing', async (call, status) => {
      const { id } = await anApplication()
      if (status !== 'active') await host.auth.applications[status === 'deleted' ? 'delete' : 'suspend'](id)
      const before = [await host.auth.applications.get(id), await auditOf(id)]
      await expectRefused(CALLS[call]!(host, id), 'invalid_state', new RegExp(`${id} is ${status}: ${call} `))
      expect([await host.auth.applications.get(id), await auditOf(id)]).toEqual(before)
    })

    it.each(ALLOWED_WHILE_SUSPENDED)('let %s be done to one that is suspended, and keep it so', async (call) => {
      const { id } = await anApplication()
      await host.auth.applications.suspend(id)
      await CALLS[call]!(host, id)
      expect(await host.auth.applications.get(id)).toMatchObject({ status: 'suspended' })
    })
  })

  describe('allow() and disallow()', () => {
    it('close and open one API and no other, access tokens with it', async () => {
      const { id, credentials } = await anApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      const other = await caller.accessToken('invoices', credentials)
      expect(await doors(credentials, accessToken)).toEqual(OPEN)

      expect((await host.auth.applications.disallow(id, 'orders')).apis).not.toHaveProperty('orders')
      expect(await doors(credentials, accessToken)).toEqual(['400 unauthorized_client', '401 invalid_token', '200'])
      await caller.bearer('/invoices/items', other).expect(200)

      await host.auth.applications.disallow(id, 'catalog')
      expect(await doors(credentials, accessToken)).toEqual([
        '400 unauthorized_client',
        '401 invalid_token',
        '403 access_denied',
      ])
      await caller.key('/weather/now', credentials.clientId).expect(200)

      await host.auth.applications.allow(id, 'orders')
      await host.auth.applications.allow(id, 'catalog')
      expect(await doors(credentials, accessToken)).toEqual(OPEN)
    })

    it('do not revive what was revoked meanwhile', async () => {
      const { id, credentials } = await anApplication()
      const accessToken = await caller.accessToken('orders', credentials)
      await host.auth.applications.disallow(id, 'orders')
      await host.auth.applications.revokeTokens(id)
      await host.auth.applications.allow(id, 'orders')
      await caller.bearer('/orders/items', accessToken).expect(401, /no longer valid/)
      await caller.bearer('/orders/items', await caller.accessToken('orders', credentials)).expect(200)
    })

    it('replace the scopes: what a token has and the application has no more counts no more', async () => {
      const { id, credentials } = await anApplication()
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

    it('do not give an access token scopes that it was not issued with', async () => {
      const { id, credentials } = await anApplication()
      const accessToken = await caller.accessToken('orders', credentials, { scope: 'orders:read' })
      await host.auth.applications.allow(id, 'orders')
      await caller.bearer('/orders/changes', accessToken).expect(403, /insufficient_scope/)
    })

    it('make no secret: rotateSecret() makes the first', async () => {
      const { id, credentials } = await anApplication(['catalog'])
      await host.auth.applications.allow(id, 'orders')
      expect((await host.auth.applications.get(id))!.secrets).toEqual([])
      await caller.token('orders', credentials).expect(401, /missing/)
      await caller.token('orders', { ...credentials, clientSecret: 'a guess' }).expect(401, /failed/)

      const rotated = await host.auth.applications.rotateSecret(id)
      expect(rotated.application.secrets).toEqual([infoOf(rotated.credentials.clientSecret, host.clock.now())])
      const accessToken = await caller.accessToken('orders', { ...credentials, ...rotated.credentials })
      await caller.bearer('/orders/items', accessToken).expect(200)
    })

    it('refuse an unknown API and an unknown scope by name', async () => {
      const { id } = await anApplication()
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
      expect(await auditOf(id)).toHaveLength(1)
    })

    it('do nothing, but for the audit, where it is so already', async () => {
      const { id, credentials } = await anApplication(['orders'])
      await host.auth.applications.disallow(id, 'catalog')
      await host.auth.applications.allow(id, 'orders')
      expect((await host.auth.applications.get(id))!.apis).toEqual({
        orders: { scopes: ['orders:read', 'orders:write'] },
      })
      await caller.token('orders', credentials).expect(200)
      expect((await auditOf(id)).slice(1).map(({ details }) => details)).toEqual([
        { disallowed: 'catalog' },
        { allowed: 'orders', scopes: ['orders:read', 'orders:write'] },
      ])
    })
  })

  describe('revokeTokens()', () => {
    it('refuses every access token issued before, also in the same millisecond, of every API', async () => {
      const { id, credentials } = await anApplication()
      const tokens = [await caller.accessToken('orders', credentials), await caller.accessToken('orders', credentials)]
      const invoices = await caller.accessToken('invoices', credentials)
      for (const accessToken of tokens) await caller.bearer('/orders/items', accessToken).expect(200)
      // The clock stands still: all of them, and the revocation, carry one instant.
      await host.auth.applications.revokeTokens(id)
      for (const accessToken of tokens) await caller.bearer('/orders/items', accessToken).expect(401, /no longer valid/)
      await caller.bearer('/invoices/items', invoices).expect(401, /no longer valid/)
      await caller.key('/catalog/items', credentials.clientId).expect(200)
    })

    it('lets an access token issued after it resolved be good, even in the same millisecond', async () => {
      const { id, credentials } = await anApplication()
      for (let round = 0; round < 4; round++) {
        const old = await caller.accessToken('orders', credentials)
        await host.auth.applications.revokeTokens(id)
        const fresh = await caller.accessToken('orders', credentials)
        await caller.bearer('/orders/items', old).expect(401)
        await caller.bearer('/orders/items', fresh).expect(200)
      }
    })

    it("leaves other applications' access tokens alone", async () => {
      const [mine, other] = [await anApplication(), await anApplication()]
      const accessToken = await caller.accessToken('orders', other.credentials)
      await host.auth.applications.revokeTokens(mine.id)
      await caller.bearer('/orders/items', accessToken).expect(200)
    })
  })
})

const REFUSED_MOVES = [
  ['suspend', 'suspended'],
  ['resume', 'active'],
  ...Object.keys(CALLS).map((call) => [call, 'deleted'] as const),
] as const
const ALLOWED_WHILE_SUSPENDED = Object.keys(CALLS).filter((call) => !['suspend', 'resume', 'delete'].includes(call))

/** As a registration is that waits for approval: its credentials are yet to be made. */
describe.each(Object.entries(STORES))('an application that is pending, %s', (_, open) => {
  let host: Host
  let store: Store
  let remove: () => Promise<void>

  beforeAll(async () => {
    const opened = await open()
    ;({ store, remove } = opened)
    const made = platform({ store })
    const express = EXPRESSES['Express 5']
    host = { ...made, express, app: express().use(made.auth.router) }
    host.app.get('/catalog/items', host.auth.requireApiKey('catalog'), (req, res) => void res.json(authOf(req)))
    await host.auth.ready()
  })
  afterAll(async () => {
    await host.auth.close()
    await remove()
  })

  async function aPendingOne() {
    const { application, credentials } = await host.auth.applications.create({ name: 'New', apis: ALL })
    const record = (await store.findApplication(application.id))!
    const pending: ApplicationRecord = {
      ...record,
      status: 'pending',
      keys: [],
      secrets: [],
      version: record.version + 1,
    }
    const audit = {
      at: 0,
      type: 'application.registered',
      by: undefined,
      applicationId: record.id,
      details: {},
    } as const
    expect(await store.saveApplication(pending, audit)).toBe(true)
    await host.auth.health()
    return { id: application.id, credentials }
  }

  it.each(['suspend', 'resume'] as const)('can not be moved by %s()', async (call) => {
    const { id } = await aPendingOne()
    await expectRefused(host.auth.applications[call](id), 'invalid_state', `${id} is pending: ${call} goes from `)
    expect(await host.auth.applications.get(id)).toMatchObject({ status: 'pending' })
  })

  it('can be deleted, and listed', async () => {
    const { id } = await aPendingOne()
    const listed = async () => (await host.auth.applications.list({ status: 'pending' })).items.map((each) => each.id)
    expect(await listed()).toContain(id)
    expect(await host.auth.applications.delete(id)).toMatchObject({ status: 'deleted' })
    expect(await listed()).not.toContain(id)
  })

  it('is answered as if there were none', async () => {
    const { credentials } = await aPendingOne()
    await callerOf(host)
      .key('/catalog/items', credentials.clientId)
      .expect(401, /invalid_api_key/)
    const pending = await callerOf(host).token('orders', credentials).expect(401)
    const unknown = await callerOf(host).token('orders', { clientId: 'epa_key_nobody', clientSecret: 'a guess' })
    expect(pending.body).toEqual(unknown.body)
  })
})
