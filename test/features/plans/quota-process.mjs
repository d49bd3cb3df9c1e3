/**
 * A platform in its own process: `node quota-process.mjs <SQLite file or PostgreSQL URL> <key> <route> [<URL of Redis>]`. When something
 * arrives on stdin it calls a guarded route, whose requests cost 2, again and again until it is refused; after each answer it writes how many passed to stdout. Usage is written every
 * 200 ms instead of every minute. SIGTERM closes it.
 */
import { writeSync } from 'node:fs'
import express from 'express'
import { Redis } from 'ioredis'
import { Pool } from 'pg'

/** So that a process is killed before the quota is used. */
const PAUSE_MS = 20

const [, , db = '', key = '', route = '', redisUrl] = process.argv
const { setTimeout } = globalThis
// The minute of the timer for usage.
globalThis.setTimeout = /** @type {typeof setTimeout} */ (
  /** @param {() => void} callback @param {number} [delay] @param {any[]} args */
  (callback, delay, ...args) => setTimeout(callback, delay === 60_000 ? 200 : delay, ...args)
)
const { createPlatformAuth } = await import('express-platform-auth')
const { plans } = await import('express-platform-auth/plans')
const { usage } = await import('express-platform-auth/usage')
const { sqliteStore } = await import('express-platform-auth/stores/sqlite')
const { postgresStore } = await import('express-platform-auth/stores/postgres')

const redis = redisUrl ? new Redis(redisUrl, { retryStrategy: () => 50 }) : undefined
redis?.on('error', () => undefined)
const auth = createPlatformAuth({
  baseUrl: 'http://localhost:3000',
  apis: { catalog: { scheme: 'apiKey' } },
  secret: 'a secret of 32 characters or more',
  store: db.includes('://') ? postgresStore({ pool: new Pool({ connectionString: db, max: 3 }) }) : sqliteStore(db),
  rateLimits: { requests: false, ...(redis && { redis }) },
  logger: { ...console, warn },
  features: [plans({ free: { requests: [{ limit: 400, per: 'month' }] } }), usage({ routes: true })],
})
await auth.ready()
const app = express().get(`/${route}/:id`, auth.requireApiKey('catalog', { cost: 2 }), (_req, res) => void res.end())
const server = app.listen(0, '127.0.0.1', () => void writeSync(1, 'ready\n'))
process.stdin.on('data', () => void callUntilRefused())
process.once('SIGTERM', () => void auth.close().then(() => process.exit()))

/** On a busy machine Redis may answer too late. @param {unknown[]} message */
function warn(...message) {
  if (String(message[0]).startsWith('Redis is unavailable')) writeSync(1, 'counts alone\n')
  if (String(message[0]).startsWith('Redis answers again')) writeSync(1, 'shared again\n')
}

let passed = 1

async function callUntilRefused() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  for (; ; passed++) {
    const { status } = await fetch(`http://127.0.0.1:${port}/${route}/${passed}`, { headers: { 'X-Api-Key': key } })
    if (status !== 200) return void writeSync(1, `${status}\n`)
    writeSync(1, `passed ${passed}\n`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
