/**
 * A platform in its own process: `node quota-process.mjs <SQLite file> <key>`. Calls a guarded route again and again; after each answer
 * it writes how many requests passed to stdout.
 */
import { writeSync } from 'node:fs'
import express from 'express'
import { createPlatformAuth } from 'express-platform-auth'
import { plans } from 'express-platform-auth/plans'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

const [, , file = '', key = ''] = process.argv
const auth = createPlatformAuth({
  baseUrl: 'http://localhost:3000',
  apis: { catalog: { scheme: 'apiKey' } },
  store: sqliteStore(file),
  features: [plans({ free: { requests: [{ limit: 400, per: 'month' }] } })],
})
await auth.ready()
const app = express().get('/', auth.requireApiKey('catalog'), (_req, res) => void res.end())
const server = app.listen(0, '127.0.0.1', () => void callUntilRefused())

async function callUntilRefused() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  for (let passed = 1; ; passed++) {
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Api-Key': key } })
    if (status !== 200) return void writeSync(1, `${status}\n`)
    writeSync(1, `passed ${passed}\n`)
  }
}
