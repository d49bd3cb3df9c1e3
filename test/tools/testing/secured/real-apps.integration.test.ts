import { createServer } from 'node:http'
import { createBullBoard } from '@bull-board/api'
import { ExpressAdapter } from '@bull-board/express'
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js'
import { mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js'
import express, { type Express, type RequestHandler } from 'express'
import express4 from 'express4'
import jsonServer from 'json-server'
import { OAuth2Server } from 'oauth2-mock-server'
import { ExpressPeerServer } from 'peer'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { expectSecured, RoutesNotSecuredError, type ExpectSecuredOptions } from '../../../../src/tools/testing/index.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'
import { openShop } from './shop.js'

const { auth } = openShop()
afterAll(() => auth.close())

const pass: RequestHandler = (_req, _res, next) => next()
const mayRead = auth.requireBearer('orders', { scopes: ['orders:read'] })
const mayBrowse = auth.requireApiKey('catalog')

interface RealApp {
  readonly app: Express
  readonly options?: Omit<ExpectSecuredOptions, 'auth'>
}

/** Published Express apps (all of them MIT), as their readmes mount them. They get a guard, or one that lets everybody pass. */
const REAL_APPS: readonly (readonly [
  name: string,
  build: (guard: (guard: RequestHandler) => RequestHandler) => RealApp,
])[] = [
  [
    'json-server: a REST API for JSON (Express 4, nested routers, method override, CORS, compression)',
    (guard) => {
      const data = { items: [{ id: 1, orderId: 7 }], profile: { name: 'shop' } }
      const app = express4() as unknown as Express
      app.use(jsonServer.defaults({ logger: false }))
      return { app: app.use('/orders', guard(mayRead), jsonServer.router(data)) }
    },
  ],
  [
    'PeerServer: a broker for PeerJS (Express 4, a mounted app that mounts its routers later)',
    (guard) => {
      const app = express4() as unknown as Express
      // It starts timers that it cannot stop.
      vi.useFakeTimers()
      app.use(
        '/catalog',
        guard(mayBrowse),
        ExpressPeerServer(createServer(), { path: '/peers', allow_discovery: true }),
      )
      vi.useRealTimers()
      return { app }
    },
  ],
  [
    'Bull Board: a dashboard for queues (Express 5, static files, views, wrapped handlers)',
    (guard) => {
      const serverAdapter = new ExpressAdapter().setBasePath('/orders/queues')
      createBullBoard({ queues: [], serverAdapter })
      return { app: express().use('/orders/queues', guard(mayRead), serverAdapter.getRouter()) }
    },
  ],
  [
    'oauth2-mock-server: an identity provider (Express 5, an app with strict JSON and its own error handler)',
    (guard) => {
      const provider = new OAuth2Server().service.requestHandler as RequestHandler
      return { app: express().use('/orders/provider', guard(mayRead), provider) }
    },
  ],
  [
    'MCP SDK: a server for models (Express 5, host header check, metadata that is public)',
    (guard) => {
      const app = createMcpExpressApp()
      const resource = new URL('https://api.example.com/orders/mcp')
      const oauthMetadata = {
        issuer: 'https://api.example.com/orders',
        authorization_endpoint: 'https://api.example.com/orders/authorize',
        token_endpoint: 'https://api.example.com/orders/token',
        response_types_supported: ['code'],
      }
      app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl: resource }) as RequestHandler)
      app.post('/orders/mcp', guard(mayRead), (_req, res) => void res.end())
      return {
        app,
        options: { public: { '/.well-known/*': 'metadata of the authorization server and of the resource' } },
      }
    },
  ],
]

// The first one has most addresses; frameworks.long.test.ts has it too.
describe.each(REAL_APPS.slice(IS_LONG_LANE ? 0 : 1))('%s', (_name, build) => {
  it('has no problem behind a guard', async () => {
    const { app, options } = build((guard) => guard)
    const { routes } = await expectSecured(app, { auth, ...options })
    expect(routes.length).toBeGreaterThan(0)
  })

  it('has an open route without it', async () => {
    const { app, options } = build(() => pass)
    const error = await expectSecured(app, { auth, ...options }).catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(RoutesNotSecuredError)
    expect((error as RoutesNotSecuredError).problems[0]).toMatchObject({ kind: 'open' })
  })
})
