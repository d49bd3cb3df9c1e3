import { beforeAll, describe, expect, it } from 'vitest'
import type { PlatformEvent } from '../../../src/index.js'
import { createApplication, expectRefusal } from '../../support/http.js'
import { onEveryPlatform } from '../../support/platform.js'
import { request, type Test } from '../../support/request.js'
import { sendAuthInfo } from './guarded-routes.js'

const HOME = '203.0.113.7'
const ELSEWHERE = '198.51.100.7'

describe('The networks of an application and of a credential (docs/http.md G35, T31, I12)', () => {
  onEveryPlatform((host) => {
    const denied: PlatformEvent[] = []

    beforeAll(() => {
      const { app, auth } = host
      app.set('trust proxy', 1)
      app.get('/orders/items', auth.requireBearer('orders'), sendAuthInfo)
      app.get('/orders/write', auth.requireBearer('orders', { scopes: ['orders:write'] }), sendAuthInfo)
      app.get('/catalog/items', auth.requireApiKey('catalog'), sendAuthInfo)
      app.get(
        '/reported',
        auth.requireApiKey('catalog', {
          reportOnly: { until: new Date(host.clock.now() + 30 * 86_400_000).toISOString().slice(0, 10) },
        }),
        sendAuthInfo,
      )
      app.use('/suspended', auth.suspensionRouter)
      app.get('/any', auth.requireAny([auth.requireBearer('orders'), auth.requireApiKey('catalog')]), sendAuthInfo)
      auth.events.on('request.denied', (event) => void denied.push(event))
    })

    const from = (address: string, test: Test): Test => test.set('X-Forwarded-For', address)
    const key = (address: string, apiKey: string, path = '/catalog/items'): Test =>
      from(address, request(host.app).get(path).set('X-Api-Key', apiKey))
    const bearer = (address: string, token: string, path = '/orders/items'): Test =>
      from(address, request(host.app).get(path).set('Authorization', `Bearer ${token}`))
    const token = (address: string, { clientId, clientSecret }: { clientId: string; clientSecret?: string }): Test =>
      from(address, request(host.app).post('/orders/token'))
        .type('form')
        .send({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })
    const accessToken = async (...args: Parameters<typeof token>): Promise<string> =>
      ((await token(...args).expect(200)).body as { access_token: string }).access_token

    it('refuse a right key, token and secret elsewhere with 403, and with a code of their own', async () => {
      const client = await createApplication(host.auth, ['orders', 'catalog'])
      const earlier = await accessToken(ELSEWHERE, client)
      await host.auth.applications.update(client.id, { networks: ['203.0.113.0/24', '2001:db8::/32'] })
      denied.length = 0
      expectRefusal(await key(ELSEWHERE, client.clientId), 403, 'network_not_allowed', {
        'www-authenticate': /error="network_not_allowed"/,
      })
      expect(denied).toMatchObject([{ reason: 'network_not_allowed', applicationId: client.id, address: ELSEWHERE }])
      await bearer(ELSEWHERE, earlier).expect(403, /"network_not_allowed"/)
      await token(ELSEWHERE, client).expect(403, /"network_not_allowed"/)
      await bearer(ELSEWHERE, earlier, '/any').expect(403, /"network_not_allowed"/)
      await key(HOME, client.clientId).expect(200)
      await bearer(HOME, await accessToken(HOME, client)).expect(200)
      await bearer(HOME, earlier).expect(200)
      await host.auth.applications.update(client.id, { networks: null })
      await key(ELSEWHERE, client.clientId).expect(200)
    })

    it.each([
      ['203.0.113.7', true],
      ['::ffff:203.0.113.7', true],
      ['::ffff:cb00:7107', true],
      ['64:ff9b::203.0.113.7', true],
      ['[::ffff:203.0.113.7]:4711', true],
      ['203.0.113.7:4711', true],
      ['2001:DB8:0:0::1', true],
      ['[2001:db8::1]:443', true],
      ['2001:db8::1%eth0', true],
      ['203.0.114.7', false],
      ['2001:db9::1', false],
      ['unknown', false],
      ['_hidden', false],
      ['203.0.113.7.example.com', false],
      ['203.0.113.007', false],
    ])('judge the address %s, in whatever form a proxy delivers it: %s', async (address, isAllowed) => {
      const client = await createApplication(host.auth, ['catalog'])
      await host.auth.applications.update(client.id, { networks: ['203.0.113.0/24', '2001:db8::/32'] })
      await key(address, client.clientId).expect(isAllowed ? 200 : 403)
    })

    it('are judged only once the credential is known to be right, and before scopes and limits', async () => {
      const client = await createApplication(host.auth, ['orders', 'catalog'])
      await host.auth.applications.update(client.id, { networks: [HOME] })
      await key(ELSEWHERE, `${client.clientId.slice(0, -1)}!`).expect(401)
      await token(ELSEWHERE, { ...client, clientSecret: 'wrong' }).expect(401, /"invalid_client"/)
      const reader = await accessToken(HOME, client)
      await bearer(ELSEWHERE, reader, '/orders/write').expect(403, /"network_not_allowed"/)
      await host.auth.applications.suspend(client.id)
      await key(ELSEWHERE, client.clientId).expect(403, /"access_denied"/)
      await token(ELSEWHERE, client).expect(401, /"invalid_client"/)
    })

    it('hold at every endpoint that authenticates a client: nobody ends tokens with a secret that was stolen', async () => {
      const client = await createApplication(host.auth, ['orders'])
      const { applications } = host.auth
      const { credentials } = await applications.addSecret(client.id, { name: 'office', networks: [HOME] })
      const clients = {
        application: await createApplication(host.auth, ['orders']),
        secret: { ...client, clientSecret: credentials.clientSecret },
      }
      await applications.update(clients.application.id, { networks: ['203.0.113.0/24'] })
      for (const each of Object.values(clients)) {
        const { clientId, clientSecret } = each
        const issued = await accessToken(HOME, each)
        const ask = (address: string, endpoint: string, secret = clientSecret): Test =>
          from(address, request(host.app).post(`/orders/${endpoint}`))
            .type('form')
            .send({ token: issued, client_id: clientId, client_secret: secret })
        for (const endpoint of ['introspect', 'revoke']) {
          expectRefusal(await ask(ELSEWHERE, endpoint), 403, 'network_not_allowed')
          await ask(ELSEWHERE, endpoint, 'wrong').expect(401, /"invalid_client"/)
        }
        await bearer(HOME, issued).expect(200)
        expect((await ask(HOME, 'introspect').expect(200)).body).toMatchObject({ active: true })
        await ask(HOME, 'revoke').expect(200)
        await bearer(HOME, issued).expect(401)
        const isSuspended = async (address: string): Promise<unknown> =>
          (
            await from(address, request(host.app).post('/suspended'))
              .type('form')
              .send({ client_id: clientId, client_secret: clientSecret })
              .expect(200)
          ).body as unknown
        expect(await isSuspended(ELSEWHERE)).toEqual({ suspended: false })
        await applications.suspend(each.id)
        expect(await isSuspended(ELSEWHERE)).toEqual({ suspended: false })
        expect(await isSuspended(HOME)).toEqual({ suspended: true })
      }
    })

    it('of a key bound that key alone, those of a secret also the access tokens that it gets', async () => {
      const client = await createApplication(host.auth, ['orders', 'catalog'])
      const { applications } = host.auth
      const added = await applications.addKey(client.id, { name: 'office', networks: ['203.0.113.0/24'] })
      expect(added.credential.networks).toEqual(['203.0.113.0/24'])
      await key(ELSEWHERE, added.credentials.clientId).expect(403, /"network_not_allowed"/)
      await key(HOME, added.credentials.clientId).expect(200)
      await key(ELSEWHERE, client.clientId).expect(200)

      const secret = await applications.addSecret(client.id, { name: 'office', networks: [HOME] })
      const office = { clientId: client.clientId, clientSecret: secret.credentials.clientSecret }
      await token(ELSEWHERE, office).expect(403, /"network_not_allowed"/)
      const issued = await accessToken(HOME, office)
      await bearer(HOME, issued).expect(200)
      await bearer(ELSEWHERE, issued).expect(403, /"network_not_allowed"/)
      await bearer(ELSEWHERE, await accessToken(ELSEWHERE, client)).expect(200)
      await applications.updateCredential(client.id, secret.credential.id, { networks: null })
      await bearer(ELSEWHERE, issued).expect(200)
      // Only its next access tokens are bound to a list that it gets later.
      const unbound = await accessToken(ELSEWHERE, office)
      await applications.updateCredential(client.id, secret.credential.id, { networks: [HOME] })
      await bearer(ELSEWHERE, unbound).expect(200)
      await bearer(ELSEWHERE, issued).expect(403, /"network_not_allowed"/)
      await applications.endCredential(client.id, secret.credential.id)
      await bearer(HOME, issued).expect(401, /"invalid_token"/)
    })

    it('of a credential pass to the one that replaces it', async () => {
      const client = await createApplication(host.auth, ['catalog'])
      const { applications } = host.auth
      const added = await applications.addKey(client.id, { name: 'office', networks: [HOME] })
      const rotated = await applications.rotateKey(client.id, { credential: added.credential.id, overlap: 0 })
      await key(ELSEWHERE, rotated.credentials.clientId).expect(403, /"network_not_allowed"/)
      await key(HOME, rotated.credentials.clientId).expect(200)
    })

    it('are judged by verify...() too, which refuses without a request', async () => {
      const { id, clientId } = await createApplication(host.auth, ['catalog'])
      await host.auth.applications.update(id, { networks: ['127.0.0.0/8'] })
      await expect(host.auth.verifyApiKey('catalog', clientId)).rejects.toMatchObject({
        status: 403,
        error: 'network_not_allowed',
      })
      host.app.get('/verified', (req, res, next) => {
        host.auth.verifyApiKey('catalog', clientId, { req }).then(() => res.send('ok'), next)
      })
      await request(host.app).get('/verified').expect(200)
      await from(ELSEWHERE, request(host.app).get('/verified')).expect(403)
    })

    it('are only reported by a report-only guard, whose handler knows the caller', async () => {
      const client = await createApplication(host.auth, ['catalog'])
      await host.auth.applications.update(client.id, { networks: [HOME] })
      const { body } = await key(ELSEWHERE, client.clientId, '/reported').expect(200)
      expect(body).toMatchObject({ application: { id: client.id } })
    })

    it('refuse what is no list of networks, and say which entry is wrong', async () => {
      const { id } = await createApplication(host.auth, ['catalog'])
      const update = (networks: unknown): Promise<unknown> =>
        host.auth.applications.update(id, { networks: networks as string[] })
      for (const networks of [[], 'any', '203.0.113.0/24', [7], {}, Array(101).fill(HOME), ['203.0.113.1/24'], ['*']])
        await expect(update(networks)).rejects.toMatchObject({ code: 'invalid_argument' })
      await expect(update([HOME, '10.0.0.1/8'])).rejects.toThrow('"10.0.0.1/8"')
      for (const all of ['64:ff9b::/96', '::ffff:0:0/96', '::/0', '64:ff9b::/64'])
        await expect(update([all])).rejects.toThrow(/has every IPv4 address.*2000::\/3/)
      await update(['10.0.0.0/8 ', '10.0.0.0/8', '2001:DB8::/32'])
      expect((await host.auth.applications.get(id))?.networks).toEqual(['10.0.0.0/8', '2001:db8::/32'])
    })

    it('of an operator cannot be widened by a contact', async () => {
      const { id } = await createApplication(host.auth, ['catalog'])
      const update = (networks: string[] | null, by: string): Promise<unknown> =>
        host.auth.applications.update(id, { networks, by })
      await update([HOME], 'contact:dev@example.com')
      await update(['203.0.113.0/24'], 'alice')
      for (const wider of [null, ['203.0.112.0/23'], [HOME, ELSEWHERE], ['0.0.0.0/0'], ['2000::/3']])
        await expect(update(wider, 'contact:dev@example.com')).rejects.toMatchObject({ code: 'invalid_argument' })
      await update([HOME], 'contact:dev@example.com')
      await host.auth.applications.allow(id, 'weather', { by: 'alice' })
      await expect(update(null, 'contact:dev@example.com')).rejects.toMatchObject({ code: 'invalid_argument' })
      await update(null, 'alice')
      await update([ELSEWHERE], 'contact:dev@example.com')
      await update(null, 'contact:dev@example.com')
    })
  })
})
