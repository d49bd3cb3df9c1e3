import { describe, expect, it } from 'vitest'
import { withEnd } from '../../../src/shared/lib/application-id.js'
import { createCaller } from '../../support/caller.js'
import { onEveryPlatform } from '../../support/platform.js'

const END_SECONDS = 100

onEveryPlatform((host) => {
  const create = async (name: string, endsIn?: number) => {
    const { auth, clock } = host
    const given = { name, apis: ['orders', 'catalog'] } as const
    return auth.applications.create(endsIn === undefined ? given : withEnd(given, clock.now() + endsIn * 1000))
  }
  const { bearer, introspect, key, token, accessToken } = createCaller(host)

  describe('an application that ends', () => {
    it('is refused from its end on with all that it has: key, secret and access tokens', async () => {
      const { app, auth, clock } = host
      app.get('/ending/orders', auth.requireBearer('orders'), (_req, res) => void res.json([]))
      app.get('/ending/catalog', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
      const [ending, other] = [await create('Same name', END_SECONDS), await create('Same name')]
      const issued = await accessToken('orders', ending.credentials)
      const others = await accessToken('orders', other.credentials)
      const request = async () => [
        (await token('orders', ending.credentials)).status,
        (await key('/ending/catalog', ending.credentials.clientId)).status,
        (await bearer('/ending/orders', issued)).status,
        (await introspect('orders', ending.credentials, issued)).status,
        (await token('orders', other.credentials)).status,
        (await bearer('/ending/orders', others)).status,
      ]
      clock.advance(END_SECONDS - 1)
      expect(await request()).toEqual([200, 200, 200, 200, 200, 200])
      clock.advance(1)
      expect(await request()).toEqual([401, 401, 401, 401, 200, 200])
      await expect(auth.verifyAccessToken('orders', issued)).rejects.toMatchObject({ error: 'invalid_token' })
    })

    it('has no credential that outlives it, whatever is added, rotated or given another end', async () => {
      const { auth, clock } = host
      const { applications } = auth
      const { application } = await create('Ending', END_SECONDS)
      const end = new Date(clock.now() + END_SECONDS * 1000)
      const { id } = application
      const listEnds = async () => {
        const { keys = [], secrets = [] } = (await applications.get(id)) ?? {}
        return [...keys, ...secrets].map(({ expiresAt }) => expiresAt)
      }
      expect(await listEnds()).toEqual([end, end])
      await applications.updateCredential(id, application.keys[0]!.id, { expiresAt: null })
      await applications.addKey(id, { name: 'further', expiresAt: new Date(end.getTime() + 1000) })
      await applications.addSecret(id, { name: 'further' })
      await applications.rotateSecret(id, { credential: application.secrets[0]!.id, overlap: 0, expiresAt: null })
      await applications.suspend(id)
      await applications.resume(id)
      const ends = await listEnds()
      expect(ends.length).toBeGreaterThanOrEqual(4)
      expect(ends.filter((each) => each === undefined || each > end)).toEqual([])
    })

    it('is no application that the calls of a host can create', async () => {
      const { auth, clock } = host
      const given = { name: 'Host', apis: ['orders'], endsAt: clock.now() } as const
      await expect(auth.applications.create(given)).rejects.toMatchObject({ code: 'invalid_argument' })
    })
  })
})
