import type { Express, Request, RequestHandler } from 'express'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as platformAuth from '../../src/index.js'
import { accessTokenFor, apiKeyFor } from '../../src/tools/testing/index.js'
import { EXPRESSES, openPlatform, recordingLogger, type TestPlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { runBlock } from './run-block.js'

/** The frameworks themselves are not installed here: they are large. Stand-ins do what the blocks use of them. */

describe('the Nest guard', () => {
  class HttpException extends Error {
    readonly body: object
    readonly status: number

    constructor(body: object, status: number) {
      super('refused')
      this.body = body
      this.status = status
    }
  }
  let block: Readonly<Record<string, unknown>>
  let auth: platformAuth.PlatformAuth

  beforeAll(async () => {
    const createPlatformAuth = (options: platformAuth.PlatformAuthOptions) =>
      platformAuth.createPlatformAuth({ ...options, logger: recordingLogger() })
    const modules = { '@nestjs/common': { HttpException }, 'express-platform-auth': { createPlatformAuth } }
    block = await runBlock('docs/recipes/nestjs.md', 'NestJS', { modules })
    auth = block['auth'] as platformAuth.PlatformAuth
  })
  afterAll(() => auth.close())

  /** An app that does with a guard what Nest does: awaits it, and hands its error to a filter. */
  function nestLike(): Express {
    const nestGuard = block['nestGuard'] as (guard: platformAuth.Guard) => NestGuard
    const guard = nestGuard(auth.requireBearer('orders', { scopes: ['orders:write'] }))
    const app = EXPRESSES['Express 5']()
    app.use((req, res, next) => {
      const http = { getRequest: () => req, getResponse: () => res }
      guard.canActivate({ switchToHttp: () => http }).then(
        (passed) => res.json({ passed, for: platformAuth.authOf(req).application.name }),
        (error: unknown) => (error instanceof HttpException ? res.status(error.status).json(error.body) : next(error)),
      )
    })
    return app
  }

  it('lets a good access token pass', async () => {
    const token = await accessTokenFor(auth, 'orders')
    const { body } = await request(nestLike()).get('/').auth(token, { type: 'bearer' }).expect(200)
    expect(body).toEqual({ passed: true, for: expect.any(String) as string })
  })

  it.each([
    ['no access token', undefined, 401, 'unauthorized'],
    ['a token without the scope', ['orders:read'], 403, 'insufficient_scope'],
  ] as const)('rejects with an exception for %s', async (_, scopes, status, error) => {
    const attempt = request(nestLike()).get('/')
    if (scopes) attempt.auth(await accessTokenFor(auth, 'orders', { scopes }), { type: 'bearer' })
    const answer = await attempt.expect(status)
    expect(answer.body).toEqual({ error, error_description: expect.any(String) as string })
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'www-authenticate': expect.stringMatching(/^Bearer realm="orders"/) as string,
    })
  })
})

describe('the security handlers for express-openapi-validator', () => {
  let host: TestPlatform
  let app: Express

  beforeEach(async () => {
    host = openPlatform()
    app = EXPRESSES['Express 5']()
    const variables = { app, auth: host.auth, apiSpec: {}, OAuthError: platformAuth.OAuthError, OpenApiValidator }
    await runBlock('docs/recipes/express-openapi-validator.md', 'express-openapi-validator', { variables }, 1)
    app.use((req, res) => void res.json((req as unknown as { caller: platformAuth.AuthInfo }).caller.api))
  })
  afterEach(() => host.auth.close())

  it('let good credentials pass, and keep the caller on the request', async () => {
    await request(app)
      .get('/apiKey')
      .set('X-Api-Key', await apiKeyFor(host.auth, 'catalog'))
      .expect(200, '"catalog"')
    const token = await accessTokenFor(host.auth, 'orders')
    await request(app).get('/oauth2').auth(token, { type: 'bearer' }).expect(200, '"orders"')
  })

  it.each([
    ['/apiKey', { 'X-Api-Key': 'unknown' }, 401, /^ApiKey .*invalid_api_key/],
    ['/oauth2', {}, 401, /^Bearer realm="orders"/],
    ['/oauth2', { Authorization: 'Bearer forged' }, 401, /^Bearer .*invalid_token/],
  ])('refuse %s with the headers %j', async (path, headers, status, challenge) => {
    const answer = await request(app).get(path).set(headers)
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([status, expect.stringMatching(challenge)])
  })

  it('refuse an access token without the scope', async () => {
    const token = await accessTokenFor(host.auth, 'orders', { scopes: ['orders:read'] })
    await request(app)
      .get('/oauth2')
      .auth(token, { type: 'bearer' })
      .expect(403, /lacks a scope/)
  })
})

type SecurityHandlers = Record<string, (req: Request, scopes: readonly string[]) => Promise<boolean>>

/** Does with handlers what version 5.6 does: a new error with the status and the message of what they reject with. */
const OpenApiValidator = {
  middleware: ({ validateSecurity }: { validateSecurity: { handlers: SecurityHandlers } }): RequestHandler =>
    async function validate(req, res, next) {
      try {
        const passed = await validateSecurity.handlers[req.path.slice(1)]!(req, ['orders:write'])
        if (passed) next()
        else res.sendStatus(401)
      } catch (error) {
        const { status, message } = error as platformAuth.OAuthError
        res.status(status).json({ message })
      }
    },
}

interface NestGuard {
  canActivate(context: object): Promise<boolean>
}
