import { Pool } from 'pg'
import { expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { answersWith, openOutageHost, measureRecovery } from '../support/outage-host.js'
import { usePlatform } from '../support/platform.js'
import { runInProcess } from '../tools/cli/command-line.js'
import { application } from '../stores/suite/records.js'
import { startPostgres } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { timeBound } from '../support/time-bound.js'

it('recovers without a restart when PostgreSQL is killed, becomes a replica and is promoted', async ({
  onTestFinished: atEnd,
}) => {
  const server = await startPostgres()
  atEnd(() => server.end())
  const pool = new Pool({ connectionString: server.url })
  atEnd(() => pool.end())
  const host = await openOutageHost(atEnd, postgresStore({ pool }), { maxStaleness: 1 })
  const { id } = host.credentials
  await server.crash()
  await vi.waitFor(async () => expect(await host.askCached()).toEqual(answersWith(503)), 60_000)
  expect((await host.health()).ok).toBe(false)
  await server.start()
  expect(await measureRecovery(host)).toBeLessThan(timeBound(1000))

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
  // It answers, and nobody knows what it lacks.
  await vi.waitFor(async () => expect(await host.askCached()).toEqual(answersWith(503)), 60_000)
  expect((await host.askUncached()).status).toBe(503)
  await expect(host.auth.applications.suspend(id)).rejects.toBeInstanceOf(StoreUnavailableError)
  expect(await host.health()).toMatchObject({
    ok: false,
    problems: expect.stringMatching(
      /^The store has been unavailable since .*: it is a replica, and may lack changes\./,
    ),
  })
  expect(host.logger.lines.join(' ')).toMatch(/The store is unavailable.*PostgreSQL is a replica \(in recovery\)/)
  const { code, stdout } = await runInProcess(['doctor', '--db', server.url])
  expect(code).toBe(3)
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /change feed: PostgreSQL is a replica \(in recovery\), which may lack changes\. .* Connect to the primary\./,
  )
  // Lists for reports need no knowledge of changes.
  expect((await runInProcess(['apps', 'list', '--db', server.url])).stdout).toContain(id)

  // A process that starts on a replica waits for the promotion, whether the store was set up or not.
  const openOn = (options?: string) => {
    const ownPool = new Pool({ connectionString: server.url, ...(options && { options }) })
    atEnd(() => ownPool.end())
    const made = usePlatform({ now: Date.now, store: postgresStore({ pool: ownPool }) })
    return made
  }
  const late = openOn()
  const empty = openOn('-c search_path=empty')
  for (const [{ auth }, reason] of [
    [late, 'it is a replica, and may lack changes'],
    [empty, 'it is read-only'],
  ] as const) {
    const problem = expect.stringMatching(
      `^The platform is not ready: its store cannot be used yet \\(${reason}\\)\\.$`,
    ) as string
    await vi.waitFor(async () => expect(await auth.health()).toEqual({ ok: false, problems: [problem] }), 60_000)
  }
  expect(empty.logger.lines.join(' ')).toMatch(/could not start yet and will retry: .* during recovery/)

  await pool.query('SELECT pg_promote()')
  expect(await measureRecovery(host)).toBeLessThan(timeBound(2000))
  await host.auth.applications.suspend(id)
  await late.auth.ready()
  await expect(late.auth.verifyApiKey('catalog', host.credentials.clientId)).rejects.toMatchObject({ status: 403 })
  await pool.query('CREATE SCHEMA empty')
  await vi.waitFor(async () => expect(await empty.auth.health()).toEqual({ ok: true, problems: [] }), {
    timeout: 60_000,
  })
  expect(host.storeEvents.at(-1)).toBe('available')
})
