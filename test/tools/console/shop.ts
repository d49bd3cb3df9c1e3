import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express, { type Express, type Router } from 'express'
import { developerConsole, type DeveloperConsoleOptions } from '../../../src/tools/console/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { atEnd } from '../../support/at-end.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'

/** The example app's documents, which the shop below implements. */
export const DOCUMENTS = {
  orders: fileURLToPath(new URL('../../../example-app/apis/orders.openapi.json', import.meta.url)),
  catalog: fileURLToPath(new URL('../../../example-app/apis/catalog.openapi.json', import.meta.url)),
}

export const APIS = {
  orders: {
    scheme: 'oauth2',
    title: 'Orders',
    description: 'Place orders, follow them, change and cancel them.',
    scopes: { 'orders:read': 'Read orders', 'orders:write': 'Place, change and cancel orders' },
    registration: 'automatic',
  },
  catalog: { scheme: 'apiKey', header: 'Shop-Key', title: 'Catalogue', description: 'What the shop sells.' },
} as const

interface ShopOptions {
  readonly options?: TestOptions
  readonly console?: DeveloperConsoleOptions<keyof typeof APIS>
  /** The console's mount path. */
  readonly path?: string
  /** Middleware before everything else. */
  readonly before?: (app: Express) => void
}

/** A running app with both APIs and the console: the example app with a memory store. */
export async function openShop({ options = {}, console = {}, path = '/developers', before }: ShopOptions = {}) {
  const app = express()
  const server = createServer(app)
  const port = await listen(server)
  const baseUrl = `http://localhost:${port}`
  const mailer = memoryMailer()
  const { auth } = openPlatform({
    baseUrl,
    developersUrl: `${baseUrl}${path}`,
    mailer,
    now: Date.now,
    rateLimits: { registration: false },
    ...options,
    apis: APIS,
  })
  before?.(app)
  app.use(auth.router)
  const mayRead = auth.requireBearer('orders', { scopes: ['orders:read'] })
  const mayWrite = auth.requireBearer('orders', { scopes: ['orders:write'] })
  app.use('/orders/items', (req, res, next) => (req.method === 'GET' ? mayRead : mayWrite)(req, res, next))
  app.use('/orders/items', express.json(), things('id'))
  app.use('/catalog/items', auth.requireApiKey('catalog'), express.json(), things('sku'))
  app.use(path, developerConsole(auth, { documents: DOCUMENTS, title: 'Tea shop developers', ...console }))
  await auth.ready()
  return {
    auth,
    app,
    server,
    baseUrl,
    mailer,
    developers: `${baseUrl}${path}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}

export type Shop = Awaited<ReturnType<typeof openShop>>

/** The same, which is closed at the end of the test, or outside of a test of the file. */
export async function useShop(options?: ShopOptions): Promise<Shop> {
  const shop = await openShop(options)
  atEnd(() => shop.close())
  return shop
}

/** Stores any JSON: create, list, read, replace and delete. */
function things(id: 'id' | 'sku'): Router {
  const kept = new Map<string, object>([['TEA-SENCHA-100', { sku: 'TEA-SENCHA-100', name: 'Sencha' }]])
  const router = express.Router()
  router.get('/', (_req, res) => void res.json({ items: [...kept.values()] }))
  router.post('/', (req, res) => {
    const body = req.body as Record<string, string>
    const thing = { id: `ord_${kept.size}`, ...body }
    kept.set(thing[id as 'id'], thing)
    res.status(201).json(thing)
  })
  router
    .route('/:name')
    .all((req, res, next) => (kept.has(req.params.name) ? next() : void res.status(404).json({ error: 'not_found' })))
    .get((req, res) => void res.json(kept.get(req.params.name)))
    .put((req, res) => void res.json({ ...kept.get(req.params.name), ...(req.body as object) }))
    .delete((req, res) => {
      kept.delete(req.params.name)
      res.status(204).end()
    })
  return router
}

/** Starts listening; resolves the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening))
  return (server.address() as AddressInfo).port
}
