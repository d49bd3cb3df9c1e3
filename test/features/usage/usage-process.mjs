/**
 * A platform in its own process, which writes usage every 200 ms instead of every minute: `node usage-process.mjs <SQLite file>`.
 * Calls a guarded route again and again; after each answer it writes how many there were to stdout.
 */
import { writeSync } from 'node:fs'
import express from 'express'

const { setTimeout } = globalThis
// The minute of the platform's timer for counts.
globalThis.setTimeout = /** @type {typeof setTimeout} */ (
  /** @param {() => void} callback @param {number} [delay] @param {any[]} args */
  (callback, delay, ...args) => setTimeout(callback, delay === 60_000 ? 200 : delay, ...args)
)
const { createPlatformAuth } = await import('express-platform-auth')
const { usage } = await import('express-platform-auth/usage')
const { sqliteStore } = await import('express-platform-auth/stores/sqlite')

const auth = createPlatformAuth({
  baseUrl: 'http://localhost:3000',
  apis: { catalog: { scheme: 'apiKey' } },
  store: sqliteStore(process.argv[2] ?? ''),
  features: [usage()],
})
await auth.ready()
const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
const app = express().get('/', auth.requireApiKey('catalog'), (_req, res) => void res.end())
const server = app.listen(0, '127.0.0.1', () => void callForEver())

async function callForEver() {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  for (let answers = 1; ; answers++) {
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Api-Key': credentials.clientId } })
    if (status !== 200) throw new Error(`The answer is ${status}.`)
    writeSync(1, `${answers} ${Date.now()}\n`)
  }
}
