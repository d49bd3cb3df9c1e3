/**
 * A platform in its own process that reminds contacts of keys that expire, until it is killed:
 * `node reminding-process.mjs <SQLite file or postgres://...> <began> <time> <speed>`. At `began` (real time) its clock was at
 * `time`; since then it has run `speed` times as fast as the real one. `mail <recipient>` is an e-mail that was accepted.
 */
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { createPlatformAuth } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

const [address = '', began = '', time = '', speed = ''] = process.argv.slice(2)
const store = address.startsWith('postgres:')
  ? postgresStore({ pool: new Pool({ connectionString: address, max: 3 }), listen: false })
  : sqliteStore(address)

const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { catalog: { scheme: 'apiKey' } },
  store,
  secret: 'a secret of 32 characters or more',
  features: [
    emails({
      remindBefore: [30],
      mailer: {
        async send({ to }) {
          await sleep(10)
          // Synchronous, so that nothing that was done is missing when the process is killed.
          writeSync(1, `mail ${to}\n`)
        },
      },
    }),
  ],
  logger: { debug() {}, info() {}, warn: console.error, error: console.error },
  now: () => Number(time) + (Date.now() - Number(began)) * Number(speed),
})
await auth.ready()
// Keeps the process running until it is killed: its timers and sockets are unref'd.
setInterval(() => undefined, 60_000)
