import { describe, expect, it } from 'vitest'
import { memoryStore, type CredentialInfo, type IssuedCredentials } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { usePlatform } from '../../support/platform.js'
import { expectRefused, onEveryHost, UNKNOWN_ID } from './operator.js'
import { whilePolluted } from '../../support/while-polluted.js'

const DAY_MS = 86_400_000

onEveryHost((host, { caller, createApplication, listAudit }) => {
  /** A new application with all APIs, and the calls of the tests on it. */
  async function open() {
    const { id, credentials } = await createApplication()
    const { applications } = host.auth
    const find = async (kind: 'keys' | 'secrets', name: string): Promise<CredentialInfo> =>
      (await applications.get(id))![kind].find((each) => each.name === name)!
    return { id, credentials: credentials as Required<IssuedCredentials>, applications, find }
  }

  const inDays = (days: number): Date => new Date(host.clock.now() + days * DAY_MS)

  describe('addKey() and addSecret()', () => {
    it('give a further credential that works beside the others, and are audited', async () => {
      const { id, credentials, applications } = await open()
      const types: string[] = []
      const listener = ({ type }: { type: string }): void => void types.push(type)
      host.auth.events.on('application.credentialAdded', listener)
      const key = await applications.addKey(id, { name: 'warehouse', expiresAt: inDays(30), by: 'ann' })
      const secret = await applications.addSecret(id, { name: 'warehouse', apis: ['orders'], by: 'ann' })
      host.auth.events.off('application.credentialAdded', listener)

      expect(key.credentials).toEqual({ clientId: expect.stringMatching(/^epa_key_/) })
      expect(key.credential).toEqual({
        id: expect.stringMatching(/^cred_[0-9A-Za-z]{22}$/),
        name: 'warehouse',
        prefix: key.credentials.clientId.slice(0, 12),
        createdAt: new Date(host.clock.now()),
        expiresAt: inDays(30),
        lastUsedAt: undefined,
        apis: undefined,
      })
      expect(key.application.keys).toEqual([key.credential, expect.objectContaining({ name: 'default' })])
      expect(secret.credential.apis).toEqual({ orders: { scopes: ['orders:read', 'orders:write'] } })
      for (const clientId of [credentials.clientId, key.credentials.clientId]) {
        await caller.key('/catalog/items', clientId).expect(200)
        for (const { clientSecret } of [credentials, secret.credentials])
          await caller.token('orders', { clientId, clientSecret }).expect(200)
      }
      expect(types).toEqual(['application.credentialAdded', 'application.credentialAdded'])
      const records = (await listAudit(id)).slice(-2)
      expect(records).toMatchObject([
        {
          type: 'application.credentialAdded',
          by: 'ann',
          details: {
            credential: 'key',
            credentialId: key.credential.id,
            name: 'warehouse',
            prefix: key.credential.prefix,
            expiresAt: inDays(30).toISOString(),
          },
        },
        { details: { credential: 'secret', apis: { orders: { scopes: ['orders:read', 'orders:write'] } } } },
      ])
      for (const plain of [key.credentials.clientId, secret.credentials.clientSecret])
        expect(JSON.stringify(records)).not.toContain(plain)
    })

    it('restrict a key to its APIs: others answer G40, and as client_id it only names the application', async () => {
      const { id, credentials, applications } = await open()
      const { credentials: key } = await applications.addKey(id, { name: 'weather only', apis: ['weather'] })
      await caller.key('/weather/now', key.clientId).expect(200)
      const reasons: unknown[] = []
      const listener = ({ reason }: { reason?: string | undefined }): void => void reasons.push(reason)
      host.auth.events.on('request.denied', listener)
      const { body, headers } = await caller.key('/catalog/items', key.clientId).expect(403)
      host.auth.events.off('request.denied', listener)
      expect(body).toEqual({ error: 'access_denied', error_description: 'The API key may not be used for this API' })
      expect(headers['www-authenticate']).toContain('error="access_denied"')
      expect(reasons).toEqual(['restricted_key'])
      await caller.token('orders', { ...credentials, ...key }).expect(200)
      // G12 comes first.
      await applications.suspend(id)
      await caller.key('/catalog/items', key.clientId).expect(403, /The application may not use this API/)
    })

    it('restrict a secret to its APIs and scopes at the token endpoint, revocation and introspection (T27, T28, I11)', async () => {
      const { id, credentials, applications } = await open()
      const options = { name: 'reader', apis: ['orders'], scopes: ['orders:read'] } as const
      const { credentials: added } = await applications.addSecret(id, options)
      const reader = { ...credentials, ...added }
      const { body } = await caller.token('orders', reader).expect(200)
      expect(body).toMatchObject({ scope: 'orders:read' })
      const accessToken = (body as { access_token: string }).access_token
      await caller.bearer('/orders/items', accessToken).expect(200)
      await caller.bearer('/orders/changes', accessToken).expect(403, /insufficient_scope/)
      const asked = await caller.token('orders', reader, { scope: 'orders:read orders:write' }).expect(200)
      expect(asked.body).toMatchObject({ scope: 'orders:read' })
      await caller.token('orders', reader, { scope: 'orders:write' }).expect(400, /invalid_scope/)

      const refused = {
        error: 'unauthorized_client',
        error_description: 'The client secret may not be used for this API',
      }
      await caller.token('invoices', reader).expect(400, refused)
      await caller.introspect('invoices', reader, accessToken).expect(400, refused)
      await caller.revoke('invoices', reader, accessToken).expect(400, refused)
      await caller.introspect('orders', reader, accessToken).expect(200, /"scope":"orders:read"/)
      await caller.revoke('orders', reader, accessToken).expect(200)
      await caller.bearer('/orders/items', accessToken).expect(401)
      // The other secret is as before.
      expect((await caller.token('orders', credentials).expect(200)).body).toMatchObject({
        scope: 'orders:read orders:write',
      })
    })

    it('never give more than the application is granted now', async () => {
      const { id, credentials, applications } = await open()
      const apis = { orders: { scopes: ['orders:read'] } }
      const secret = (await applications.addSecret(id, { name: 'reader', apis })).credentials
      const key = (await applications.addKey(id, { name: 'weather', apis: ['weather'] })).credentials
      await applications.disallow(id, 'weather')
      await caller.key('/weather/now', key.clientId).expect(403, /The application may not use this API/)
      await applications.allow(id, 'orders', { scopes: ['orders:write'] })
      const { body } = await caller.token('orders', { ...credentials, ...secret }).expect(200)
      expect(body).not.toHaveProperty('scope')
      await applications.allow(id, 'orders', { scopes: ['orders:read', 'orders:write'] })
      const again = await caller.token('orders', { ...credentials, ...secret }).expect(200)
      expect(again.body).toMatchObject({ scope: 'orders:read' })
    })

    it('refuse a restriction that widens, or that says nothing', async () => {
      const { id } = await createApplication(['orders', 'weather'])
      const { applications } = host.auth
      await applications.allow(id, 'orders', { scopes: ['orders:read'] })
      const add = (given: object): Promise<unknown> => applications.addSecret(id, { name: 'n', ...given })
      await expectRefused(add({ apis: ['invoices'] }), 'not_granted', /does not have "invoices".*orders, weather/)
      const wide = { apis: { orders: { scopes: ['orders:write'] } } }
      await expectRefused(add(wide), 'not_granted', /"orders:write" at "orders".* It has: orders:read/)
      await expectRefused(add({ apis: ['ordres'] }), 'unknown_api')
      await expectRefused(add({ apis: { orders: { scopes: ['read'] } } }), 'unknown_scope')
      await expectRefused(add({ apis: [] }), 'invalid_argument', /apis is empty/)
      await expectRefused(add({ apis: null }), 'invalid_argument')
      await expectRefused(add({ api: ['orders'] }), 'invalid_argument', /There is no option "api"/)
      await expectRefused(add({ apis: { orders: null } }), 'invalid_argument')
      await expectRefused(add({ apis: { orders: null }, scopes: [] }), 'invalid_argument')
      await expectRefused(add({ scopes: ['orders:read'] }), 'invalid_argument', /needs apis with one name/)
      await expectRefused(add({ apis: ['orders', 'weather'], scopes: [] }), 'invalid_argument', /needs apis with one/)
      await expectRefused(add({ apis: ['weather'] }), 'invalid_argument', /names no oauth2 API/)
      expect((await applications.get(id))!.secrets).toHaveLength(1)
      // All scopes that the application has, not all that the API has.
      const { credential } = await applications.addSecret(id, { name: 'n', apis: ['orders'] })
      expect(credential.apis).toEqual({ orders: { scopes: ['orders:read'] } })
    })

    it.each([undefined, '', 'a\nb', 5, 'x'.repeat(101)])('refuse the name %j', async (name) => {
      const { id, applications } = await open()
      await expectRefused(applications.addKey(id, { name: name as string }), 'invalid_argument', /^name /)
      expect((await applications.get(id))!.keys).toHaveLength(1)
    })

    it('refuse a name in use, an unknown application and a deleted one', async () => {
      const { id, applications } = await open()
      await expectRefused(applications.addKey(id, { name: 'default' }), 'conflict', /named "default".*rotateKey/)
      await expectRefused(applications.addSecret(id, { name: 'default' }), 'conflict', /rotateSecret/)
      await expectRefused(applications.addKey(UNKNOWN_ID, { name: 'n' }), 'application_not_found')
      await applications.delete(id)
      await expectRefused(applications.addKey(id, { name: 'n' }), 'invalid_state', /deleted/)
    })

    it('allow 20 live ones of each kind, and make room when one has ended or expired', async () => {
      const { id, applications, find } = await open()
      for (let i = 1; i < 20; i++)
        await applications.addKey(id, { name: `k${i}`, expiresAt: i === 1 ? inDays(1) : null })
      await expectRefused(applications.addKey(id, { name: 'k20' }), 'too_many_credentials', /20 live.*endCredential/)
      const first = (await find('keys', 'default')).id
      await expectRefused(applications.rotateKey(id, { credential: first }), 'too_many_credentials', /overlap: 0/)
      const rotated = await applications.rotateKey(id, { credential: first, overlap: 0 })
      expect(rotated.application.keys).toHaveLength(20)
      await applications.addSecret(id, { name: 'other' })

      await applications.endCredential(id, (await find('keys', 'k2')).id)
      await applications.addKey(id, { name: 'k20' })
      await expectRefused(applications.addKey(id, { name: 'k21' }), 'too_many_credentials')
      host.clock.advance(86_400)
      const { application } = await applications.addKey(id, { name: 'k1' })
      expect(application.keys).toHaveLength(20)
    })
  })

  describe('a credential with an end', () => {
    it('works until then and not a millisecond longer, and can get another end or none', async () => {
      const { id, credentials, applications } = await open()
      const key = await applications.addKey(id, { name: 'k', expiresAt: new Date(host.clock.now() + 5000) })
      const secret = await applications.addSecret(id, { name: 's', expiresAt: new Date(host.clock.now() + 5000) })
      const both = { ...key.credentials, ...secret.credentials }
      host.clock.advance(4.999)
      await caller.key('/catalog/items', both.clientId).expect(200)
      await caller.token('orders', { ...credentials, clientSecret: both.clientSecret }).expect(200)
      const later = await applications.updateCredential(id, key.credential.id, { expiresAt: inDays(1) })
      expect(later.keys[0]).toMatchObject({ name: 'k', expiresAt: inDays(1) })
      host.clock.advance(0.001)
      await caller.token('orders', { ...credentials, clientSecret: both.clientSecret }).expect(401)
      await caller.key('/catalog/items', both.clientId).expect(200)
      await expectRefused(
        applications.updateCredential(id, secret.credential.id, { expiresAt: inDays(1) }),
        'invalid_state',
        /expired at .*Z and cannot be changed/,
      )
      await applications.updateCredential(id, key.credential.id, { expiresAt: null })
      host.clock.advance(10 * 86_400)
      await caller.key('/catalog/items', both.clientId).expect(200)
    })

    it.each([new Date(Number.NaN), '2999-01-01', 4e12, undefined])('is refused for %j', async (expiresAt) => {
      const { id, applications } = await open()
      const given = { name: 'k', expiresAt: expiresAt as Date }
      if (expiresAt !== undefined)
        await expectRefused(applications.addKey(id, given), 'invalid_argument', /must be a Date/)
      const past = { name: 'k', expiresAt: new Date(host.clock.now()) }
      await expectRefused(applications.addKey(id, past), 'invalid_argument', /not in the future/)
      await expectRefused(applications.rotateKey(id, { expiresAt: past.expiresAt }), 'invalid_argument')
      expect((await applications.get(id))!.keys).toHaveLength(1)
    })
  })

  describe('updateCredential() and endCredential()', () => {
    it('rename one credential, and refuse a name in use and an unknown id', async () => {
      const { id, credentials, applications, find } = await open()
      await applications.addKey(id, { name: 'k' })
      const { id: credentialId } = await find('keys', 'default')
      const { keys } = await applications.updateCredential(id, credentialId, { name: 'main', by: 'ann' })
      expect(keys.map(({ name }) => name)).toEqual(['k', 'main'])
      expect(keys[1]).toMatchObject({ id: credentialId })
      await caller.key('/catalog/items', credentials.clientId).expect(200)
      expect((await listAudit(id)).at(-1)).toMatchObject({
        type: 'application.credentialUpdated',
        by: 'ann',
        details: { credential: 'key', credentialId, name: 'main', formerName: 'default' },
      })
      await expectRefused(applications.updateCredential(id, credentialId, { name: 'k' }), 'conflict')
      await applications.updateCredential(id, credentialId, { name: 'main' })
      for (const unknown of ['cred_unknown', '', id]) {
        await expectRefused(applications.updateCredential(id, unknown, { name: 'x' }), 'credential_not_found')
        await expectRefused(applications.endCredential(id, unknown), 'credential_not_found')
      }
      // Only through its own application.
      const { id: otherId } = await createApplication()
      await expectRefused(applications.endCredential(otherId, credentialId), 'credential_not_found')
    })

    it('end one credential with the next request, and no other', async () => {
      const { id, credentials, applications, find } = await open()
      const { credentials: added } = await applications.addKey(id, { name: 'k' })
      const { credentials: secret } = await applications.addSecret(id, { name: 's' })
      await caller.key('/catalog/items', credentials.clientId).expect(200)
      const accessToken = await caller.accessToken('orders', { ...credentials, ...secret })
      await applications.endCredential(id, (await find('keys', 'default')).id, { by: 'ann' })
      await caller.key('/catalog/items', credentials.clientId).expect(401, /invalid_api_key/)
      await caller.key('/catalog/items', added.clientId).expect(200)
      await caller.bearer('/orders/items', accessToken).expect(200)
      const last = await applications.endCredential(id, (await find('secrets', 's')).id, { revokeTokens: true })
      expect(last.secrets.map(({ name }) => name)).toEqual(['default'])
      await caller.token('orders', { ...added, ...secret }).expect(401)
      await caller.bearer('/orders/items', accessToken).expect(401)
      await caller.token('orders', { ...added, clientSecret: credentials.clientSecret }).expect(200)
      expect((await listAudit(id)).slice(-2)).toMatchObject([
        { type: 'application.credentialEnded', by: 'ann', details: { credential: 'key', name: 'default' } },
        { type: 'application.credentialEnded', details: { credential: 'secret', name: 's', tokensRevoked: true } },
      ])
      // The public id is enough while a secret is live.
      await applications.endCredential(id, (await find('keys', 'k')).id)
      await caller.token('orders', { clientId: id, clientSecret: credentials.clientSecret }).expect(200)
    })
  })

  describe('rotation of one of several', () => {
    it('needs the credential, and names the choices', async () => {
      const { id, applications, find } = await open()
      const { credential } = await applications.addKey(id, { name: 'warehouse' })
      const choice = `${credential.id} (warehouse), ${(await find('keys', 'default')).id} (default)`
      await expectRefused(
        applications.rotateKey(id),
        'invalid_argument',
        new RegExp(choice.replaceAll(/[()]/g, '\\$&')),
      )
      await expectRefused(applications.rotateSecret(id, { credential: credential.id }), 'invalid_argument', /is a key/)
      await expectRefused(applications.rotateKey(id, { credential: 'cred_x' }), 'credential_not_found')
      await expectRefused(applications.rotateKey(id, { credential: 5 as never }), 'invalid_argument', /^credential /)
      await applications.rotateSecret(id)
    })

    it('inherits name, restriction and end, and leaves the others alone', async () => {
      const { id, credentials, applications } = await open()
      const options = { name: 'reader', expiresAt: inDays(30), apis: { orders: { scopes: ['orders:read'] } } }
      const first = await applications.addSecret(id, options)
      const { application, credentials: second } = await applications.rotateSecret(id, {
        credential: first.credential.id,
        overlap: 60,
      })
      const ends = application.secrets.map(({ name, apis, expiresAt }) => [name, apis, expiresAt])
      expect(ends).toEqual([
        ['reader', options.apis, inDays(30)],
        ['reader', options.apis, new Date(host.clock.now() + 60_000)],
        ['default', undefined, undefined],
      ])
      expect((await caller.token('orders', { ...credentials, ...second })).body).toMatchObject({ scope: 'orders:read' })
      await caller.token('orders', credentials).expect(200)
      // The id of either of the two that are live names the credential.
      const third = await applications.rotateSecret(id, { credential: first.credential.id, expiresAt: null })
      expect(third.application.secrets.map(({ name, expiresAt }) => [name, expiresAt])).toEqual([
        ['reader', undefined],
        ['reader', inDays(1)],
        ['default', undefined],
      ])
      await caller.token('orders', { ...credentials, ...first.credentials }).expect(401)
      host.clock.advance(86_400)
      await caller.token('orders', { ...credentials, ...second }).expect(401)
      await caller.token('orders', { ...credentials, ...third.credentials }).expect(200)
    })
  })
})

it('A polluted Object.prototype changes no credential, in a platform or through openAdmin()', async () => {
  const store = memoryStore()
  const { auth, clock } = usePlatform({ store })
  const expiresAt = new Date(clock.now() + 30 * DAY_MS)
  const { application } = await auth.applications.create({ name: 'Shop', apis: ['catalog', 'weather'] })
  const { credential } = await auth.applications.addKey(application.id, { name: 'one', apis: ['catalog'], expiresAt })
  const admin = await openAdmin(store)
  const polluted = { expiresAt: null, apis: ['weather'], scopes: [], emails: 5, details: 5, credential: 'cred_' }
  await whilePolluted(polluted, async () => {
    await admin.applications.updateCredential(application.id, credential.id, { name: 'two' })
    await auth.applications.updateCredential(application.id, credential.id, { name: 'three' })
    await auth.applications.addKey(application.id, { name: 'four' })
  })
  const { keys } = (await auth.applications.get(application.id))!
  expect(keys).toMatchObject([
    { name: 'four', expiresAt: undefined, apis: undefined },
    { name: 'three', expiresAt, apis: credential.apis },
    { name: 'default' },
  ])
})
