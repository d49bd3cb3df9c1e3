import express from 'express'
import { Pool } from 'pg'
import { expect, it, onTestFinished as atEnd, vi } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { accessToken, createApplication, createTokenForm, useServer } from '../support/http.js'
import { startLoad } from '../proxies/load.js'
import { startPgBouncer } from '../support/pgbouncer.js'
import { usePlatform } from '../support/platform.js'
import { freshDatabase, startPostgres } from '../support/postgres.js'
import { timeBound } from '../support/time-bound.js'

it('platforms work through PgBouncer in transaction mode, as docs/scaling.md configures it', async () => {
  const database = await freshDatabase()
  atEnd(database.remove)
  const { url, end } = await startPgBouncer(database.url)
  atEnd(end)
  const platforms = [0, 1].map(() => {
    const pool = new Pool({ connectionString: url, max: 10 })
    atEnd(() => pool.end())
    const { auth } = usePlatform({ now: Date.now, store: postgresStore({ pool, listen: false }) })
    return auth
  })
  await Promise.all(platforms.map((auth) => auth.ready()))
  const [one, other] = platforms as [(typeof platforms)[0], (typeof platforms)[0]]

  // More callers than connections to the server, so that consecutive statements use different ones.
  const created = await Promise.all(Array.from({ length: 10 }, () => createApplication(one, ['catalog'])))
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

it('a restart of PostgreSQL behind PgBouncer, as docs/scaling.md configures it, fails no request of a known caller', async () => {
  const server = await startPostgres()
  atEnd(server.end)
  const { url, end } = await startPgBouncer(server.url)
  atEnd(end)
  const pool = new Pool({ connectionString: url, max: 5, connectionTimeoutMillis: 5000 })
  atEnd(() => pool.end())
  // Without `server_login_retry` PgBouncer waits 15 s.
  const { auth } = usePlatform({
    now: Date.now,
    maxStaleness: timeBound(10),
    store: postgresStore({ pool, listen: false }),
  })
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.end())
  const { port } = await useServer(app)
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
