import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, Pool, types, type PoolClient, type PoolConfig, type QueryConfig } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ApplicationRecord, Store } from '../../src/contracts/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import type { PostgresClient, PostgresPool, PostgresQuery } from '../../src/stores/postgres/index.js'
import { freshDatabase, startPostgres, type TestDatabase } from '../support/postgres.js'
import { CALLS } from './calls.js'
import { storeContract } from './contract.js'
import { application, audit, credential, email, NOW, signingKey } from './records.js'

const run = promisify(execFile)
const PROCESS = fileURLToPath(new URL('../support/postgres-process.mjs', import.meta.url))

/** What to do when a test is over, last first. */
const endings: (() => unknown)[] = []
let database: TestDatabase
let schema = 's0'

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database?.remove())
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

async function makeSchema(): Promise<void> {
  schema = `s${Number(schema.slice(1)) + 1}`
  await ask(`CREATE SCHEMA ${schema}`)
}

function poolConfig({ options = '', ...rest }: PoolConfig = {}): PoolConfig {
  return { connectionString: database.url, options: `-c search_path=${schema} ${options}`, ...rest }
}

function openPool(config: PoolConfig = {}): Pool {
  const pool = new Pool(poolConfig(config))
  endings.push(() => pool.end())
  return pool
}

interface StoreOptions {
  readonly pool?: PostgresPool
  readonly listen?: boolean
}

async function openStore({ pool = openPool(), listen = true }: StoreOptions = {}): Promise<Store> {
  const store = postgresStore({ pool, listen })
  endings.push(() => store.close())
  await store.open()
  return store
}

/** Asks on a connection of its own. */
async function ask(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client(poolConfig())
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows
  } finally {
    await client.end()
  }
}

const LISTENERS = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
const countListeners = async (): Promise<number> => Number((await ask(`SELECT count(*) AS n ${LISTENERS}`))[0]?.['n'])

describe.each([true, false])('postgresStore({ pool, listen: %s })', (listen) => {
  let pools: readonly Pool[]
  let stores: readonly Store[]

  beforeAll(async () => {
    await makeSchema()
    pools = [new Pool(poolConfig()), new Pool(poolConfig())]
    stores = pools.map((pool) => postgresStore({ pool, listen }))
    await Promise.all(stores.map((store) => store.open()))
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await Promise.all(pools.map((pool) => pool.end()))
  })

  storeContract('on emptied tables, it', async () => {
    // As good as new ones, and sooner there.
    await pools[0]?.query(`
      DELETE FROM platform_auth_meta WHERE key <> 'schema_version';
      TRUNCATE platform_auth_applications, platform_auth_grants, platform_auth_credentials, platform_auth_signing_keys,
        platform_auth_emails, platform_auth_email_claim_links, platform_auth_revoked_access_tokens, platform_auth_audit,
        platform_auth_changes RESTART IDENTITY`)
    return { store: stores[0]!, again: async () => stores[1]!, close: async () => undefined }
  })
})

describe('postgresStore', () => {
  beforeEach(makeSchema)

  it('refuses at once what is no pool, and a pool that LISTEN would use up', () => {
    const pool = openPool({ max: 1 })
    expect(() => postgresStore(pool as never)).toThrow('postgresStore({ pool: new pg.Pool(')
    expect(() => postgresStore({ pool: {} } as never)).toThrow('postgresStore({ pool: new pg.Pool(')
    expect(() => postgresStore({ pool })).toThrow('max: 1')
    expect(postgresStore({ pool, listen: false })).toMatchObject({ kind: 'postgres', pollInterval: 75 })
  })

  it('gets along with a single connection, however much is asked at once', async () => {
    const store = await openStore({ pool: openPool({ max: 1 }), listen: false })
    const saves = Array.from({ length: 30 }, (_, i) => store.saveApplication(application(`${i}`), audit()))
    const [page] = await Promise.all([
      store.changesSince('0'),
      store.addSigningKey(signingKey('k'), undefined, audit()),
    ])
    expect(page.cursor).toBeTypeOf('string')
    expect(await Promise.all(saves)).toEqual(saves.map(() => true))
  })

  it('makes its tables, named platform_auth_*, in the first schema of the search path', async () => {
    await openStore()
    const tables = await ask(`SELECT table_schema, table_name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_schema IN ('public', '${schema}')`)
    expect(tables.length).toBeGreaterThan(8)
    for (const { table_schema: of, table_name: name } of tables) {
      expect(of).toBe(schema)
      expect(name).toMatch(/^platform_auth_/)
    }
  })

  it('finds its tables by the search path, and shares nothing with those of another schema', async () => {
    const first = await openStore()
    const cursor = (await first.changesSince(undefined)).cursor
    const former = schema
    await makeSchema()
    await first.saveApplication(application('a'), audit('a'))
    const through = await openStore({ pool: openPool({ options: `-c search_path=${schema},${former}` }) })
    expect(await through.findApplication('a')).toStrictEqual(application('a'))
    const second = await openStore({ pool: openPool({ options: `-c search_path=${former},${schema}` }) })
    expect(await second.findApplication('a')).toStrictEqual(application('a'))
    const another = await openStore()
    expect(await another.findApplication('a')).toStrictEqual(undefined)
    await another.saveApplication(application('b'), audit('b'))
    expect((await first.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
  })

  it('says so where there is no schema to make tables in, and opens when there is one', async () => {
    const store = postgresStore({ pool: openPool({ options: '-c search_path=missing' }) })
    endings.push(() => store.close())
    await expect(store.open()).rejects.toThrow('schema')
    await ask('CREATE SCHEMA missing')
    await store.open()
    expect(await store.findApplication('a')).toBeUndefined()
  })

  it('refuses tables of a newer version, until they are none', async () => {
    await (await openStore()).close()
    await ask(`UPDATE platform_auth_meta SET value = '99' WHERE key = 'schema_version'`)
    const store = postgresStore({ pool: openPool() })
    endings.push(() => store.close())
    await expect(store.open()).rejects.toMatchObject({ code: 'schema_too_new', message: expect.stringContaining('99') })
    await expect(store.findApplication('a')).rejects.toThrow('not open')
    await ask(`UPDATE platform_auth_meta SET value = '1' WHERE key = 'schema_version'`)
    await store.open()
    expect(await store.findApplication('a')).toBeUndefined()
  })

  it('refuses an older schema where it is not to migrate, and leaves it as it is', async () => {
    const store = postgresStore({ pool: openPool() })
    endings.push(() => store.close())
    await expect(store.open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
    await expect(store.open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
    await store.open()
    await (await openStore()).open({ migrate: false })
  })

  it.each(CALLS)('rejects %s() before it is open, and after it is closed', async (_, call) => {
    const store = postgresStore({ pool: openPool() })
    await expect(call(store)).rejects.toThrow('open()')
    await store.open()
    await call(store)
    await Promise.all([store.close(), store.close()])
    await store.close()
    await expect(call(store)).rejects.toThrow('closed')
    await expect(store.open()).rejects.toThrow('closed')
  })

  it('keeps numbers exact, whatever the host has done to the parsers of pg', async () => {
    const former = types.getTypeParser(20)
    endings.push(() => types.setTypeParser(20, former))
    for (const parser of [former, BigInt, () => 'nonsense']) {
      types.setTypeParser(20, parser)
      await makeSchema()
      const store = await openStore()
      const far = Number.MAX_SAFE_INTEGER
      const used = credential('k', { createdAt: far - 1, expiresAt: far, lastUsedAt: far - 2 })
      const record = application('a', { createdAt: far - 3, tokensRevokedAt: far - 4, keys: [used] })
      expect(await store.saveApplication(record, audit('a', { at: far }))).toBe(true)
      await ask('UPDATE platform_auth_applications SET version = $1', [far - 1])
      expect(await store.saveApplication({ ...record, version: far }, undefined)).toBe(true)
      expect(await store.findApplicationByKey('k')).toStrictEqual({ ...record, version: far })
      await store.noteCredentialUse([{ hash: 'k', at: far }])
      expect((await store.findApplication('a'))?.keys[0]?.lastUsedAt).toBe(far)
      const times = { createdAt: far, dueAt: 2 ** 31, leasedUntil: 2 ** 31, overlap: 2 ** 33, attemptCount: 2 ** 32 }
      const given = email('l', { ...times, claimLinks: [{ hash: 'c', expiresAt: far }] })
      await store.saveEmail(given)
      expect(await store.findEmailByClaimLink('c')).toStrictEqual(given)
      expect(await store.leaseEmail(2 ** 31, far)).toMatchObject({ ...times, leasedUntil: far, version: 2 })
      const key = { ...signingKey('k'), createdAt: far, signsFrom: far, formerVerifiesFor: 2 ** 40 }
      await store.addSigningKey(key, undefined, audit())
      expect(await store.listSigningKeys()).toStrictEqual([key])
      await store.revokeAccessToken({ id: 'jti', expiresAt: far }, far - 1)
      expect(await store.listRevokedAccessTokens(far - 1, 1)).toStrictEqual([{ id: 'jti', expiresAt: far }])
      expect((await store.changesSince('1')).changes.at(-1)).toMatchObject({ id: 'jti', expiresAt: far })
      expect((await store.listAudit({ after: undefined, limit: 1, applicationId: 'a' }))[0]?.at).toBe(far)
    }
  })

  it('works under whatever defaults the host has set', async () => {
    const options =
      '-c default_transaction_isolation=serializable -c default_transaction_read_only=on -c synchronous_commit=off'
    const stores = await Promise.all([
      openStore({ pool: openPool({ options }) }),
      openStore({ pool: openPool({ options }) }),
    ])
    await expectNoneLost(stores)
  })

  it('prepares what is asked often, and nothing that a pooler between could not keep', async () => {
    for (const listen of [true, false]) {
      const pool = openPool({ max: 2 })
      const store = await openStore({ pool, listen })
      for (let i = 0; i < 3; i++) {
        for (const [, call] of CALLS) await call(store)
      }
      const { rows } = await pool.query(`SELECT name FROM pg_prepared_statements`)
      expect(rows.length > 4).toBe(listen)
    }
  })

  it('looks, without a transaction, where no email is due', async () => {
    const asked: string[] = []
    const store = await openStore({ pool: spied(openPool(), ({ text }) => void asked.push(text)), listen: false })
    await store.saveEmail(email('l', { state: 'held' }))
    asked.length = 0
    expect(await store.leaseEmail(NOW, NOW + 1)).toBeUndefined()
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatch(/^SELECT/)
  })

  it('keeps about the last 10,000 changes, and tells of everything to who has seen fewer', async () => {
    const store = await openStore()
    await store.saveApplication(application('a'), audit('a'))
    const { cursor } = await store.changesSince(undefined)
    await ask(`INSERT INTO platform_auth_changes (kind, id) SELECT 'application', i FROM generate_series(1, 11500) i`)
    for (let i = 0; i < 500; i++) await store.revokeAccessToken({ id: `${i}`, expiresAt: NOW + 1 }, NOW)
    const kept = Number((await ask('SELECT count(*) AS n FROM platform_auth_changes'))[0]?.['n'])
    expect(kept).toBeGreaterThanOrEqual(10_000)
    expect(kept).toBeLessThan(10_500)
    const end = (await store.changesSince(undefined)).cursor
    expect(await store.changesSince(cursor)).toEqual({ cursor: end, changes: [{ kind: 'everything' }] })
    expect((await store.changesSince(`${Number(end) - 9000}`)).changes).toHaveLength(9000)
  })

  it('begins again what a deadlock or a serialization failure undid, and gives up after the fifth time', async () => {
    const problems: string[] = []
    const failing = spied(openPool(), ({ text }) => {
      const code = text.includes('INSERT INTO platform_auth_changes') ? problems.shift() : undefined
      if (code) throw Object.assign(new Error(`simulated ${code}`), { code })
    })
    const store = await openStore({ pool: failing, listen: false })
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

  it('gives back every connection, and those that listened last', async () => {
    const pool = openPool()
    const store = await openStore({ pool })
    store.watch!(() => undefined)
    await Promise.all(CALLS.map(([, call]) => call(store).catch(() => undefined)))
    const bad = store.saveApplication(application('b'), audit('b', { details: { big: 1n } }))
    await expect(bad).rejects.toThrow('BigInt')
    await expect.poll(countListeners).toBe(1)
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(1)
    await store.close()
    expect(pool.totalCount - pool.idleCount).toBe(0)
    await expect.poll(countListeners).toBe(0)
    expect((await pool.query('SELECT 1 FROM platform_auth_applications')).rows).toBeInstanceOf(Array)
  })

  it('does nothing any more of what was rejected because it took too long', async () => {
    const store = await openStore()
    await store.saveApplication(application('a'), audit('a'))
    const holder = new Client(poolConfig())
    await holder.connect()
    endings.push(() => holder.end())
    await holder.query(`BEGIN; UPDATE platform_auth_applications SET name = 'held'`)
    const slow = spied(openPool(), async ({ text }) => {
      if (/INSERT INTO platform_auth_(audit|changes)/.test(text)) await sleep(2400)
    })
    const other = await openStore({ pool: slow, listen: false })
    const began = performance.now()
    const saves = [store, store].map((one) => one.saveApplication(application('a', { version: 2 }), audit('a')))
    saves.push(other.saveApplication(application('b'), audit('b')))
    expect((await Promise.allSettled(saves)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(performance.now() - began).toBeGreaterThan(4400)
    expect(performance.now() - began).toBeLessThan(6000)
    await holder.query('ROLLBACK')
    expect((await store.findApplication('a'))?.version).toBe(1)
    expect(await store.findApplication('b')).toBeUndefined()
    expect(await store.saveApplication(application('a', { version: 2 }), audit('a'))).toBe(true)
  })

  it('is held up by a process that stands still in the midst of a transaction for three seconds, not for ever', async () => {
    const store = await openStore()
    // Numbered, but never committed, so that its pool could never be ended.
    const pool = new Pool(poolConfig())
    const standing = spied(pool, async ({ text }) => {
      if (text === 'COMMIT') await new Promise(() => undefined)
    })
    const other = postgresStore({ pool: standing, listen: false })
    await other.open()
    void other.saveApplication(application('a'), audit('a'))
    await expect.poll(async () => (await ask(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`)).length).toBe(1)
    const began = performance.now()
    expect(await store.saveApplication(application('b'), audit('b'))).toBe(true)
    expect(performance.now() - began).toBeGreaterThan(2000)
    expect(performance.now() - began).toBeLessThan(4500)
    expect(await store.findApplication('a')).toBeUndefined()
  })
})

describe('postgresStore, with others on the same tables,', { timeout: 60_000 }, () => {
  beforeEach(makeSchema)

  it('starts eight times at once, in as many processes, where nothing is yet', async () => {
    for (let round = 0; round < 2; round++) {
      const starts = Array.from({ length: 8 }, () => run(process.execPath, [PROCESS, database.url, schema, 'start']))
      const peppers = (await Promise.all(starts)).map(({ stdout }) => stdout)
      expect(new Set(peppers).size).toBe(1)
      expect(peppers[0]).toMatch(/^pepper of \d+\n$/)
      await makeSchema()
    }
  })

  it('loses no update of four processes that write at once', async () => {
    const store = await openStore()
    for (const id of ['shared', 'another']) await store.saveApplication(application(id, { name: '0' }), audit(id))
    const { cursor } = await store.changesSince(undefined)
    const counting = ['shared', 'shared', 'shared', 'another'].map((id) =>
      run(process.execPath, [PROCESS, database.url, schema, 'count', id, '50']),
    )
    await Promise.all(counting)
    expect(await store.findApplication('shared')).toMatchObject({ name: '150', version: 151 })
    expect(await store.findApplication('another')).toMatchObject({ name: '50', version: 51 })
    expect((await store.changesSince(cursor)).changes).toHaveLength(200)
  })

  it('loses no update of twenty who save at once by two pools', async () => {
    await expectNoneLost([await openStore(), await openStore({ listen: false })])
  })

  it('locks credentials in one order, so that nobody waits in a circle', async () => {
    const codes: unknown[] = []
    const pools = [openPool({ max: 20 }), openPool({ max: 20 })].map((pool) => spied(pool, () => undefined, codes))
    const [store, other] = [await openStore({ pool: pools[0]! }), await openStore({ pool: pools[1]! })]
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
    expect(codes).toEqual([])
  })

  it('loses no change, and tells them in the order they were committed', async () => {
    const reader = await openStore()
    const writers = await Promise.all(Array.from({ length: 8 }, () => openStore({ pool: openPool({ max: 3 }) })))
    // As a slow disk or a busy machine would: some are long in coming from their number to their commit.
    await ask(`
      CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF random() < 0.3 THEN PERFORM pg_sleep(random() * 0.01); END IF; RETURN NULL; END $$;
      CREATE TRIGGER linger AFTER INSERT ON platform_auth_changes FOR EACH ROW EXECUTE FUNCTION linger()`)
    const told: string[] = []
    let { cursor } = await reader.changesSince(undefined)
    let writing = true
    const reading = (async () => {
      for (let last = false; !last;) {
        last = !writing
        const page = await reader.changesSince(cursor)
        cursor = page.cursor
        for (const change of page.changes) told.push('id' in change ? change.id : change.kind)
      }
    })()
    const times = new Map<string, { began: number; ended: number }>()
    const write = async (store: Store, writer: number): Promise<void> => {
      for (let i = 0; i < 30; i++) {
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
    expect(told.toSorted()).toEqual([...times.keys()].toSorted())
    let latestBeginning = -Infinity
    for (const id of told) {
      const { began, ended } = times.get(id)!
      // Nothing told before this one began after it had ended.
      expect(ended).toBeGreaterThan(latestBeginning)
      latestBeginning = Math.max(latestBeginning, began)
    }
    const ofAudit = await reader.listAudit({ after: undefined, limit: 1000, applicationId: undefined })
    expect(ofAudit.map(({ applicationId }) => applicationId)).toEqual(
      told.filter((id) => Number(id.split('-')[1]) % 2 === 0),
    )
  })

  it('is woken within 100 ms of a commit', { retry: 3 }, async () => {
    const [store, other] = [await openStore(), await openStore()]
    let wokenAt = 0
    other.watch!(() => (wokenAt = performance.now()))
    await expect.poll(() => wokenAt).toBeGreaterThan(0)
    for (let i = 0; i < 5; i++) {
      wokenAt = 0
      await store.saveApplication(application(`${i}`), audit())
      const saved = performance.now()
      await expect.poll(() => wokenAt, { interval: 5 }).toBeGreaterThan(0)
      expect(wokenAt - saved).toBeLessThan(100)
    }
  })

  it('hears of what was committed while its connection was lost', { retry: 3 }, async () => {
    const [store, other] = [await openStore(), await openStore()]
    const told = await listenTo(other)
    await expect.poll(countListeners).toBe(1)
    for (let i = 0; i < 3; i++) {
      await ask(`SELECT pg_terminate_backend(pid) ${LISTENERS}`)
      await store.saveApplication(application(`${i}`), audit())
      const began = performance.now()
      await expect.poll(() => told().length).toBe(i + 1)
      expect(performance.now() - began).toBeLessThan(1000)
      await expect.poll(countListeners).toBe(1)
    }
    expect(told()).toEqual(['0', '1', '2'])
  })

  it('listens by one connection, also when it is lost in the beginning', async () => {
    const pool = openPool({ application_name: 'lost' })
    let losses = 3
    const failing = spied(pool, async ({ text }) => {
      if (!text.startsWith('LISTEN') || losses === 0) return
      losses -= 1
      // So that the connection tells of its loss, and the query too.
      await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'`)
    })
    const store = await openStore({ pool: failing })
    let woken = 0
    store.watch!(() => (woken += 1))
    await expect.poll(countListeners).toBe(1)
    await sleep(500)
    expect({ losses, woken, busy: pool.totalCount - pool.idleCount }).toEqual({ losses: 0, woken: 1, busy: 1 })
    await store.close()
    await expect.poll(countListeners).toBe(0)
    expect(pool.totalCount - pool.idleCount).toBe(0)
  })

  it('goes on when every connection is terminated, the busy ones too, and those just made', async () => {
    const stores = [await openStore(), await openStore({ listen: false })] as const
    stores[0].watch!(() => undefined)
    let [answered, refused] = [0, 0]
    const over = new AbortController()
    const asking = Array.from({ length: 20 }, async (_, worker) => {
      const store = stores[worker % 2]!
      for (let i = 0; !over.signal.aborted; i++) {
        const call =
          i % 2 ? store.revokeAccessToken({ id: `${worker}-${i}`, expiresAt: 2 }, 1) : store.findApplication('a')
        await call.then(
          () => (answered += 1),
          () => (refused += 1),
        )
      }
    })
    const killer = new Client(poolConfig({ application_name: 'killer' }))
    await killer.connect()
    for (let i = 0; i < 60; i++) {
      await killer.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name <> 'killer'`)
      await sleep(Math.random() * 10)
      // A busy process may read in one piece that a connection is made, and that it is lost.
      for (const until = performance.now() + Math.random() * 25; performance.now() < until;);
    }
    over.abort()
    await Promise.all([...asking, killer.end()])
    expect(answered).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(0)
    expect(await stores[0].saveApplication(application('after'), audit())).toBe(true)
    expect(await stores[1].saveApplication(application('after that'), audit())).toBe(true)
  })

  it('asks every 500 ms while it listens, and every 75 ms while it can not', async () => {
    const store = await openStore()
    expect(store.pollInterval).toBe(75)
    let woken = 0
    store.watch!(() => (woken += 1))
    await expect.poll(() => store.pollInterval).toBe(500)
    expect(woken).toBe(1)
    await ask(`SELECT pg_terminate_backend(pid) ${LISTENERS}`)
    await expect.poll(() => store.pollInterval, { interval: 1 }).toBe(75)
    await expect.poll(() => store.pollInterval).toBe(500)
    expect(woken).toBe(2)
  })

  it('asks every 75 ms where it does not listen, and holds no connection', async () => {
    const pool = openPool()
    const [store, other] = [await openStore(), await openStore({ pool, listen: false })]
    expect(other.watch).toBeUndefined()
    expect(other.pollInterval).toBe(75)
    const { cursor } = await other.changesSince(undefined)
    expect(pool.totalCount).toBe(pool.idleCount)
    await store.saveApplication(application('a'), audit())
    expect((await other.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
    expect(await countListeners()).toBe(0)
  })

  it('does not keep a process alive that has nothing else to do', async () => {
    const { stdout } = await run(process.execPath, [PROCESS, database.url, schema, 'watch'], { timeout: 10_000 })
    expect(stdout).toBe('watching\n')
  })
})

describe('postgresStore, when its server stops and starts again,', { timeout: 60_000 }, () => {
  it('rejects meanwhile, and has everything and hears of everything afterwards', async () => {
    const server = await startPostgres()
    endings.push(() => server.end())
    const pools = [new Pool({ connectionString: server.url }), new Pool({ connectionString: server.url })] as const
    endings.push(() => Promise.all(pools.map((pool) => pool.end())))
    const [store, other] = [await openStore({ pool: pools[0] }), await openStore({ pool: pools[1] })]
    await store.saveApplication(application('before'), audit())
    const told = await listenTo(other)

    for (const round of ['first', 'second']) {
      await server.stop()
      for (const [, call] of CALLS) await expect(call(store)).rejects.toBeInstanceOf(Error)
      const late = postgresStore({ pool: pools[0], listen: false })
      endings.push(() => late.close())
      await expect(late.open()).rejects.toBeInstanceOf(Error)
      // Long enough for several attempts to listen again.
      await sleep(500)
      await server.start()
      expect(await store.saveApplication(application(round), audit())).toBe(true)
      await expect.poll(() => told().at(-1), { timeout: 3000 }).toBe(round)
      await late.open()
      expect(await late.findApplication('before')).toStrictEqual(application('before'))
    }
    expect(told()).toEqual(['first', 'second'])
  })
})

/** What a store that watches has been told of since now, by its wakings alone. */
async function listenTo(store: Store): Promise<() => readonly string[]> {
  const { cursor } = await store.changesSince(undefined)
  let told: readonly string[] = []
  store.watch!(() => {
    const reading = store.changesSince(cursor).then(({ changes }) => {
      told = changes.map((change) => ('id' in change ? change.id : change.kind))
    })
    // The connection it is read by may be lost too; then another waking follows.
    reading.catch(() => undefined)
  })
  return () => told
}

/** Twenty who add one to the same number, again and again, each by one of the stores. */
async function expectNoneLost(stores: readonly Store[]): Promise<void> {
  const store = stores[0]!
  await store.saveApplication(application('a', { name: '0', keys: [credential('k')] }), audit('a'))
  const { cursor } = await store.changesSince(undefined)
  const add = async (by: Store): Promise<void> => {
    for (let done = 0; done < 5;) {
      const record = (await by.findApplication('a')) as ApplicationRecord
      const next = { ...record, name: String(Number(record.name) + 1), version: record.version + 1 }
      if (await by.saveApplication(next, audit('a'))) done += 1
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, i) => add(stores[i % stores.length]!)))
  expect(await store.findApplication('a')).toMatchObject({ name: '100', version: 101 })
  expect((await store.changesSince(cursor)).changes).toHaveLength(100)
  expect(await store.listAudit({ after: undefined, limit: 1000, applicationId: 'a' })).toHaveLength(101)
}

/** The same pool, each of whose queries is shown before it is asked. Keeps the codes of what they reject with. */
function spied(pool: Pool, show: (query: PostgresQuery) => unknown, codes: unknown[] = []): PostgresPool {
  function spiedQuery(client: PoolClient): PostgresClient['query'] {
    return async function (asked) {
      await show(asked)
      try {
        return await client.query(asked as QueryConfig)
      } catch (error) {
        codes.push((error as { code?: unknown }).code)
        throw error
      }
    }
  }

  return {
    connect: (callback) =>
      pool.connect((error, client) =>
        callback(
          error,
          client && {
            query: spiedQuery(client),
            release: (destroy) => client.release(destroy),
            on: (event, listener) => client.on(event, listener),
            removeListener: (event, listener) => client.removeListener(event, listener),
          },
        ),
      ),
    on: (event, listener) => pool.on(event, listener),
  }
}
