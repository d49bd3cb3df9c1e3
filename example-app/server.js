// @ts-check
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ConfigurationError, StoreIncompatibleError } from 'express-platform-auth'
import { createApp } from './app.js'
import { openDatabase } from './database/database.js'
import { demoCredentials, findCustomer } from './demo/demo-application.js'
import { openMail } from './mail/mail.js'
import { createPlatform } from './platform.js'
import { platformSecret } from './process/platform-secret.js'
import { readSettings, SettingsError } from './settings.js'
import { shutDown } from './process/shutdown.js'
import { printTryLines } from './demo/try-lines.js'

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
  const { baseUrl, port, drainSeconds, staffPassword } = settings
  const { mailer, mailbox } = await openMail(settings)
  const database = await openDatabase(settings.databaseUrl)
  const { store } = database
  await checkDatabase(store, settings)
  const secret = platformSecret(settings.secretFile)
  const auth = createPlatform({ baseUrl, store, secret, mailer, operators: settings.operators })
  await auth.ready()
  const credentials = await demoCredentials(auth, settings.credentialsFile)

  let stopping = false
  const server = createServer(
    createApp({ auth, database, mailbox, baseUrl, staffPassword, isStopping: () => stopping }),
  )
  // Longer than proxies keep idle connections: one that this process ended might be in use just then.
  if (drainSeconds > 0) server.keepAliveTimeout = 75_000
  await listen(server, port)
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      // With npm, Ctrl-C sends the signal twice: from the terminal and from npm.
      if (!stopping) void shutDown({ server, auth, database, drainSeconds })
      stopping = true
    })
  }
  const customer = await findCustomer(auth, credentials)
  const { credentialsFile, folder } = settings
  printTryLines({
    baseUrl,
    credentials,
    credentialsFile,
    folder,
    customer,
    staffPassword,
    mailbox: mailbox !== undefined,
  })
}

/**
 * Says which file to remove, if a build from before the first release made it. Whatever else is wrong, `ready()` finds.
 * @param {import('express-platform-auth').Store} store
 * @param {{ databaseUrl: string }} settings
 */
async function checkDatabase(store, { databaseUrl }) {
  const error = await store.open().catch((reason) => reason)
  if (!(error instanceof StoreIncompatibleError) || error.code !== 'schema_too_old' || databaseUrl.includes('://'))
    return
  throw new SettingsError(`${error.problem}. Remove ${databaseUrl}, and start again.`)
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
