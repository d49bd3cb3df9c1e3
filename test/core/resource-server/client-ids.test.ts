import { expect, it } from 'vitest'
import { onEveryPlatform } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'

const LIMIT = 6

onEveryPlatform(
  (host) => {
    it('an imported client id gets the answer and the limit of an unknown text, so that none can be listed', async () => {
      const { app, auth } = host
      app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
      app.get('/weather/now', auth.requireApiKey('weather'), (_req, res) => void res.json({}))
      const line = (clientId: string, more = {}) => ({ name: clientId, apis: ['catalog'], clientId, ...more })
      const lines = [line('price-watch'), line('halted', { status: 'suspended' })]
      await auth.imports.run(lines, { confirm: true })

      const call = (key: string, path = '/catalog/items'): Promise<Response> =>
        request(app)
          .get(path)
          .set('X-Api-Key', key)
          .then((answer) => answer)
      const strip = ({ status, text, headers }: Response): unknown => {
        const { date: _, ...rest } = headers as Record<string, string>
        return { status, text, ...rest }
      }
      const unknown = strip(await call('price-watcher'))
      expect(unknown).toMatchObject({ status: 401 })
      // Twice: the second is answered from memory.
      expect(strip(await call('price-watch'))).toEqual(unknown)
      expect(strip(await call('price-watch'))).toEqual(unknown)
      expect(strip(await call('halted'))).toEqual(unknown)
      const unknownElsewhere = strip(await call('unknown', '/weather/now'))
      expect(strip(await call('price-watch', '/weather/now'))).toEqual(unknownElsewhere)
      for (const key of ['price-watch', 'halted', 'price-watcher']) {
        const limited = await call(key)
        expect([limited.status, (limited.body as { error: string }).error]).toEqual([429, 'too_many_requests'])
      }
      for (const { id } of (await auth.applications.list()).items) {
        expect((await auth.usage.refusals(id)).items).toEqual([])
      }
    })
  },
  {
    imports: true,
    rateLimits: { failedAuthentication: { limit: LIMIT, window: 3600 } },
  },
)
