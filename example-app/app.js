// @ts-check
import express from 'express'
import { catalogRoutes } from './catalog.js'
import { ordersRoutes } from './orders.js'
import { answerError, answerNotFound } from './request-error.js'

/**
 * The Express app: what is mounted where.
 * @param {{
 *   auth: import('./platform.js').Platform
 *   database: import('./database.js').Database
 *   baseUrl: string
 * }} options
 */
export function createApp({ auth, database, baseUrl }) {
  const platform = express.Router()
  // Token endpoint, key set, metadata: before the guarded routes.
  platform.use(auth.router)
  platform.use(ordersRoutes(auth, database.orders))
  platform.use(catalogRoutes(auth, database.products))
  platform.get('/health', async (_req, res) => {
    const health = await auth.health()
    res.status(health.ok ? 200 : 503).json(health)
  })
  platform.get('/', (_req, res) => {
    res.json({ welcome: 'The platform of a tea and coffee shop.', apis: auth.apis, health: `${baseUrl}/health` })
  })

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
