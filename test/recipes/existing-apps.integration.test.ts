import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Express, Request, RequestHandler, Response } from 'express'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { developerConsole } from '../../src/tools/console/index.js'
import * as platformAuth from '../../src/index.js'
import { accessTokenFor, apiKeyFor, memoryMailer } from '../../src/tools/testing/index.js'
import { accessToken as requestAccessToken, exchange, type ClientCredentials } from '../support/http.js'
import {
  EXPRESSES,
  openPlatform,
  recordingLogger,
  SECRET,
  type TestPlatform,
  usePlatform,
} from '../support/platform.js'
import { request } from '../support/request.js'
import { runBlock } from './run-block.js'

/** Runs the blocks of this page; run-block.ts says how. Those marked `tried with:` need packages that are not here. */
const PAGE = 'docs/existing-apps.md'

// Without types.
const require = createRequire(import.meta.url)
const cors = require('cors') as () => RequestHandler
const session = require('express-session') as (options: object) => RequestHandler
const csurf = require('csurf') as () => RequestHandler
const lusca = require('lusca') as { csrf(): RequestHandler }

const CSRF_PROTECTIONS = [
  ['csurf', csurf, 'invalid csrf token'],
  ['lusca', lusca.csrf, 'CSRF token missing'],
] as const
const quietSession = (options: object): RequestHandler =>
  session({ secret: SECRET, resave: false, saveUninitialized: false, ...options })

describe.each(Object.entries(EXPRESSES))('%s', (_name, express) => {
  let host: TestPlatform
  let app: Express
  let accessToken: string
  let key: string

  beforeEach(async () => {
    host = openPlatform({ mailer: memoryMailer() })
    // An app in production shows no stack traces, and writes no refused request to stderr.
    app = express().set('env', 'test')
    accessToken = await accessTokenFor(host.auth, 'orders')
    key = await apiKeyFor(host.auth, 'catalog')
  })
  afterEach(() => host.auth.close())

  const send = (path: string) => request(app).post(path)
  const requestToken = async () => {
    const { credentials } = await host.auth.applications.create({ name: 'Partner', apis: ['orders'] })
    const { clientId, clientSecret = '' } = credentials
    return send('/orders/token').auth(clientId, clientSecret).type('form').send({ grant_type: 'client_credentials' })
  }

  describe.each(CSRF_PROTECTIONS)('an app with sessions and %s', (_protection, protection, refusal) => {
    it('behind the router and the guarded routes, as on the first screen, answers programs without a cookie, and shows no page a token', async () => {
      const pages = express.Router()
      pages.post('/pages', (_req, res) => void res.send('posted'))
      await runBlock(PAGE, 'In an existing app', {
        variables: {
          app,
          auth: host.auth,
          express,
          cors,
          session: quietSession,
          csurf: protection,
          secret: SECRET,
          pages,
          listOrders: (req: Request, res: Response) => void res.json(platformAuth.authOf(req).api),
          addOrder: (req: Request, res: Response) => void res.json(req.body),
        },
      })
      const answers = [
        await requestToken(),
        await request(app).get('/orders/items').auth(accessToken, { type: 'bearer' }).expect(200, '"orders"'),
        await send('/orders/items').auth(accessToken, { type: 'bearer' }).send({ tea: 1 }).expect(200, { tea: 1 }),
        await send('/orders/items').expect(401),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401])
      expect(answers.filter(({ headers }) => 'set-cookie' in headers)).toEqual([])
      expect(answers.map(({ headers }) => headers['access-control-allow-origin'])).toEqual([undefined, '*', '*', '*'])
      await send('/pages').expect(403, new RegExp(refusal))
    })

    it('before the router, guarded routes and the registration form refuses POST requests and sets cookies', async () => {
      app.use(quietSession({}), protection(), host.auth.router)
      app.all('/catalog/items', host.auth.requireApiKey('catalog'), (_req, res) => void res.end())
      app.use('/register', host.auth.registration.router)
      const { status, text } = await requestToken()
      expect([status, text]).toEqual([403, expect.stringContaining(refusal)])
      await send('/catalog/items').set('X-Api-Key', key).expect(403, new RegExp(refusal))
      await request(app).get('/catalog/items').set('X-Api-Key', key).expect(200).expect('Set-Cookie', /./)
      await send('/register').type('form').send({ name: 'Shop' }).expect(403, new RegExp(refusal))
    })
  })

  it('sets a cookie in answers to programs if a session comes before the router', async () => {
    app.use(quietSession({ saveUninitialized: true }), host.auth.router)
    const { status, headers } = await requestToken()
    expect([status, headers]).toEqual([200, expect.objectContaining({ 'set-cookie': expect.any(Array) as string[] })])
  })

  it('answers below a prefix, and at the root for metadata', async () => {
    const v1 = express.Router()
    v1.get('/items', (req: Request, res: Response) => void res.json(platformAuth.authOf(req).api))
    const createPlatformAuth = (options: platformAuth.PlatformAuthOptions) =>
      platformAuth.createPlatformAuth({ ...options, logger: recordingLogger() })
    const variables = { app, createPlatformAuth, store: platformAuth.memoryStore(), secret: SECRET, v1 }
    const block = await runBlock(PAGE, 'A prefix', { variables, returned: ['auth'] })
    const auth = block['auth'] as platformAuth.PlatformAuth
    onTestFinished(() => auth.close())
    const { credentials } = await auth.applications.create({ name: 'Partner', apis: ['v1'] })
    const { body } = await send('/api/v1/token')
      .auth(credentials.clientId, credentials.clientSecret ?? '')
      .type('form')
      .send({ grant_type: 'client_credentials' })
      .expect(200)
    const issued = (body as { access_token: string }).access_token
    await request(app).get('/api/v1/items').auth(issued, { type: 'bearer' }).expect(200, '"v1"')
    await request(app).get('/api/v1/items').expect(401)
    const metadata = await request(app).get('/.well-known/oauth-authorization-server/api/v1').expect(200)
    expect(metadata.body).toMatchObject({ token_endpoint: 'https://shop.example/api/v1/token' })
  })

  it('shows addresses below baseUrl, whatever path a guard is on', async () => {
    app.use(host.auth.router)
    app.get('/elsewhere/items', host.auth.requireBearer('orders'), (_req, res) => void res.json([]))
    app.use('/developers', developerConsole(host.auth))
    await request(app).get('/elsewhere/items').auth(accessToken, { type: 'bearer' }).expect(200)
    const metadata = await request(app).get('/orders/.well-known/oauth-protected-resource').expect(200)
    expect(metadata.body).toMatchObject({ resource: 'https://api.example.com/orders' })
    const console = await request(app).get('/developers/').expect(200)
    expect(console.text).toContain('https://api.example.com/orders/RESOURCE_PATH')
    expect(console.text).not.toContain('elsewhere')
  })

  it('knows the customer behind an application by its own number, and follows a change of terms', async () => {
    const partners = express.Router()
    partners.use(host.auth.router)
    const findOrders = async (...found: unknown[]): Promise<unknown> => found
    const block = await runBlock(PAGE, 'Your customers', {
      variables: { auth: host.auth, authOf: platformAuth.authOf, findOrders, partners },
      returned: ['admitCustomer', 'changeTerms'],
    })
    app.use(partners)
    type Call = (customer: object) => Promise<platformAuth.IssuedCredentials>
    const customer = { name: 'Shop', email: 'dev@shop.example', number: 'C-1001' }
    const credentials = await (block['admitCustomer'] as Call)({ ...customer, discount: 10 })
    const token = await requestAccessToken(app, 'orders', credentials as ClientCredentials)
    const orders = () => request(app).get('/orders/items').auth(token, { type: 'bearer' })
    expect((await orders().expect(200)).body).toEqual(['C-1001', 10])
    await (block['changeTerms'] as Call)({ ...customer, discount: 20 })
    expect((await orders().expect(200)).body).toEqual(['C-1001', 20])
  })

  describe('a folder of files behind a guard', () => {
    const PATHS = [
      '/files/report.txt',
      '/files/%72eport.txt',
      '/%66iles/report.txt',
      '//files/report.txt',
      '/./files/report.txt',
    ]
    const folder = fileURLToPath(new URL('existing-apps', import.meta.url))
    const statuses = () =>
      Promise.all(PATHS.map(async (path) => (await exchange(app, [`GET ${path} HTTP/1.1`])).status))
    const guarded = async (index: number) => {
      const auth = { requireApiKey: () => host.auth.requireApiKey('catalog') }
      const express = { static: (path: string) => EXPRESSES['Express 5'].static(join(folder, path)) }
      await runBlock(PAGE, 'Guard and handler on one mount', { variables: { app, auth, express } }, index)
    }

    it('is served without a key by other spellings of its path, if the guard is on a mount of its own', async () => {
      await guarded(0)
      expect(await statuses()).toEqual([401, 401, 200, 200, 200])
    })

    it('is not served without a key if guard and handler are on one mount', async () => {
      await guarded(1)
      expect(await statuses()).toEqual([401, 401, 404, 404, 404])
      await request(app).get('/files/report.txt').set('X-Api-Key', key).expect(200, 'figures\n')
    })

    it('is decoded by route parameters too', async () => {
      app.use('/files', host.auth.requireApiKey('catalog'))
      app.get('/:folder/:name', (req, res) => void res.send(req.params.folder))
      await request(app).get('/files/report.txt').expect(401)
      await request(app).get('/%66iles/report.txt').expect(200, 'files')
    })
  })

  it('answers an OAuthError in an error handler as the guards do', async () => {
    app.get('/checked', (req, res, next) => {
      host.auth.verifyAccessToken('orders', req.get('token') ?? '').then(({ api }) => res.json(api), next)
    })
    app.get('/broken', (_req, _res, next) => next(new Error('not an OAuthError')))
    app.get('/guarded', host.auth.requireBearer('orders'))
    await runBlock(PAGE, 'OAuthError', { variables: { app } })
    await request(app).get('/checked').set('token', accessToken).expect(200, '"orders"')
    const checked = await request(app).get('/checked').set('token', 'forged').expect(401)
    const guarded = await request(app).get('/guarded').set('Authorization', 'Bearer forged').expect(401)
    expect(checked.body).toEqual(guarded.body)
    for (const name of ['www-authenticate', 'cache-control']) expect(checked.headers[name]).toBe(guarded.headers[name])
    await request(app)
      .get('/broken')
      .expect(500, /not an OAuthError/)
  })
})

it('an OAuthError has the fields that the page lists', async () => {
  const { auth } = usePlatform()
  const error: unknown = await auth.verifyApiKey('catalog', 'unknown').catch((error: unknown) => error)
  expect(error).toBeInstanceOf(platformAuth.OAuthError)
  const { name, status, error: code, description, headers, message } = error as platformAuth.OAuthError
  expect({ name, status, code, description, headers }).toEqual({
    name: 'OAuthError',
    status: 401,
    code: 'invalid_api_key',
    description: message,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'WWW-Authenticate': expect.stringMatching(/^ApiKey realm="catalog"/) as string,
    },
  })
  expect((error as platformAuth.OAuthError).code).toBe(code)
})
