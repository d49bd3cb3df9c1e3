import { Pool } from 'pg'
import { expect, it, vi } from 'vitest'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { runInProcess } from '../tools/cli/command-line.js'
import { createApplication } from '../support/http.js'
import { answersWith, measureRecovery, openOutageHost, type AtEnd } from '../support/outage-host.js'
import { openPlatform } from '../support/platform.js'
import { DEBIAN_POSTGRES as native, execute, startPostgres } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'

// The failover guide of docs/incidents.md, tried with streaming replication.

it(
  'a synchronous standby that is promoted has every change that was acknowledged',
  { timeout: 120_000 },
  async ({ onTestFinished: atEnd }) => {
    const { primary, standby, proxy, host } = await openReplicatedHost(atEnd)
    await execute(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await execute(primary.url, 'SELECT pg_reload_conf()')
    await vi.waitFor(async () => expect(await readState(primary.url)).toBe('sync'), { timeout: 60_000, interval: 50 })
    const { id, clientId } = await createApplication(host.auth, ['catalog'])
    expect(await host.auth.verifyApiKey('catalog', clientId)).toBeDefined()
    await host.auth.applications.suspend(id)

    await primary.crash()
    // The moving address leads to the standby before it is promoted: it does not count as current.
    proxy.forwardTo(standby.url)
    await vi.waitFor(async () => expect(await host.askCached()).toEqual(answersWith(503)), 60_000)
    const { problems } = await host.auth.health()
    expect(problems[0]).toMatch(/it is a replica, and may lack changes made since 20\S+Z\.$/)
    const doctor = await runInProcess(['doctor', '--db', standby.url])
    expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /The last one it has replayed is of 20\S+Z, \d+ seconds ago\./,
    )

    await execute(standby.url, 'SELECT pg_promote()')
    // 0.2 seconds on an idle machine (docs/incidents.md).
    expect(await measureRecovery(host)).toBeLessThan(5000)
    await expect(host.auth.verifyApiKey('catalog', clientId)).rejects.toMatchObject({ status: 403 })
    // Without a standby, a commit would wait for one.
    await execute(standby.url, `ALTER SYSTEM SET synchronous_standby_names = ''`)
    await execute(standby.url, 'SELECT pg_reload_conf()')
    expect(await host.auth.applications.resume(id)).toMatchObject({ status: 'active' })
  },
)

it(
  'without its synchronous standby, PostgreSQL answers reads, and the outcome of a change is unknown',
  { timeout: 120_000 },
  async ({ onTestFinished: atEnd }) => {
    const { primary, standby, host } = await openReplicatedHost(atEnd)
    await execute(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await execute(primary.url, 'SELECT pg_reload_conf()')
    await vi.waitFor(async () => expect(await readState(primary.url)).toBe('sync'), { timeout: 60_000, interval: 50 })
    await standby.stop()
    const { id } = host.credentials
    await expect(host.auth.applications.suspend(id)).rejects.toMatchObject({ outcome: 'unknown' })
    expect((await host.askUncached()).status).toBe(200)
    await standby.start()
    // It was committed on the primary, and is visible once the standby has it.
    await vi.waitFor(async () => expect((await host.auth.applications.get(id))?.status).toBe('suspended'), {
      timeout: 60_000,
    })
  },
)

it(
  'a process follows an asynchronous standby that was promoted without the last changes',
  { timeout: 120_000 },
  async ({ onTestFinished: atEnd }) => {
    const { primary, standby, proxy, host } = await openReplicatedHost(atEnd)
    const { auth, credentials } = host
    await vi.waitFor(async () => expect(await readState(primary.url)).toBe('async'), { timeout: 60_000, interval: 50 })
    await vi.waitFor(async () => expect(await readCount(standby.url)).toBe(await readCount(primary.url)), {
      timeout: 60_000,
      interval: 50,
    })
    // The standby receives nothing any more.
    await execute(standby.url, `ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'`)
    await execute(standby.url, 'SELECT pg_reload_conf()')
    await vi.waitFor(async () => expect(await readState(primary.url)).toBeUndefined(), {
      timeout: 60_000,
      interval: 50,
    })
    const lost: string[] = []
    for (let i = 0; i < 5; i++) lost.push((await createApplication(auth, ['catalog'])).clientId)
    await auth.health()
    for (const key of lost) expect(await auth.verifyApiKey('catalog', key)).toBeDefined()

    await primary.crash()
    await execute(standby.url, 'SELECT pg_promote()')
    const pool = new Pool({ connectionString: standby.url })
    atEnd(() => pool.end())
    const operator = openPlatform({ now: Date.now, store: postgresStore({ pool }) }).auth
    atEnd(operator.close)
    await operator.ready()
    await operator.applications.suspend(credentials.id)
    for (let i = 0; i < 6; i++) await createApplication(operator, ['catalog'])
    proxy.forwardTo(standby.url)

    const status = (key: string) =>
      auth.verifyApiKey('catalog', key).then(
        () => 200,
        (error: { status: number }) => error.status,
      )
    const readStatuses = () => Promise.all([credentials.clientId, ...lost].map(status))
    await expect.poll(readStatuses, { timeout: 60_000 }).toEqual([403, 401, 401, 401, 401, 401])
    expect(await auth.health()).toEqual({ ok: true, problems: [] })
  },
)

/** A primary with a standby, and a platform whose connections go through an address that can be moved from one to the other. */
async function openReplicatedHost(atEnd: AtEnd) {
  const primary = await startPostgres({ native })
  atEnd(primary.end)
  const standby = await startPostgres({ native, standbyOf: primary.url })
  atEnd(standby.end)
  const proxy = await startTcpProxy(primary.url)
  atEnd(proxy.end)
  const pool = new Pool({ connectionString: proxy.url, connectionTimeoutMillis: 5000 })
  atEnd(() => pool.end())
  const host = await openOutageHost(atEnd, postgresStore({ pool }), { maxStaleness: 2, uncached: 2 })
  return { primary, standby, proxy, host }
}

/** How the standby is connected: `sync`, `async`, or not at all. */
async function readState(url: string): Promise<unknown> {
  return (await execute(url, 'SELECT sync_state AS value FROM pg_stat_replication'))[0]?.value
}

async function readCount(url: string): Promise<unknown> {
  return (await execute(url, 'SELECT count(*) AS value FROM platform_auth_changes'))[0]?.value
}
