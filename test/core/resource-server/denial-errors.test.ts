import { PassThrough } from 'node:stream'
import { types } from 'node:util'
import type express5 from 'express'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import winston from 'winston'
import { OAuthError, type DenialError, type OnDenied } from '../../../src/index.js'
import { onEveryPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'

describe('the error that onDenied gets (docs/http.md G18)', () => {
  onEveryPlatform((host) => {
    async function collect(onDenied: OnDenied, requests: number) {
      const app = host.express()
      const handled: DenialError[] = []
      app.get('/', host.auth.requireBearer('orders', { onDenied }))
      app.use(((error: DenialError, _req, res, _next) => {
        handled.push(error)
        res.status(error.statusCode).send(error.expose ? error.message : 'hidden')
      }) as express5.ErrorRequestHandler)
      const answers = []
      for (let i = 0; i < requests; i++) answers.push(await request(app).get('/'))
      return { handled, answers }
    }

    it('is made without an Error object and its stack, where the package answers and where a central handler does', async () => {
      const given: DenialError[] = []
      const { answers } = await collect((denial, _req, _res, next) => {
        given.push(denial)
        next()
      }, 1)
      expect(answers[0]!.status).toBe(401)
      const { handled } = await collect((denial, _req, _res, next) => next(denial), 1)
      for (const denial of [given[0]!, handled[0]!]) {
        expect(types.isNativeError(denial)).toBe(false)
        expect(denial.stack).toBe(`OAuthError: ${denial.description}`)
        expect(denial).toBeInstanceOf(Error)
        expect(denial).toBeInstanceOf(OAuthError)
        expect(denial).toMatchObject({ status: 401, statusCode: 401, expose: true, message: denial.description })
        // The members that one of the constructor has, in whatever way they are listed.
        const constructed = new OAuthError('unauthorized', 'x')
        expect(Object.keys(denial).toSorted()).toEqual(Object.keys(constructed).toSorted())
        expect(Object.getOwnPropertyNames(denial)).toEqual(expect.arrayContaining(['message', 'stack']))
        expect(JSON.parse(JSON.stringify(denial))).not.toHaveProperty('stack')
      }
      expect(new OAuthError('server_error', 'x')).toMatchObject({ statusCode: 500, expose: false })
      expect(new OAuthError('temporarily_unavailable', 'x')).toMatchObject({ statusCode: 503, expose: false })
    })

    it('belongs to one request: what a handler writes to it changes neither another nor the answer', async () => {
      const given: DenialError[] = []
      const { answers } = await collect((denial, _req, _res, next) => {
        given.push(denial)
        const all = denial as { -readonly [Name in keyof OAuthError]: OAuthError[Name] }
        expect([all.status, all.message, all.headers['X-Seen']]).toEqual([401, all.description, undefined])
        Object.assign(all, {
          status: 200,
          statusCode: 200,
          expose: false,
          message: 'm',
          stack: 's',
          error: 'e',
          code: 'c',
        })
        Object.assign(all.headers, { 'X-Seen': 'yes' })
        next()
      }, 2)
      expect(given[0]).not.toBe(given[1])
      for (const { status, headers, body } of answers) {
        expect(status).toBe(401)
        expect(headers).not.toHaveProperty('x-seen')
        expect((body as { error: string }).error).toBe('unauthorized')
      }
    })

    it('is logged by pino and winston as an error, with type, message and code', async () => {
      const { handled } = await collect((denial, _req, _res, next) => next(denial), 1)
      const [toPino, toWinston] = [new PassThrough(), new PassThrough()]
      pino(toPino).error(handled[0], 'refused')
      const { errors, json, combine } = winston.format
      winston
        .createLogger({
          format: combine(errors({ stack: true }), json()),
          transports: [new winston.transports.Stream({ stream: toWinston })],
        })
        .error(handled[0] as Error)
      const { message, stack } = handled[0]!
      expect(JSON.parse(String(toPino.read()))).toMatchObject({
        err: { type: 'OAuthError', message, stack, code: 'unauthorized' },
      })
      await expect.poll(() => toWinston.readableLength).toBeGreaterThan(0)
      expect(JSON.parse(String(toWinston.read()))).toMatchObject({ level: 'error', message, stack })
    })
  })
})
