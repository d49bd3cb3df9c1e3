// @ts-check
import { once } from 'node:events'
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long running requests may take, and how long a proxy may keep idle connections, once no more are accepted. */
const SHUTDOWN_TIMEOUT_MS = 10_000

/**
 * Waits until the proxy has noticed that `/health` answers 503, accepts no more connections, finishes the running requests, and
 * closes the platform and the database. Then Node exits. docs/operations.md explains the steps.
 * @param {{
 *   server: import('node:http').Server
 *   auth: import('./platform.js').Platform
 *   database: import('./database.js').Database
 *   drainSeconds: number
 * }} running
 */
export async function shutDown({ server, auth, database, drainSeconds }) {
  await sleep(drainSeconds * 1000)
  const deadline = setTimeout(() => server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS)
  const closed = once(server, 'close')
  // Each connection ends after its next answer.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  // server.close() would also cut idle connections, into which a proxy may just be writing.
  Server.prototype.close.call(server)
  // Without a proxy they are ended at once.
  const closingIdle = drainSeconds === 0 ? setInterval(() => server.closeIdleConnections(), 100) : undefined
  await closed
  clearInterval(closingIdle)
  clearTimeout(deadline)
  await auth.close()
  await database.close()
}
