/**
 * A platform with a portal in its own process: `node portal-process.mjs`. Starts when it is sent the line `<SQLite file> <port>
 * <contact>`. Writes a link that signs the contact in to stdout. `GET /state` answers with the application of the contact,
 * whatever the portal shows.
 */
import { once } from 'node:events'
import express from 'express'
import { createPlatformAuth } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { portal } from 'express-platform-auth/portal'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

const [line] = await once(process.stdin, 'data')
process.stdin.destroy()
const [file = '', port = '', contact = ''] = String(line).trim().split(' ')
const baseUrl = `http://localhost:${port}`
const auth = createPlatformAuth({
  baseUrl,
  developersUrl: `${baseUrl}/developers`,
  apis: { orders: { scheme: 'oauth2' } },
  store: sqliteStore(file),
  secret: 'a secret of 32 characters or more',
  features: [emails({ mailer: { send: async () => undefined } }), portal()],
  rateLimits: { failedAuthentication: false },
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
})
await auth.ready()
const { items } = await auth.applications.list()
if (items.length === 0) await auth.applications.create({ name: 'Rotating', contact, apis: ['orders'] })

const app = express().use(auth.router).use('/developers/applications', auth.portal.router)
app.get('/state', async (_req, res) => {
  const [application] = (await auth.applications.list()).items
  const audit = await auth.audit.list({ applicationId: application?.id, limit: 1000 })
  res.json({
    application,
    rotations: audit.items.filter(({ type }) => type === 'application.credentialRotated').length,
  })
})
const link = await auth.portal.link({ contact })
app.listen(Number(port), 'localhost', () => process.stdout.write(`${link}\n`))
