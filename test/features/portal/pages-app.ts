import express from 'express'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { atEnd } from '../../support/at-end.js'
import { listen } from '../../support/http.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'
import { signIn, type Visitor } from './visitor.js'

const APIS = {
  orders: {
    scheme: 'oauth2',
    title: 'Orders',
    scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' },
    registration: 'automatic',
  },
  invoices: { scheme: 'oauth2', title: 'Invoices', scopes: { 'invoices:read': 'Read invoices' } },
  catalog: { scheme: 'apiKey', title: 'Catalogue' },
  secrets: { scheme: 'apiKey', title: 'Internal', registration: 'closed' },
} as const

const PAYMENTS = {
  scheme: 'oauth2',
  title: 'Payments',
  clientAuthentication: ['private_key_jwt', 'client_secret_basic'],
} as const

/** A running app with a portal. `proofs`: with an API that takes public keys. */
export async function openPortalApp({ proofs = false, ...options }: TestOptions & { readonly proofs?: boolean } = {}) {
  const app = express()
  const server = await listen(app)
  const baseUrl = `http://localhost:${server.port}`
  const mailer = memoryMailer()
  const { auth, clock } = openPlatform({
    baseUrl,
    developersUrl: `${baseUrl}/developers`,
    mailer,
    rateLimits: { registration: false },
    ...options,
    apis: (proofs ? { ...APIS, payments: PAYMENTS } : APIS) as typeof APIS & { payments: typeof PAYMENTS },
  })
  app.use(auth.router)
  app.get('/catalog', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
  app.get('/orders', auth.requireBearer('orders'), (_req, res) => void res.json({}))
  app.use('/developers/applications', auth.portal.router)
  await auth.ready()
  const close = async (): Promise<void> => {
    await server.close()
    await auth.close()
  }
  return { auth, clock, app, baseUrl, mailer, close }
}

export type PortalApp = Awaited<ReturnType<typeof openPortalApp>>

/** The same, which is closed at the end of the test, or outside of a test of the file. */
export async function usePortalApp(options: Parameters<typeof openPortalApp>[0] = {}): Promise<PortalApp> {
  const app = await openPortalApp(options)
  atEnd(app.close)
  return app
}

/** Signs a contact in. */
export async function visit({ auth }: Pick<PortalApp, 'auth'>, contact: string): Promise<Visitor> {
  return signIn(await auth.portal.link({ contact }))
}
