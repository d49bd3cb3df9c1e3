// @ts-check
import { join } from 'node:path'
import express from 'express'
import { developerConsole } from 'express-platform-auth/console'
import { catalogRoutes } from './catalog.js'
import { home } from './home.js'
import { mailboxRoutes } from './mailbox-routes.js'
import { ordersRoutes } from './orders.js'
import { answerError, answerNotFound } from './request-error.js'

/**
 * The Express app: what is mounted where.
 * @param {{
 *   auth: import('./platform.js').Platform
 *   database: import('./database.js').Database
 *   mailbox?: import('./mailbox.js').Mailbox | undefined
 *   baseUrl: string
 * }} options
 */
export function createApp({ auth, database, mailbox, baseUrl }) {
  const platform = express.Router()
  // Token endpoint, key set, metadata: before the guarded routes.
  platform.use(auth.router)
  platform.use(ordersRoutes(auth, database.orders, baseUrl))
  platform.use(catalogRoutes(auth, database.products, baseUrl))
  platform.get('/health', async (_req, res) => {
    const health = await auth.health()
    res.status(health.ok ? 200 : 503).json(health)
  })
  // Every API with its reference, and, where e-mails can leave, registration.
  platform.use('/developers', developerConsole(auth, { title: 'Tea and coffee developers', documents: DOCUMENTS }))
  if (mailbox) platform.use(mailboxRoutes(mailbox, baseUrl))
  platform.get('/', home(auth, { baseUrl, mailbox }))

  const app = express()
  app.disable('x-powered-by')
  app.set('json spaces', 2)
  // A proxy on this machine may say who is calling.
  app.set('trust proxy', 'loopback')
  app.use(auth.wellKnownRouter)
  // The base URL's path arrives here as it is, or, behind a proxy that strips it, not at all.
  app.use(new URL(baseUrl).pathname, platform)
  app.use(platform)
  app.use(answerNotFound)
  app.use(answerError)
  return app
}

const DOCUMENTS = {
  orders: join(import.meta.dirname, 'orders.openapi.json'),
  catalog: join(import.meta.dirname, 'catalog.openapi.json'),
}
