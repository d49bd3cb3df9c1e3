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

// Only the owner can read what this process writes: database, secret, credentials.
process.umask(0o077)

try {
  await start()
} catch (error) {
  const isExplained = error instanceof SettingsError || error instanceof ConfigurationError
  console.error(isExplained ? error.message : error)
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
      // With npm, Ctrl-C sends the signal twice: from the terminal and from npm.
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
      `Port ${port} is in use. Stop the program that uses it, or choose another: PORT=${port + 1} npm start`,
    )
  }
}

/** How long running requests may take after the signal to stop. */
const SHUTDOWN_TIMEOUT_MS = 5000

/**
 * Accepts no new requests, finishes the running ones, and closes the platform and the database. Then Node exits.
 * @param {{
 *   server: import('node:http').Server
 *   auth: import('./platform.js').Platform
 *   database: import('./database.js').Database
 * }} running
 */
async function stop({ server, auth, database }) {
  const deadline = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS)
  const closed = once(server, 'close')
  // close() ends idle connections now; the header ends the others after their next answer.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  server.close()
  const closingIdle = setInterval(() => server.closeIdleConnections(), 100)
  await closed
  clearInterval(closingIdle)
  clearTimeout(deadline)
  await auth.close()
  await database.close()
}
