/**
 * A process with only Express and a platform on PostgreSQL, which reports its memory. Usage:
 * `node --expose-gc capacity-process.mjs <url> <secret>`. A message tells it what to verify.
 */
import express from 'express'
import { createPlatformAuth } from 'express-platform-auth'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { Pool } from 'pg'

const [url, secret = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit())

const startedAt = performance.now()
const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } }, catalog: { scheme: 'apiKey' } },
  store: postgresStore({ pool: new Pool({ connectionString: url, max: 5 }) }),
  secret,
})
const app = express().use(auth.router)
app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.end())
app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.end())
await auth.ready()
const ready = performance.now() - startedAt

process.on('message', (/** @type {{ keys: string[], tokens: string[] }} */ order) => void verifyAll(order))
process.send?.({ ready, memory: measureMemory() })

/** @param {{ keys: string[], tokens: string[] }} order */
async function verifyAll({ keys, tokens }) {
  await verifyEach(keys, (key) => auth.verifyApiKey('catalog', key))
  await verifyEach(tokens, (token) => auth.verifyAccessToken('orders', token))
  process.send?.({ memory: measureMemory() })
}

/** Ten at a time. @param {string[]} list @param {(one: string) => Promise<unknown>} verify */
async function verifyEach(list, verify) {
  const rest = list.values()
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (const one of rest) await verify(one)
    }),
  )
}

/** Megabytes after garbage collection. */
function measureMemory() {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 }
}
