import { Pool } from 'pg'
import { expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { answersWith, openOutageHost, measureRecovery } from '../support/outage-host.js'
import { openPlatform } from '../support/platform.js'
import { application } from '../stores/records.js'
import { startPostgres } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'

it(
  'recovers without a restart when PostgreSQL is killed, becomes a replica and is promoted',
  { timeout: 60_000 },
  async ({ onTestFinished: atEnd }) => {
    const server = await startPostgres()
    atEnd(() => server.end())
    const pool = new Pool({ connectionString: server.url })
    atEnd(() => pool.end())
    const host = await openOutageHost(atEnd, postgresStore({ pool }), { maxStaleness: 1 })
    const { id } = host.credentials
    await server.crash()
    expect(await host.askCached()).toEqual(answersWith(200))
    await vi.waitFor(async () => expect(await host.askCached()).toEqual(answersWith(503)), { timeout: 5000 })
    expect((await host.health()).ok).toBe(false)
    await server.start()
    expect(await measureRecovery(host)).toBeLessThan(1000)

    // A change that was being committed when PostgreSQL was restarted: its transactions may be another server's now.
    const proxy = await startTcpProxy(server.url)
    atEnd(proxy.end)
    const proxied = new Pool({ connectionString: proxy.url })
    atEnd(() => proxied.end())
    const store = postgresStore({ pool: proxied, listen: false })
    await store.open()
    const restarted = proxy.breakAtCommit('after').then(async () => {
      await proxy.refuse()
      await server.crash()
      await server.start()
      await proxy.forward()
    })
    const saving = store.saveApplication(application('a'), undefined)
    await expect(saving).rejects.toMatchObject({ code: 'store_unavailable', outcome: 'unknown' })
    await restarted

    await server.stop()
    await server.standBy()
    expect(await measureRecovery(host)).toBeLessThan(1000)
    await expect(host.auth.applications.suspend(id)).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(await host.health()).toMatchObject({
      ok: true,
      problems: expect.stringMatching(/^The store has rejected writes since .*: it is read-only\.$/),
    })
    // A process can start on a replica of a store that is set up.
    const second = new Pool({ connectionString: server.url })
    atEnd(() => second.end())
    const late = openPlatform({ now: Date.now, store: postgresStore({ pool: second }) }).auth
    atEnd(late.close)
    await late.ready()
    expect(await late.verifyApiKey('catalog', host.credentials.clientId)).toBeDefined()

    // A process that starts on an empty replica says why it cannot, and starts after the promotion.
    const emptyPool = new Pool({ connectionString: server.url, options: '-c search_path=empty' })
    atEnd(() => emptyPool.end())
    const empty = openPlatform({ now: Date.now, store: postgresStore({ pool: emptyPool }) })
    atEnd(empty.auth.close)
    const problems = ['The platform is not ready: its store cannot be used yet (it is read-only).']
    await vi.waitFor(async () => expect(await empty.auth.health()).toEqual({ ok: false, problems }), { timeout: 3000 })
    expect(empty.logger.lines.join(' ')).toMatch(/could not start yet and will retry: .* during recovery/)

    await pool.query('SELECT pg_promote()')
    const promotedAt = performance.now()
    await vi.waitFor(() => host.auth.applications.suspend(id), { timeout: 5000, interval: 20 })
    expect(performance.now() - promotedAt).toBeLessThan(1000)
    expect((await host.auth.health()).problems).toEqual([])
    await vi.waitFor(
      () => expect(late.verifyApiKey('catalog', host.credentials.clientId)).rejects.toMatchObject({ status: 403 }),
      { timeout: 1500, interval: 20 },
    )
    await pool.query('CREATE SCHEMA empty')
    await vi.waitFor(async () => expect(await empty.auth.health()).toEqual({ ok: true, problems: [] }), {
      timeout: 3000,
    })
    // The change to a replica may have been too short for an outage.
    expect(host.storeEvents.slice(0, 2)).toEqual(['unavailable', 'available'])
    expect(host.storeEvents.at(-1)).toBe('available')
  },
)
