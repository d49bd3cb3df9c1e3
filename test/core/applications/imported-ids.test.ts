import express from 'express'
import { afterAll, expect, it } from 'vitest'
import { openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

// docs/http.md G11: strangers must not learn which client ids of an earlier system exist.
it('answers the client id of an imported pair as a key like any unknown text, in bytes and limit', async () => {
  const { auth } = openPlatform({
    imports: {},
    rateLimits: { failedAuthentication: { limit: 4, window: 60 } },
  })
  afterAll(() => auth.close())
  const lines = [
    {
      externalId: 'c-1',
      name: 'Corner Shop',
      apis: ['catalog', 'orders'],
      clientId: 'corner-shop-client-0001',
      secrets: [{ plain: 'x9!Kq2 vR7_pL4&wZ1' }],
    },
  ]
  expect(await auth.imports.run(lines, { confirm: true, by: 'test' })).toMatchObject({ refused: 0 })
  const app = express().get('/catalog', auth.requireApiKey('catalog'), (_req, res) => void res.send('reached'))
  const ask = (key: string) => request(app).get('/catalog').set('X-Api-Key', key)
  const [known, unknown] = [await ask('corner-shop-client-0001'), await ask('corner-shop-client-0002')]
  expect(known.status).toBe(401)
  expect([known.status, known.text, known.headers['www-authenticate']]).toEqual([
    unknown.status,
    unknown.text,
    unknown.headers['www-authenticate'],
  ])
  await ask('corner-shop-client-0001').expect(401)
  await ask('corner-shop-client-0003').expect(401)
  await ask('corner-shop-client-0001').expect(429)
  await ask('corner-shop-client-0004').expect(429)
})
