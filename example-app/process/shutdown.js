// @ts-check
import { once } from 'node:events'
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long running requests may take, once no more connections are accepted. */
const SHUTDOWN_TIMEOUT_MS = 5000
/** The same behind a proxy: longer than it keeps idle connections. */
const PROXY_SHUTDOWN_TIMEOUT_MS = 10_000

/**
 * Waits until the proxy has noticed that `/health` answers 503, accepts no more connections, finishes the running requests, and
 * closes the platform and the database. Then Node exits. docs/production.md explains the steps.
 * @param {{
 *   server: import('node:http').Server
 *   auth: import('../platform.js').Platform
 *   database: import('../database/database.js').Database
 *   drainSeconds: number
 * }} running
 */
export async function shutDown({ server, auth, database, drainSeconds }) {
  const behindProxy = drainSeconds > 0
  await sleep(drainSeconds * 1000)
  const timeout = behindProxy ? PROXY_SHUTDOWN_TIMEOUT_MS : SHUTDOWN_TIMEOUT_MS
  const deadline = setTimeout(() => server.closeAllConnections(), timeout)
  const closed = once(server, 'close')
  // Each connection ends after its next answer.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  // server.close() would also cut idle connections, into which a proxy may just be writing.
  Server.prototype.close.call(server)
  // Without a proxy they are ended at once.
  const closingIdle = behindProxy ? undefined : setInterval(() => server.closeIdleConnections(), 100)
  await closed
  clearInterval(closingIdle)
  clearTimeout(deadline)
  await auth.close()
  await database.close()
}
