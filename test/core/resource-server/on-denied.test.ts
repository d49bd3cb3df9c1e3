import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type express5 from 'express'
import type { RequestHandler } from 'express'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OAuthError, type Denial, type OnDenied } from '../../../src/index.js'
import { accessToken, createApplication, expectRefusal } from '../../support/http.js'
import { onEveryFailingPlatform } from '../../support/failing-store.js'
import { request } from '../../support/request.js'
import { type KnownApplication, TOKEN_MISSING, KEY_MISSING } from './guarded-routes.js'
import { throwing } from '../../support/throwing.js'

describe('onDenied (docs/http.md G18)', () => {
  const seen: Denial[] = []
  const answers: OnDenied = ({ status, error }, _req, res: ServerResponse) => {
    res.statusCode = status
    res.end(`denied: ${error}`)
  }

  onEveryFailingPlatform(
    (host) => {
      let token: string
      let shop: KnownApplication
      const reached: RequestHandler = (_req, res) => void res.status(299).send('the handler')
      const appWith = (onDenied: OnDenied | undefined, ...after: RequestHandler[]) => {
        const app = host.express().disable('x-powered-by')
        const options = onDenied ? { onDenied } : {}
        app.get('/', host.auth.requireBearer('orders', options), reached, ...after)
        app.get('/key', host.auth.requireApiKey('catalog', options), reached)
        app.get('/write', host.auth.requireBearer('orders', { ...options, scopes: ['orders:write'] }), reached)
        app.use(((error, _req, res, _next) => void res.status(555).send(String(error))) as express5.ErrorRequestHandler)
        return app.use((_req, res) => void res.status(298).send('the rest of the app'))
      }

      beforeAll(async () => {
        shop = await createApplication(host.auth, ['orders'])
        token = await accessToken(host.app, 'orders', shop, { scope: 'orders:read' })
      })
      beforeEach(() => void (seen.length = 0))

      it('of the platform replaces the refusals of every guard', async () => {
        const app = appWith(undefined)
        const { status, text, headers } = await request(app).get('/')
        expect({ status, text }).toEqual({ status: 401, text: 'denied: unauthorized' })
        expect(headers).not.toHaveProperty('www-authenticate')
        expect((await request(app).get('/key')).text).toBe('denied: unauthorized')
      })

      it('of a guard is called instead of that of the platform', async () => {
        const app = appWith((_denial, _req, res) => void res.end('custom'))
        expect((await request(app).get('/')).text).toBe('custom')
      })

      it('is not called if the request passes', async () => {
        const app = appWith(() => expect.unreachable())
        expect((await request(app).get('/').set('Authorization', `Bearer ${token}`)).status).toBe(299)
      })

      it('gets status, error, description and headers of every refusal: 400, 401, 403, 429, 500 and 503', async () => {
        const app = appWith((denial, _req, _res, next) => {
          seen.push({ ...denial, headers: denial.headers, description: denial.description })
          next()
        })
        const key = (await createApplication(host.auth, ['catalog'])).clientId
        const unseen = (await createApplication(host.auth, ['catalog'])).clientId
        const { findApplicationByKey } = host.store
        const answers = [
          await request(app).get('/').set('Authorization', 'Bearer a b'),
          await request(app).get('/'),
          await request(app).get('/').set('Authorization', 'Bearer x'),
          await request(app).get('/write').set('Authorization', `Bearer ${token}`),
        ]
        for (let i = 0; i < 3; i++) await request(app).get('/key').set('X-Api-Key', key)
        answers.push(await request(app).get('/key').set('X-Api-Key', key))
        host.store.fail()
        answers.push(await request(app).get('/key').set('X-Api-Key', unseen))
        host.store.recover()
        Object.assign(host.store, { findApplicationByKey: async () => ({}) })
        answers.push(await request(app).get('/key').set('X-Api-Key', unseen))
        Object.assign(host.store, { findApplicationByKey })

        expect(seen.map(({ status }) => status)).toEqual([400, 401, 401, 403, 429, 503, 500])
        for (const [i, answer] of answers.entries()) {
          const { status, error, description, headers } = seen[i]!
          // next() without an argument sends the standard refusal.
          expect(answer.status).toBe(status)
          expect(answer.body).toEqual({ error, error_description: description })
          // All of them: what is left is HTTP's own.
          const sent = Object.entries(answer.headers as Record<string, string>).filter(
            ([name]) => !['connection', 'content-length', 'date', 'keep-alive', 'x-powered-by'].includes(name),
          )
          const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
          expect(Object.fromEntries(given)).toEqual(Object.fromEntries(sent))
        }
      })

      it.each<[string, unknown[]]>([
        ['nothing', []],
        ['undefined', [undefined]],
        ['null', [null]],
        ["'route'", ['route']],
        ["'router'", ['router']],
        ['false', [false]],
        ['0', [0]],
        ["''", ['']],
        ['NaN', [Number.NaN]],
      ])('sends the standard refusal for next(%s), and never calls the handler', async (_, args) => {
        const app = appWith((_denial, _req, _res, next) => next(...(args as [unknown])))
        expectRefusal(await request(app).get('/'), 401, 'unauthorized', TOKEN_MISSING)
        expectRefusal(await request(app).get('/key'), 401, 'unauthorized', KEY_MISSING)
      })

      it('passes an error to the error middleware of the host with next(error)', async () => {
        const app = appWith((denial, _req, _res, next) => next(new Error(`custom: ${denial.error}`)))
        expect(await request(app).get('/')).toMatchObject({ status: 555, text: 'Error: custom: unauthorized' })
      })

      it.each<[string, OnDenied]>([
        ['throws', throwing(new Error('of onDenied'))],
        ['rejects', () => Promise.reject(new Error('of onDenied'))],
        [
          'rejects later',
          async () => {
            await sleep(1)
            throw new Error('of onDenied')
          },
        ],
        [
          'returns a thenable that rejects',
          // oxlint-disable-next-line unicorn/no-thenable
          () => ({ then: (_: unknown, reject: (error: Error) => void) => reject(new Error('of onDenied')) }),
        ],
      ])('that %s is answered with 500 server_error, and its error is logged', async (_, onDenied) => {
        host.logger.lines.length = 0
        expectRefusal(await request(appWith(onDenied)).get('/'), 500, 'server_error')
        expect(host.logger.lines).toContainEqual(expect.stringMatching(/500 server_error Error: of onDenied/))
      })

      it('that throws after its answer does not truncate the answer', async () => {
        const body = 'custom'.repeat(2 ** 20)
        const app = appWith((_denial, _req, res) => {
          res.end(body)
          throw new Error('too late')
        })
        expect((await request(app).get('/')).text).toHaveLength(body.length)
      })

      it('C7: that throws during its answer ends the connection, so that half an answer does not look complete', async () => {
        const app = appWith((_denial, _req, res) => {
          res.write('half')
          throw new Error('too early')
        })
        await expect(request(app).get('/')).rejects.toThrow(/aborted|hang up/)
      })

      it('is not called by verifyAccessToken', async () => {
        await expect(host.auth.verifyAccessToken('orders', 'x')).rejects.toBeInstanceOf(OAuthError)
      })
    },
    { onDenied: answers, rateLimits: { requests: { limit: 3, window: 60 } } },
  )
})
