// @ts-check
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ConfigurationError } from 'express-platform-auth'
import { createApp } from './app.js'
import { openDatabase } from './database.js'
import { demoCredentials } from './demo-application.js'
import { openMail } from './mail.js'
import { createPlatform } from './platform.js'
import { platformSecret } from './platform-secret.js'
import { readSettings, SettingsError } from './settings.js'
import { printTryLines } from './try-lines.js'

// Whatever this process writes (database, secret, credentials) is for its owner's eyes alone.
process.umask(0o077)

try {
  await start()
} catch (error) {
  const clear = error instanceof SettingsError || error instanceof ConfigurationError
  console.error(clear ? error.message : error)
  process.exit(1)
}

async function start() {
  const settings = readSettings()
  const { baseUrl, port } = settings
  const { mailer, mailbox } = await openMail(settings)
  const database = await openDatabase(settings.databaseUrl)
  const auth = createPlatform({ baseUrl, store: database.store, secret: platformSecret(settings.secretFile), mailer })
  await auth.ready()
  const credentials = await demoCredentials(auth, settings.credentialsFile)

  const server = createServer(createApp({ auth, database, mailbox, baseUrl }))
  await listen(server, port)
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      // Ctrl-C comes twice where npm started this: from the terminal, and from npm.
      if (!stopping) void stop({ server, auth, database })
      stopping = true
    })
  }
  printTryLines({ baseUrl, credentials, credentialsFile: settings.credentialsFile, mailbox: mailbox !== undefined })
}

/** @param {import('node:http').Server} server @param {number} port */
async function listen(server, port) {
  server.listen(port)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') throw error
    throw new SettingsError(
      `Port ${port} is in use. Stop what listens there, or take another: PORT=${port + 1} npm start`,
    )
  }
}

/** How long running requests may take after the signal to stop. */
const LAST_ANSWERS = 5000

/**
 * Takes no new requests, finishes the running ones, then lets go of the rest; with nothing left to do, Node exits.
 * @param {{
 *   server: import('node:http').Server
 *   auth: import('./platform.js').Platform
 *   database: import('./database.js').Database
 * }} running
 */
async function stop({ server, auth, database }) {
  const tooLate = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS)
  const closed = once(server, 'close')
  // Connections that are idle end now; those of clients that go on asking end with their next answer.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  server.close()
  const lettingGo = setInterval(() => server.closeIdleConnections(), 100)
  await closed
  clearInterval(lettingGo)
  clearTimeout(tooLate)
  await auth.close()
  await database.close()
}
