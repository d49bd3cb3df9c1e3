/**
 * A process with nothing but Express and a platform on a PostgreSQL, which says what it takes:
 * `node --expose-gc capacity-process.mjs <url> <secret>`. Told by message what to verify.
 */
import express from 'express'
import { createPlatformAuth } from 'express-platform-auth'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { Pool } from 'pg'

const [url, secret = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit())

const began = performance.now()
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
const ready = performance.now() - began

process.on('message', (/** @type {{ keys: string[], tokens: string[] }} */ order) => void obey(order))
process.send?.({ ready, memory: memory() })

/** @param {{ keys: string[], tokens: string[] }} order */
async function obey({ keys, tokens }) {
  await each(keys, (key) => auth.verifyApiKey('catalog', key))
  await each(tokens, (token) => auth.verifyAccessToken('orders', token))
  process.send?.({ memory: memory() })
}

/** Ten at a time. @param {string[]} list @param {(one: string) => Promise<unknown>} verify */
async function each(list, verify) {
  const rest = list.values()
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (const one of rest) await verify(one)
    }),
  )
}

/** Megabytes that are left when all garbage is collected. */
function memory() {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 }
}
