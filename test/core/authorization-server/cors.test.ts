import type { Express } from 'express'
import type supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlatformAuthOptions } from '../../../src/index.js'
import { createApplication, expectRefusal, createTokenForm, GRANT, post } from '../../support/http.js'
import { EXPRESSES, openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

const CONSOLE = 'https://developers.example.com'
const ENDPOINTS = ['/orders/token', '/orders/revoke', '/orders/introspect']

describe.each(Object.entries(EXPRESSES))('In an %s app', (_, express) => {
  describe.each<[string, PlatformAuthOptions['cors'], string | undefined, string | undefined]>([
    ['*', { origin: '*' }, '*', '*'],
    ['one origin', { origin: CONSOLE }, CONSOLE, undefined],
    ['a list', { origin: ['https://a.example', CONSOLE] }, CONSOLE, undefined],
  ])('with cors for %s (docs/http.md, CORS),', (_name, cors, forConsole, forOthers) => {
    const { app, auth } = createApp(express, cors)
    afterAll(() => auth.close())

    it.each(ENDPOINTS)('answers the preflight of %s with 204 and the requested headers', async (path) => {
      const { status, headers, text } = await request(app).options(path).set({
        Origin: CONSOLE,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,x-requested-with',
      })
      expect({ status, text }).toEqual({ status: 204, text: '' })
      expect(headers).toMatchObject({
        'access-control-allow-origin': forConsole,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization,x-requested-with',
      })
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
    })

    it.each(ENDPOINTS)(
      'does not allow the preflight of %s from another origin, unless all origins are allowed',
      async (path) => {
        for (const Origin of ['https://evil.example', 'null', `${CONSOLE}.evil.example`, CONSOLE.toUpperCase()]) {
          const { status, headers } = await request(app)
            .options(path)
            .set({ Origin, 'Access-Control-Request-Method': 'POST' })
          expect(status).toBe(204)
          expect(headers['access-control-allow-origin']).toBe(forOthers)
          if (forOthers === undefined) expect(headers).not.toHaveProperty('access-control-allow-methods')
        }
      },
    )

    it.each(ENDPOINTS)('lets the page read the answers of %s, also refusals and their challenge', async (path) => {
      const refused = await post(app, path, { ...GRANT, token: 'x' }, { Origin: CONSOLE })
      expectRefusal(refused, 401, 'invalid_client', { 'www-authenticate': /^Basic / })
      expect(refused.headers['access-control-allow-origin']).toBe(forConsole)
      expect(readExposedHeaders(refused)).toContain('www-authenticate')
      const malformed = await request(app).post(path).set('Origin', CONSOLE).send({})
      expect({ status: malformed.status, origin: malformed.headers['access-control-allow-origin'] }).toEqual({
        status: 400,
        origin: forConsole,
      })
    })

    it('lets the page read the access token', async () => {
      const shop = await createApplication(auth, ['orders'])
      const { status, headers } = await post(app, '/orders/token', createTokenForm(shop), { Origin: CONSOLE })
      expect({ status, origin: headers['access-control-allow-origin'] }).toEqual({ status: 200, origin: forConsole })
    })

    it('answers with Vary: Origin if the answer depends on the origin', async () => {
      for (const Origin of [CONSOLE, 'https://evil.example', undefined]) {
        const { headers } = await post(app, '/orders/token', GRANT, Origin === undefined ? {} : { Origin })
        expect(headers['vary']).toBe(forOthers === '*' ? undefined : 'Origin')
      }
    })

    it('answers other methods with 405', async () => {
      const answer = await request(app).get('/orders/token').set('Origin', CONSOLE)
      expectRefusal(answer, 405, 'invalid_request', { allow: 'POST' })
    })

    it('does not affect guarded routes', async () => {
      app.all('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.end())
      for (const answer of [
        await request(app).get('/orders/items').set('Origin', CONSOLE),
        await request(app).options('/orders/items').set({ Origin: CONSOLE, 'Access-Control-Request-Method': 'GET' }),
      ]) {
        expect(answer.status).toBe(401)
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
      }
    })
  })

  describe('without cors,', () => {
    const { app, auth } = createApp(express, undefined)
    afterAll(() => auth.close())

    it.each(ENDPOINTS)('%s sends no CORS headers', async (path) => {
      const { headers } = await post(app, path, { ...GRANT, token: 'x' }, { Origin: CONSOLE })
      expect(Object.keys(headers as object).filter((name) => /^access-control|^vary/.test(name))).toEqual([])
    })
  })
})

function createApp(express: (typeof EXPRESSES)['Express 5'], cors: PlatformAuthOptions['cors']) {
  const { auth } = openPlatform({ cors, rateLimits: { failedAuthentication: false } })
  const app: Express = express().disable('x-powered-by')
  beforeAll(() => {
    app.use(auth.router)
  })
  return { app, auth }
}

function readExposedHeaders(answer: supertest.Response): string[] {
  return (answer.headers['access-control-expose-headers'] as string).toLowerCase().split(/, */)
}
