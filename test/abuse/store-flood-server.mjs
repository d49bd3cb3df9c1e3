/**
 * A platform that a test floods with requests: `node store-flood-server.mjs <database URL or SQLite file>`. A pool has five
 * connections. Sends its port over IPC, and answers commands.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { createPlatformAuth } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { registration } from 'express-platform-auth/registration'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { Pool } from 'pg'

process.on('disconnect', () => process.exit())

const [, , store = ''] = process.argv
const auth = createPlatformAuth({
  baseUrl: 'http://localhost',
  apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
  store: store.startsWith('postgres')
    ? postgresStore({ pool: new Pool({ connectionString: store, max: 5, connectionTimeoutMillis: 5000 }) })
    : sqliteStore(store),
  secret: 'a secret of 32 characters or more',
  features: [emails({ mailer: { async send() {} } }), registration()],
})

const app = express().set('trust proxy', 'loopback').disable('x-powered-by').use(auth.router)
app.use('/register', auth.registration.router, auth.emails.router)
app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))

/** Creates applications whose credentials this process has not seen yet. @param {number} count */
async function createApplications(count) {
  const created = []
  for (let i = 0; i < count; i++)
    created.push(await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] }))
  return created.map(({ application, credentials }) => ({ id: application.id, ...credentials }))
}

/** Milliseconds that each of so many calls of `suspend` takes. @param {number} count */
async function measureSuspend(count) {
  const { application } = await auth.applications.create({ name: 'Suspended', apis: ['catalog'] })
  const times = []
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now()
    await auth.applications.suspend(application.id)
    times.push(performance.now() - startedAt)
    await auth.applications.resume(application.id)
    await sleep(5)
  }
  return times
}

/** @type {Record<string, (argument: any) => Promise<unknown>>} */
const commands = { createApplications, measureSuspend }

process.on(
  'message',
  (/** @type {{ id: number, command: string, argument?: unknown }} */ { id, command, argument }) => {
    commands[command]?.(argument).then(
      (result) => process.send?.({ id, result }),
      (error) => process.send?.({ id, problem: String(error) }),
    )
  },
)

await auth.ready()
const server = createServer(app).listen(0, '127.0.0.1')
// A connection that is kept while the machine stands still would be reset at its next request.
server.keepAliveTimeout = 60_000
await once(server, 'listening')
const address = server.address()
process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
