import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import {
  answersWith,
  measureCachedAnswers,
  openProxiedHost,
  measureRecovery,
  MAX_ANSWER_MS,
  type AtEnd,
} from '../support/outage-host.js'
import { openPlatform } from '../support/platform.js'
import { freshDatabase } from '../support/postgres.js'
import { startTcpProxy } from '../support/tcp-proxy.js'
import { timeBound } from '../support/time-bound.js'

/** Cached credentials are answered without the store; the bound allows for a busy machine. */
const MAX_CACHED_ANSWER_MS = 150

describe.concurrent('PostgreSQL', () => {
  it('that is slow delays only callers that are not cached, and health() reports it', async ({
    onTestFinished: atEnd,
  }) => {
    const { host, proxy } = await openProxiedHost(atEnd, {}, { maxStaleness: 30 })
    proxy.delay(200)
    const [cachedAnswers, first] = await Promise.all([measureCachedAnswers(host, 300), host.askUncached()])
    expect(cachedAnswers).toBeLessThan(timeBound(MAX_CACHED_ANSWER_MS))
    expect(first.status).toBe(200)
    expect(first.ms).toBeGreaterThan(190)
    expect((await host.requestToken()).status).toBe(200)
    expect(await host.health()).toMatchObject({ ok: true, problems: '' })

    proxy.delay(2000)
    const [slowerCachedAnswers, second] = await Promise.all([measureCachedAnswers(host, 1500), host.askUncached()])
    expect(slowerCachedAnswers).toBeLessThan(timeBound(MAX_CACHED_ANSWER_MS))
    expect([200, 503]).toContain(second.status)
    expect(second.ms).toBeLessThan(timeBound(MAX_ANSWER_MS))
    const health = await host.health()
    expect(health).toMatchObject({ ok: true, problems: expect.stringMatching(/The store is slow/) })
    expect(health.ms).toBeLessThan(timeBound(1500))
    expect(host.storeEvents).toEqual([])
    await proxy.forward()
    expect(await measureRecovery(host)).toBeLessThan(timeBound(2500))
    // Calls that were sent while it was slow are answered late.
    await vi.waitFor(async () => expect(await host.auth.health()).toEqual({ ok: true, problems: [] }), 60_000)
  })

  it('whose connections are reset, or become half-open, is connected to again', async ({ onTestFinished: atEnd }) => {
    const { host, proxy } = await openProxiedHost(atEnd, { connectionTimeoutMillis: 3000 })
    proxy.reset()
    expect(await measureRecovery(host)).toBeLessThan(timeBound(1000))
    proxy.drop()
    // A half-open connection emits no event: only time-outs find it.
    expect(await measureRecovery(host)).toBeLessThan(timeBound(15_000))
    expect(await host.auth.applications.suspend(host.credentials.id)).toMatchObject({ status: 'suspended' })
  })

  it("is used again when the host app releases the pool's connections that it held", async ({
    onTestFinished: atEnd,
  }) => {
    const { host, pool } = await openProxiedHost(atEnd, { max: 3 }, { maxStaleness: 3 })
    const held: PoolClient[] = []
    for (let i = 0; i < 2; i++) held.push(await pool.connect())
    expect(await host.askCached()).toEqual(answersWith(200))
    const first = await host.askUncached()
    expect(first).toMatchObject({ status: 503 })
    expect(first.ms).toBeLessThan(timeBound(MAX_ANSWER_MS))
    expect(await host.askCached()).toEqual(answersWith(503))
    for (const client of held) client.release()
    expect(await measureRecovery(host)).toBeLessThan(timeBound(1000))
    expect(pool.waitingCount).toBe(0)
  })

  it('that is full rejects changes and answers reads', async ({ onTestFinished: atEnd }) => {
    const { host, pool } = await openProxiedHost(atEnd)
    await pool.query(`
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_audit BEFORE INSERT ON platform_auth_audit EXECUTE FUNCTION full_disk();
      CREATE TRIGGER full_use BEFORE UPDATE ON platform_auth_credentials EXECUTE FUNCTION full_disk()`)
    const { id } = host.credentials
    const before = await host.auth.applications.get(id)
    for (const change of [
      () => host.auth.applications.create({ name: 'One more', apis: ['catalog'] }),
      () => host.auth.applications.suspend(id),
      () => host.auth.applications.rotateSecret(id),
    ])
      await expect(change()).rejects.toBeInstanceOf(StoreUnavailableError)
    expect(await host.auth.applications.get(id)).toEqual(before)
    // Longer than maxStaleness: the rejected changes are no outage.
    await sleep(1200)
    const answers = [await host.askCached(), await host.askUncached(), await host.requestToken()].flat()
    for (const answer of answers) expect(answer).toMatchObject({ status: 200 })
    const health = await host.health()
    expect(health).toMatchObject({
      ok: true,
      problems: expect.stringMatching(/rejected writes since .*: its disk is full/),
    })
    expect(host.storeEvents).toEqual([])
    expect(host.logger.lines.filter((line) => line.startsWith('The store rejects writes'))).toHaveLength(1)

    await pool.query('DROP FUNCTION full_disk CASCADE')
    await host.auth.applications.create({ name: 'One more', apis: ['catalog'] })
    await host.auth.applications.get(id)
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    expect(host.logger.lines.filter((line) => line.startsWith('The store accepts writes again'))).toHaveLength(1)
  })

  it.each(['from the beginning', 'later'])(
    'that does not answer %s does not keep close() from ending',
    async (when) => {
      const ends: (() => void | Promise<void>)[] = []
      const atEnd: AtEnd = (end) => void ends.unshift(end)
      const database = await freshDatabase()
      atEnd(database.remove)
      const proxy = await startTcpProxy(database.url)
      atEnd(proxy.end)
      const pool = new Pool({ connectionString: proxy.url })
      const { auth } = openPlatform({ store: postgresStore({ pool }), now: Date.now })
      if (when === 'later') {
        const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
        // close() writes the time of this use.
        await auth.verifyApiKey('catalog', credentials.clientId)
      }
      proxy.stall()
      await sleep(100)
      const startedAt = performance.now()
      await auth.close()
      expect(performance.now() - startedAt).toBeLessThan(timeBound(8000))
      await expect(auth.verifyApiKey('catalog', 'epa_key_x')).rejects.toBeInstanceOf(Error)
      const health = await auth.health()
      expect(health.ok).toBe(false)
      await proxy.forward()
      await pool.end()
      for (const end of ends) await end()
    },
  )
})
