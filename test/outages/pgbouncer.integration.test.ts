import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { Client, Pool } from 'pg'
import { expect, it, vi } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { blocksOf, readPage } from '../docs/pages.js'
import { freePort } from '../support/free-port.js'
import { accessToken, createApplication, createTokenForm, listen } from '../support/http.js'
import { startLoad } from '../proxies/load.js'
import type { AtEnd } from '../support/outage-host.js'
import { openPlatform } from '../support/platform.js'
import { freshDatabase, startPostgres } from '../support/postgres.js'
import { timeBound } from '../support/time-bound.js'

it('platforms work through PgBouncer in transaction mode, as docs/scaling.md configures it', async ({
  onTestFinished: atEnd,
}) => {
  const database = await freshDatabase()
  atEnd(database.remove)
  const url = await startPgBouncer(database.url, atEnd)
  const platforms = [0, 1].map(() => {
    const pool = new Pool({ connectionString: url, max: 20 })
    atEnd(() => pool.end())
    const { auth } = openPlatform({ now: Date.now, store: postgresStore({ pool, listen: false }) })
    atEnd(auth.close)
    return auth
  })
  await Promise.all(platforms.map((auth) => auth.ready()))
  const [one, other] = platforms as [(typeof platforms)[0], (typeof platforms)[0]]

  // More callers than connections to the server, so that consecutive statements use different ones.
  const created = await Promise.all(Array.from({ length: 20 }, () => createApplication(one, ['catalog'])))
  const verifying = created.map(({ clientId }) => other.verifyApiKey('catalog', clientId))
  expect((await Promise.all(verifying)).map(({ application }) => application.id)).toEqual(created.map(({ id }) => id))
  const { id, clientId } = created[0]!
  await one.applications.suspend(id)
  await vi.waitFor(() => expect(other.verifyApiKey('catalog', clientId)).rejects.toMatchObject({ status: 403 }), {
    timeout: 60_000,
    interval: 20,
  })
  for (const auth of platforms) expect(await auth.health()).toEqual({ ok: true, problems: [] })
})

it('a restart of PostgreSQL behind PgBouncer, as docs/scaling.md configures it, fails no request of a known caller', async ({
  onTestFinished: atEnd,
}) => {
  const server = await startPostgres()
  atEnd(server.end)
  const url = await startPgBouncer(server.url, atEnd)
  const pool = new Pool({ connectionString: url, max: 5, connectionTimeoutMillis: 5000 })
  atEnd(() => pool.end())
  // Without `server_login_retry` PgBouncer waits 15 s.
  const { auth } = openPlatform({ now: Date.now, maxStaleness: 10, store: postgresStore({ pool, listen: false }) })
  atEnd(auth.close)
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.end())
  const { port, close } = await listen(app)
  atEnd(close)
  const client = await createApplication(auth, ['orders', 'catalog'])
  const Authorization = `Bearer ${await accessToken(app, 'orders', client)}`
  const body = new URLSearchParams(createTokenForm(client)).toString()
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const load = startLoad(
    port,
    [
      { name: 'bearer', method: 'GET', path: '/orders/items', headers: { Authorization } },
      { name: 'token', method: 'POST', path: '/orders/token', headers: form, body },
    ],
    4,
    5,
  )
  await vi.waitFor(() => expect(load.count()).toBeGreaterThan(50), { timeout: 60_000 })
  await server.stop()
  // PgBouncer learns of it.
  await vi.waitFor(async () => expect((await auth.health()).problems).not.toEqual([]), {
    timeout: 60_000,
    interval: 20,
  })
  await server.start()
  const restartedAt = performance.now()
  await vi.waitFor(async () => expect(await auth.health()).toEqual({ ok: true, problems: [] }), {
    timeout: 60_000,
    interval: 20,
  })
  expect(performance.now() - restartedAt).toBeLessThan(timeBound(3000))
  expect(Object.keys(await load.stop()).toSorted()).toEqual(['bearer 200', 'token 200'])
})

/** Starts PgBouncer with the configuration of docs/scaling.md, and resolves its address. */
async function startPgBouncer(target: string, atEnd: AtEnd): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(target)
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  atEnd(() => rm(folder, { recursive: true }))
  await chmod(folder, 0o755)
  const ownPort = await freePort()
  const documented = blocksOf(readPage('docs/scaling.md')).find(({ language }) => language === 'ini')!.code
  const connection = `host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`
  const settings = ['listen_addr = 127.0.0.1', `listen_port = ${ownPort}`, 'auth_type = any', 'unix_socket_dir =']
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, `${documented.replace(/host=.*/, connection)}\n${settings.join('\n')}\n`)
  // PgBouncer refuses to run as root.
  const NOBODY = 65_534
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const path = `${process.env['PATH']}:/usr/sbin`
  const bouncer = spawn('pgbouncer', [file], { ...owner, env: { PATH: path }, stdio: 'ignore' })
  atEnd(async () => {
    if (bouncer.exitCode !== null) return
    const exited = once(bouncer, 'exit')
    bouncer.kill('SIGKILL')
    await exited
  })
  const url = `postgres://anybody@127.0.0.1:${ownPort}/platform`
  await vi.waitFor(
    async () => {
      const client = new Client(url)
      await client.connect()
      await client.end()
    },
    { timeout: 60_000, interval: 50 },
  )
  return url
}
