// A provider's program, compiled against the packed declarations in every flavour of module.
import express from 'express'
import {
  authOf,
  createPlatformAuth,
  maybeAuthOf,
  memoryStore,
  OAuthError,
  type PlatformAuth,
} from 'express-platform-auth'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { accessTokenFor, apiKeyFor } from 'express-platform-auth/testing'
import { storeTests, type StoreTest } from 'express-platform-auth/testing/store'
import { developerConsole } from 'express-platform-auth/console'
import { observe } from 'express-platform-auth/opentelemetry'

const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: {
    orders: {
      scheme: 'oauth2',
      title: 'Orders',
      scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' },
    },
    catalog: { scheme: 'apiKey', title: 'Catalog' },
  },
  store: process.env['DATABASE'] ? sqliteStore(process.env['DATABASE']) : memoryStore(),
  secret: 'a secret of 32 characters or more',
})

const app = express()
app.use(auth.router)
app.use('/v1', auth.router)
app.get('/orders/:id', auth.requireBearer('orders', { scopes: ['orders:read'] }), (req, res) => {
  const id: string = req.params.id
  // @ts-expect-error the guard leaves the route's parameters as they are
  void req.params.idd
  res.json({ id, by: authOf(req).application.id, token: authOf(req).token?.expiresAt.toISOString() })
})
app.get('/catalog/:id', auth.requireApiKey('catalog', { optional: true }), (req, res) => {
  const id: string = req.params.id
  res.json({ id, by: maybeAuthOf(req)?.application.name })
})
app.get('/untouched', (req, res) => {
  // @ts-expect-error Express's types are left alone
  void req.auth
  // @ts-expect-error and @types/passport comes along with nothing
  void req.user
  res.end()
})

app.use('/developers', developerConsole(auth))
app.use('/developers', developerConsole(auth, { title: 'Shop', documents: { orders: './orders.json', catalog: {} } }))
// @ts-expect-error an API that is not there
developerConsole(auth, { documents: { ordres: './orders.json' } })

// Without OpenTelemetry's types.
const stop: () => void = observe(auth, { perApplication: true })
stop()
// @ts-expect-error no meter provider
observe(auth, { meterProvider: {} })

// @ts-expect-error catalog is called with a key
auth.requireBearer('catalog')
// @ts-expect-error an unknown scope
auth.requireBearer('orders', { scopes: ['orders:reed'] })

export async function verify(platform: PlatformAuth, token: string): Promise<string[]> {
  try {
    const { application, scopes } = await platform.verifyAccessToken('orders', token)
    return [application.name, ...scopes]
  } catch (error) {
    return error instanceof OAuthError ? [error.error, error.description] : []
  }
}

export async function credentials(): Promise<string[]> {
  return [await accessTokenFor(auth, 'orders', { scopes: ['orders:read'] }), await apiKeyFor(auth, 'catalog')]
}

export const tests: readonly StoreTest[] = storeTests(async () => {
  const store = memoryStore()
  return { store, again: async () => store, close: () => store.close() }
})
