/**
 * A platform in its own process whose operators decide about registrations, until it is killed: `node deciding-process.mjs`.
 * Starts when it is sent the line `<SQLite file or postgres://...> <operators>`. Prints its port. Its mail server is always busy, so that
 * e-mails stay queued, and the attempts to send them change applications all the time.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import { Pool } from 'pg'
import { createPlatformAuth } from 'express-platform-auth'
import { emails } from 'express-platform-auth/emails'
import { registration } from 'express-platform-auth/registration'
import { postgresStore } from 'express-platform-auth/stores/postgres'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'

const [line] = await once(process.stdin, 'data')
process.stdin.destroy()
const [address = '', operators = ''] = String(line).trim().split(' ')
const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  developersUrl: 'https://example.com/developers',
  apis: { orders: { scheme: 'oauth2' } },
  store: address.startsWith('postgres:')
    ? postgresStore({ pool: new Pool({ connectionString: address, max: 5 }), listen: false })
    : sqliteStore(address),
  secret: 'a secret of 32 characters or more',
  features: [
    emails({
      mailer: {
        async send() {
          throw Object.assign(new Error('busy'), { refused: true })
        },
      },
    }),
    registration({ operators: operators.split(',') }),
  ],
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
})
await auth.ready()
const server = createServer(express().use('/register', auth.registration.router)).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(/** @type {import('node:net').AddressInfo} */ (server.address()).port)
