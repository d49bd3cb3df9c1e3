import express from 'express'
import { onTestFinished } from 'vitest'
import { memoryMailer } from '../../../src/tools/testing/index.js'
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

/** The same for one test, which closes it. */
export async function usePortalApp(options: TestOptions = {}): Promise<PortalApp> {
  const app = await openPortalApp(options)
  onTestFinished(app.close)
  return app
}

/** Signs a contact in. */
export async function visit({ auth }: Pick<PortalApp, 'auth'>, contact: string): Promise<Visitor> {
  return signIn(await auth.portal.link({ contact }))
}
