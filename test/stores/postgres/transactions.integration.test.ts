import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApplicationRecord } from '../../../src/shared/contracts/application-record.js'
import type { StoreWith } from '../../../src/shared/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { application, audit, credential, NOW, signingKey } from '../suite/records.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { timeBound } from '../../support/time-bound.js'
import { spyOnQueries, usePostgres } from './databases.js'

const db = usePostgres()

describe('postgresStore, in transactions,', () => {
  beforeEach(db.makeSchema)

  it('answers concurrent calls with a single connection', async () => {
    const store = await db.openStore({ pool: db.openPool({ max: 1 }), listen: false })
    const saves = Array.from({ length: 30 }, (_, i) => store.saveApplication(application(`${i}`), audit()))
    const [page] = await Promise.all([
      store.changesSince('0'),
      store.addSigningKey(signingKey('k'), undefined, audit()),
    ])
    expect(page.cursor).toBeTypeOf('string')
    expect(await Promise.all(saves)).toEqual(saves.map(() => true))
  })

  it('works with any transaction defaults that the host has set', async () => {
    const options =
      '-c default_transaction_isolation=serializable -c default_transaction_read_only=on -c synchronous_commit=off'
    const stores = await Promise.all([
      db.openStore({ pool: db.openPool({ options }) }),
      db.openStore({ pool: db.openPool({ options }) }),
    ])
    await expectNoLostUpdate(stores)
  })

  it('retries a deadlock or a serialization failure, up to five attempts', async () => {
    const problems: string[] = []
    const failing = spyOnQueries(db.openPool(), ({ text }) => {
      const code = text.includes('INSERT INTO platform_auth_changes') ? problems.shift() : undefined
      if (code) throw Object.assign(new Error(`simulated ${code}`), { code })
    })
    const store = await db.openStore({ pool: failing, listen: false })
    problems.push('40P01', '40001', '40P01', '40001')
    expect(await store.saveApplication(application('a'), audit('a'))).toBe(true)
    expect(await store.listAudit({ after: undefined, limit: 10, applicationId: 'a' })).toHaveLength(1)
    problems.push('40P01', '40P01', '40P01', '40P01', '40P01')
    await expect(store.saveApplication(application('b'), audit('b'))).rejects.toThrow('simulated 40P01')
    expect(problems).toEqual([])
    problems.push('23514')
    await expect(store.saveApplication(application('b'), audit('b'))).rejects.toThrow('simulated 23514')
    expect(await store.findApplication('b')).toBeUndefined()
  })

  it('commits nothing of a call that was rejected because it took too long', async () => {
    const store = await db.openStore()
    await store.saveApplication(application('a'), audit('a'))
    const holder = new Client(db.poolConfig())
    await holder.connect()
    db.onEnd(() => holder.end())
    await holder.query(`BEGIN; UPDATE platform_auth_applications SET name = 'held'`)
    const slow = spyOnQueries(db.openPool(), async ({ text }) => {
      if (/INSERT INTO platform_auth_(audit|changes)/.test(text)) await sleep(2400)
    })
    const other = await db.openStore({ pool: slow, listen: false })
    const began = performance.now()
    const saves = [store, store].map((one) => one.saveApplication(application('a', { version: 2 }), audit('a')))
    saves.push(other.saveApplication(application('b'), audit('b')))
    expect((await Promise.allSettled(saves)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(performance.now() - began).toBeGreaterThan(4400)
    expect(performance.now() - began).toBeLessThan(timeBound(6000))
    await holder.query('ROLLBACK')
    expect((await store.findApplication('a'))?.version).toBe(1)
    expect(await store.findApplication('b')).toBeUndefined()
    expect(await store.saveApplication(application('a', { version: 2 }), audit('a'))).toBe(true)
  })

  it('waits about three seconds for a process that stopped in a transaction', async () => {
    const store = await db.openStore()
    // Never ended: its connection waits for a COMMIT that is never sent.
    const pool = new Pool(db.poolConfig())
    const stopped = spyOnQueries(pool, async ({ text }) => {
      if (text === 'COMMIT') await new Promise(() => undefined)
    })
    const other = postgresStore({ pool: stopped, listen: false })
    await other.open()
    void other.saveApplication(application('a'), audit('a'))
    await expect.poll(async () => (await db.ask(ADVISORY_LOCKS)).length).toBe(1)
    const began = performance.now()
    expect(await store.saveApplication(application('b'), audit('b'))).toBe(true)
    expect(performance.now() - began).toBeGreaterThan(2000)
    expect(performance.now() - began).toBeLessThan(timeBound(4500))
    expect(await store.findApplication('a')).toBeUndefined()
  })

  // To the server each pool is a process.
  it('creates the tables once if several processes start at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => db.openStore()))
    const peppers = await Promise.all(stores.map((store, i) => store.establishSecret('pepper', `pepper of ${i}`)))
    expect(new Set(peppers).size).toBe(1)
    expect(peppers[0]).toMatch(/^pepper of \d$/)
  })

  it('loses no update of concurrent callers with four pools', async () => {
    const stores = await Promise.all([true, false, false, false].map((listen) => db.openStore({ listen })))
    await expectNoLostUpdate(stores)
  })

  it('locks credentials in one order, without deadlocks', async () => {
    const errorCodes: unknown[] = []
    const pools = [db.openPool({ max: 20 }), db.openPool({ max: 20 })].map((pool) =>
      spyOnQueries(pool, () => undefined, { errorCodes }),
    )
    const [store, other] = [await db.openStore({ pool: pools[0]! }), await db.openStore({ pool: pools[1]! })]
    const hashes = Array.from({ length: 40 }, (_, i) => `h${i}`)
    const keys = hashes.map((hash) => credential(hash))
    await store.saveApplication(application('a', { keys }), audit('a'))
    const noting = Array.from({ length: 60 }, (_, i) => {
      const ordered = i % 2 ? hashes : hashes.toReversed()
      return (i % 3 ? store : other).noteCredentialUse(ordered.map((hash) => ({ hash, at: NOW + i })))
    })
    for (let version = 2; version <= 20; version++) {
      await other.saveApplication(application('a', { version, keys: keys.slice(version % 3).toReversed() }), audit('a'))
    }
    await Promise.all(noting)
    expect(errorCodes).toEqual([])
  })

  it('lists every change and audit record, in the order of commits', async () => {
    const reader = await db.openStore()
    const writers = await Promise.all(Array.from({ length: 8 }, () => db.openStore({ pool: db.openPool({ max: 3 }) })))
    // Delays some transactions between taking their number and their commit, as a slow disk would.
    await db.ask(`
      CREATE FUNCTION delay_commit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF random() < 0.3 THEN PERFORM pg_sleep(random() * 0.01); END IF; RETURN NULL; END $$;
      CREATE TRIGGER delay_commit AFTER INSERT ON platform_auth_changes FOR EACH ROW EXECUTE FUNCTION delay_commit()`)
    const listed: string[] = []
    let { cursor } = await reader.changesSince(undefined)
    let writing = true
    const reading = (async () => {
      for (let last = false; !last;) {
        last = !writing
        const page = await reader.changesSince(cursor)
        cursor = page.cursor
        for (const change of page.changes) listed.push('id' in change ? change.id : change.kind)
      }
    })()
    const times = new Map<string, { began: number; ended: number }>()
    const write = async (store: StoreWith, writer: number): Promise<void> => {
      for (let i = 0; i < (IS_LONG_LANE ? 30 : 10); i++) {
        const id = `${writer}-${i}`
        const began = performance.now()
        if (i % 2) await store.revokeAccessToken({ id, expiresAt: NOW + 1 }, NOW)
        else await store.saveApplication(application(id), audit(id))
        times.set(id, { began, ended: performance.now() })
      }
    }
    await Promise.all(writers.flatMap((store, i) => [write(store, 2 * i), write(store, 2 * i + 1)]))
    writing = false
    await reading
    expect(listed.toSorted()).toEqual([...times.keys()].toSorted())
    let latestBegin = -Infinity
    for (const id of listed) {
      const { began, ended } = times.get(id)!
      // No change listed before this one began after this one had ended.
      expect(ended).toBeGreaterThan(latestBegin)
      latestBegin = Math.max(latestBegin, began)
    }
    const records = await reader.listAudit({ after: undefined, limit: 1000, applicationId: undefined })
    expect(records.map(({ applicationId }) => applicationId)).toEqual(
      listed.filter((id) => Number(id.split('-')[1]) % 2 === 0),
    )
  })
})

/** The advisory locks held in this database; other test files hold theirs in others. */
const ADVISORY_LOCKS = `
  SELECT 1 FROM pg_locks
  WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Several times as many calls fail and are repeated as there are callers. */
const CALLERS = IS_LONG_LANE ? 20 : 8

/** Lets concurrent callers increment the same number five times each, and expects all increments. */
async function expectNoLostUpdate(stores: readonly StoreWith[]): Promise<void> {
  const store = stores[0]!
  await store.saveApplication(application('a', { name: '0', keys: [credential('k')] }), audit('a'))
  const { cursor } = await store.changesSince(undefined)
  const increment = async (by: StoreWith): Promise<void> => {
    for (let done = 0; done < 5;) {
      const record = (await by.findApplication('a')) as ApplicationRecord
      const next = { ...record, name: String(Number(record.name) + 1), version: record.version + 1 }
      if (await by.saveApplication(next, audit('a'))) done += 1
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, i) => increment(stores[i % stores.length]!)))
  expect(await store.findApplication('a')).toMatchObject({ name: `${CALLERS * 5}`, version: CALLERS * 5 + 1 })
  expect((await store.changesSince(cursor)).changes).toHaveLength(CALLERS * 5)
  expect(await store.listAudit({ after: undefined, limit: 1000, applicationId: 'a' })).toHaveLength(CALLERS * 5 + 1)
}
