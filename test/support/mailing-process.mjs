/**
 * A platform in its own process that registers applications and mails their credentials, until it is killed:
 * `node mailing-process.mjs <SQLite file> <port of the mail server> <SMTP time-out in ms> <began> <speed>
 * <names>`. Since `began` its clock has run `speed` times as fast as the real one. Log messages and events are lines on stdout; `registered <name>` is a
 * registration that was acknowledged.
 */
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { createPlatformAuth } from 'express-platform-auth'
import { emails, smtpMailer } from 'express-platform-auth/emails'
import { registration } from 'express-platform-auth/registration'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import { createTransport } from 'nodemailer'

const [file = '', port = '', timeout = '', began = '', speed = '', names = ''] = process.argv.slice(2)

/** Synchronous, so that nothing that was done is missing when the process is killed. @param {unknown[]} parts */
function print(...parts) {
  writeSync(1, `${parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ')}\n`)
}

const transport = createTransport({
  host: '127.0.0.1',
  port: Number(port),
  auth: { user: 'platform', pass: 'correct horse' },
  connectionTimeout: Number(timeout),
  greetingTimeout: Number(timeout),
  socketTimeout: Number(timeout),
})
const auth = createPlatformAuth({
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2', registration: 'automatic' }, catalog: { scheme: 'apiKey' } },
  store: sqliteStore(file),
  secret: 'a secret of 32 characters or more',
  features: [emails({ mailer: smtpMailer({ transport, from: 'developers@example.com' }) }), registration()],
  logger: { debug: print, info: print, warn: print, error: print },
  now: () => Number(began) + (Date.now() - Number(began)) * Number(speed),
})
for (const type of /** @type {const} */ (['registered', 'delivered', 'activated', 'deliveryFailed', 'updated'])) {
  auth.events.on(`application.${type}`, (event) => print('event', JSON.stringify(event)))
}

await auth.ready()
print('ready')
for (const name of names === '' ? [] : names.split(',')) {
  await sleep(Math.random() * 100)
  const contact = `${name}@customer.example`
  await auth.registration.register({ name: `App ${name}`, contact, apis: ['orders', 'catalog'] })
  print('registered', name)
}
// Keeps the process running until it is killed: its timers and sockets are unref'd.
setInterval(() => undefined, 60_000)
