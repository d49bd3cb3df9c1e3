// @ts-check
import { join } from 'node:path'
import express from 'express'
import { developerConsole } from 'express-platform-auth/console'
import { catalogRoutes } from './apis/catalog.js'
import { withGuides } from './http/guides.js'
import { home } from './http/home.js'
import { staffRoutes } from './http/staff.js'
import { mailboxRoutes } from './mail/mailbox-routes.js'
import { ordersRoutes } from './apis/orders.js'
import { answerError, answerNotFound } from './http/request-error.js'

/**
 * Creates the Express app and mounts everything.
 * @param {{
 *   auth: import('./platform.js').Platform
 *   database: import('./database/database.js').Database
 *   mailbox?: import('./mail/mailbox.js').Mailbox | undefined
 *   baseUrl: string
 *   staffPassword?: string | undefined
 *   isStopping?: () => boolean
 * }} options
 */
export function createApp({ auth, database, mailbox, baseUrl, staffPassword, isStopping = () => false }) {
  const platform = express.Router()
  // Token endpoints, key set and metadata, before the guarded routes.
  platform.use(auth.router)
  platform.use(ordersRoutes(auth, database.orders, baseUrl))
  platform.use(catalogRoutes(auth, database.products, baseUrl))
  platform.get('/health', async (_req, res) => {
    const health = await auth.health()
    // While it stops, requests are answered, and the proxy sends its requests elsewhere.
    res.status(health.ok && !isStopping() ? 200 : 503).json(health)
  })
  // The reference of each API, guides, and registration.
  const site = withGuides(baseUrl, (guides) => developerConsole(auth, { ...CONSOLE, guides }))
  platform.use('/developers', site)
  if (mailbox) platform.use(mailboxRoutes(mailbox, baseUrl))
  // Without a password there is no sign-in of the staff, and so none of their pages.
  if (staffPassword) platform.use(staffRoutes(auth, { baseUrl, password: staffPassword }))
  platform.get('/', home(auth, { baseUrl, mailbox }))

  const app = express()
  app.disable('x-powered-by')
  app.set('json spaces', 2)
  // X-Forwarded-* is accepted only from a proxy on this machine.
  app.set('trust proxy', 'loopback')
  app.use(auth.wellKnownRouter)
  // A proxy may remove the path of the base URL from requests, or leave it.
  app.use(new URL(baseUrl).pathname, platform)
  app.use(platform)
  app.use(answerNotFound)
  app.use(answerError)
  return app
}

const CONSOLE = {
  title: 'Tea and coffee developers',
  documents: {
    orders: join(import.meta.dirname, 'apis/orders.openapi.json'),
    catalog: join(import.meta.dirname, 'apis/catalog.openapi.json'),
  },
  changelog: join(import.meta.dirname, 'CHANGELOG.md'),
}
