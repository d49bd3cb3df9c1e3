import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createRemoteAuth } from '../../../dist/esm/tools/remote/index.js'
import { guardedApp } from '../app.mjs'
import { PLATFORM, WITHOUT_LIMIT } from '../platform.mjs'
import { start as startPlatform } from './ours.mjs'

const HERE = fileURLToPath(import.meta.url)

/** The package's guards in a service without a database. Its platform is a process of its own, whose time is not measured. */
export async function start({ guard, ...options }) {
  const child = fork(HERE, [JSON.stringify({ ...options, guard: 'none' })], { execArgv: [] })
  const [{ port, lines, clientId, clientSecret }] = await once(child, 'message')
  const { baseUrl, apis } = PLATFORM
  const address = `http://127.0.0.1:${port}`
  const auth = createRemoteAuth({ platform: baseUrl, address, apis, clientId, clientSecret, ...WITHOUT_LIMIT })
  await auth.ready()
  const isBearer = guard === 'bearer'
  const judge = isBearer ? auth.requireBearer('orders', { scopes: ['orders:read'] }) : auth.requireApiKey('catalog')
  return { app: guardedApp(judge), lines }
}

if (process.argv[1] === HERE) {
  process.on('disconnect', () => process.exit())
  const { app, auth, lines } = await startPlatform(JSON.parse(process.argv[2]))
  const made = await auth.applications.create({ name: 'Service', resourceServer: ['orders', 'catalog'] })
  const server = app.listen(0, '127.0.0.1', () => {
    process.send({ port: server.address().port, lines, ...made.credentials })
  })
}
