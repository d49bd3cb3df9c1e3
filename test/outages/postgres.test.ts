import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { all, answerTimeFromMemory, openWiredHost, recovery, WAITED, type AtEnd } from '../support/outages.js'
import { platform } from '../support/platform.js'
import { freshDatabase } from '../support/postgres.js'
import { tcpProxy } from '../support/tcp-proxy.js'

const KNOWN_PROMPTLY = 150

describe.concurrent('PostgreSQL,', { timeout: 60_000, retry: 2 }, () => {
  it('when it is slow, holds up first sights alone, and health() says so', async ({ onTestFinished: atEnd }) => {
    const { host, wire } = await openWiredHost(atEnd, {}, { maxStaleness: 5 })
    wire.delay(200)
    const [known, first] = await Promise.all([answerTimeFromMemory(host, 500), host.firstSight()])
    expect(known).toBeLessThan(KNOWN_PROMPTLY)
    expect(first.status).toBe(200)
    expect(first.ms).toBeGreaterThan(190)
    expect((await host.tokenRequest()).status).toBe(200)
    expect(await host.health()).toMatchObject({ ok: true, problems: '' })

    wire.delay(2000)
    const [stillKnown, second] = await Promise.all([answerTimeFromMemory(host, 3000), host.firstSight()])
    expect(stillKnown).toBeLessThan(KNOWN_PROMPTLY)
    expect([200, 503]).toContain(second.status)
    expect(second.ms).toBeLessThan(WAITED)
    const health = await host.health()
    expect(health).toMatchObject({ ok: true, problems: expect.stringMatching(/The store is slow/) })
    expect(health.ms).toBeLessThan(1500)
    expect(host.told).toEqual([])
    await wire.forward()
    expect(await recovery(host)).toBeLessThan(2500)
    await vi.waitFor(async () => expect(await host.auth.health()).toEqual({ ok: true, problems: [] }))
  })

  it('when its connections are cut, or die unnoticed, is connected to again', async ({ onTestFinished: atEnd }) => {
    const { host, wire } = await openWiredHost(atEnd, { connectionTimeoutMillis: 3000 })
    wire.reset()
    expect(await recovery(host)).toBeLessThan(1000)
    wire.drop()
    // Nothing tells that they are dead but their silence.
    expect(await recovery(host)).toBeLessThan(15_000)
    expect(await host.auth.applications.suspend(host.credentials.id)).toMatchObject({ status: 'suspended' })
  })

  it('when it refuses connections, is back within a second of taking them', async ({ onTestFinished: atEnd }) => {
    const { host, wire } = await openWiredHost(atEnd)
    for (let round = 0; round < 2; round++) {
      await wire.refuse()
      expect(await host.byMemory()).toEqual(all(200))
      expect((await host.firstSight()).status).toBe(503)
      await sleep(1300)
      const answers = [await host.byMemory(), await host.firstSight(), await host.tokenRequest()].flat()
      for (const answer of answers) expect(answer).toMatchObject({ status: 503 })
      expect(await host.health()).toMatchObject({
        ok: false,
        problems: expect.stringMatching(/out of reach since .*Z: (it refuses connections|the connection was lost)/),
      })
      await wire.forward()
      expect(await recovery(host)).toBeLessThan(1000)
    }
    expect(host.told).toEqual(['unavailable', 'available', 'unavailable', 'available'])
  })

  it('whose connections the host has all taken, is back when the host lets go of one', async ({
    onTestFinished: atEnd,
  }) => {
    const { host, pool } = await openWiredHost(atEnd, { max: 3 })
    const taken: PoolClient[] = []
    for (let i = 0; i < 2; i++) taken.push(await pool.connect())
    expect(await host.byMemory()).toEqual(all(200))
    const first = await host.firstSight()
    expect(first).toMatchObject({ status: 503 })
    expect(first.ms).toBeLessThan(WAITED)
    expect(await host.byMemory()).toEqual(all(503))
    for (const client of taken) client.release()
    expect(await recovery(host)).toBeLessThan(1000)
    expect(pool.waitingCount).toBe(0)
  })

  it('when it is full, answers all that needs no writing, and acknowledges nothing', async ({
    onTestFinished: atEnd,
  }) => {
    const { host, pool } = await openWiredHost(atEnd)
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
    await sleep(1200)
    const answers = [await host.byMemory(), await host.firstSight(), await host.tokenRequest()].flat()
    for (const answer of answers) expect(answer).toMatchObject({ status: 200 })
    const health = await host.health()
    expect(health).toMatchObject({
      ok: true,
      problems: expect.stringMatching(/rejected writes since .*: its disk is full/),
    })
    expect(host.told).toEqual([])
    expect(host.logger.lines.filter((line) => line.startsWith('The store rejects writes'))).toHaveLength(1)

    await pool.query('DROP FUNCTION full_disk CASCADE')
    await host.auth.applications.create({ name: 'One more', apis: ['catalog'] })
    await host.auth.applications.get(id)
    expect(await host.auth.health()).toEqual({ ok: true, problems: [] })
    expect(host.logger.lines.filter((line) => line.startsWith('The store accepts writes again'))).toHaveLength(1)
  })

  it.each(['silent from the beginning', 'silent later'])('%s, does not keep close() from ending', async (when) => {
    const ends: (() => void | Promise<void>)[] = []
    const atEnd: AtEnd = (end) => void ends.unshift(end)
    const database = await freshDatabase()
    atEnd(database.remove)
    const wire = await tcpProxy(database.url)
    atEnd(wire.end)
    const pool = new Pool({ connectionString: wire.url })
    const { auth } = platform({ store: postgresStore({ pool }), now: Date.now })
    if (when === 'silent later') {
      const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
      // Its use is yet to be written.
      await auth.verifyApiKey('catalog', credentials.clientId)
    }
    wire.stall()
    await sleep(100)
    const since = performance.now()
    await auth.close()
    expect(performance.now() - since).toBeLessThan(8000)
    await expect(auth.verifyApiKey('catalog', 'epa_key_x')).rejects.toBeInstanceOf(Error)
    const health = await auth.health()
    expect(health.ok).toBe(false)
    await wire.forward()
    await pool.end()
    for (const end of ends) await end()
  })
})
