/** A server beside the command line: sends its URL to its parent once it is ready, and ends with it. */
import express from 'express'
import { createPlatformAuth } from 'express-platform-auth'
import options from './platform.mjs'

const { CLI_POSTGRES } = process.env
const logger = {
  debug() {},
  info() {},
  warn() {},
  error: (/** @type {unknown[]} */ ...args) => process.stderr.write(`${args.join(' ')}\n`),
}
const auth = createPlatformAuth({
  ...options(),
  logger,
  ...(CLI_POSTGRES && { store: await openPostgres(CLI_POSTGRES) }),
})
const app = express()
app.use(auth.router)
app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
await auth.ready()
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
// A connection that is kept while the machine stands still would be reset at its next request.
server.keepAliveTimeout = 60_000
process.on('disconnect', () => process.exit())

/** @param {string} connectionString @returns {Promise<import('express-platform-auth').Store>} */
async function openPostgres(connectionString) {
  const { default: pg } = await import('pg')
  const { postgresStore } = await import('express-platform-auth/stores/postgres')
  return postgresStore({ pool: new pg.Pool({ connectionString }) })
}
