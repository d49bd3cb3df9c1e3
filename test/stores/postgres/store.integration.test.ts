import { types } from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { CALLS } from '../calls.js'
import { application, audit, credential, email, NOW, signingKey } from '../suite/records.js'
import { spyOnQueries, usePostgres } from './databases.js'

const db = usePostgres()

describe('postgresStore', () => {
  beforeEach(db.makeSchema)

  it('refuses a value that is not a pool, and a pool whose only connection LISTEN would hold', () => {
    const pool = db.openPool({ max: 1 })
    expect(() => postgresStore(pool as never)).toThrow('postgresStore({ pool: new pg.Pool(')
    expect(() => postgresStore(undefined as never)).toThrow('postgresStore({ pool: new pg.Pool(')
    expect(() => postgresStore({ pool: {} } as never)).toThrow('postgresStore({ pool: new pg.Pool(')
    expect(() => postgresStore({ pool })).toThrow('max: 1')
    expect(postgresStore({ pool, listen: false })).toMatchObject({ kind: 'postgres', pollInterval: 75 })
  })

  it('names the missing schema, and opens once it exists', async () => {
    const store = db.createStore({ pool: db.openPool({ options: '-c search_path=missing' }) })
    await expect(store.open()).rejects.toThrow('schema')
    await db.ask('CREATE SCHEMA missing')
    await store.open()
    expect(await store.findApplication('a')).toBeUndefined()
  })

  it('creates its tables, named platform_auth_*, in the first schema of the search path', async () => {
    await db.openStore()
    const tables = await db.ask(`SELECT table_schema, table_name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_schema IN ('public', '${db.schema}')`)
    expect(tables.length).toBeGreaterThan(8)
    for (const { table_schema: tableSchema, table_name: name } of tables) {
      expect(tableSchema).toBe(db.schema)
      expect(name).toMatch(/^platform_auth_/)
    }
  })

  it('finds its tables by the search path, and does not use those of other schemas', async () => {
    const first = await db.openStore()
    const cursor = (await first.changesSince(undefined)).cursor
    const former = db.schema
    await db.makeSchema()
    await first.saveApplication(application('a'), audit('a'))
    const through = await db.openStore({ pool: db.openPool({ options: `-c search_path=${db.schema},${former}` }) })
    expect(await through.findApplication('a')).toStrictEqual(application('a'))
    const second = await db.openStore({ pool: db.openPool({ options: `-c search_path=${former},${db.schema}` }) })
    expect(await second.findApplication('a')).toStrictEqual(application('a'))
    const third = await db.openStore()
    expect(await third.findApplication('a')).toStrictEqual(undefined)
    await third.saveApplication(application('b'), audit('b'))
    expect((await first.changesSince(cursor)).changes).toEqual([{ kind: 'application', id: 'a' }])
  })

  it('reads numbers exactly, whatever type parsers the host has set in pg', async () => {
    const former = types.getTypeParser(20)
    db.onEnd(() => types.setTypeParser(20, former))
    for (const parser of [former, BigInt, () => 'nonsense']) {
      types.setTypeParser(20, parser)
      await db.makeSchema()
      const store = await db.openStore()
      const far = Number.MAX_SAFE_INTEGER
      const used = credential('k', { createdAt: far - 1, expiresAt: far, lastUsedAt: far - 2 })
      const record = application('a', { createdAt: far - 3, tokensRevokedAt: far - 4, keys: [used] })
      expect(await store.saveApplication(record, audit('a', { at: far }))).toBe(true)
      await db.ask('UPDATE platform_auth_applications SET version = $1', [far - 1])
      expect(await store.saveApplication({ ...record, version: far }, undefined)).toBe(true)
      expect(await store.findApplicationByKey('k')).toStrictEqual({ ...record, version: far })
      await store.noteCredentialUse([{ hash: 'k', at: far }])
      expect((await store.findApplication('a'))?.keys[0]?.lastUsedAt).toBe(far)
      const times = { createdAt: far, dueAt: 2 ** 31, leasedUntil: 2 ** 31, overlap: 2 ** 33, attemptCount: 2 ** 32 }
      const given = email('l', { ...times, claimLinks: [{ hash: 'c', expiresAt: far }] })
      await store.emails.save(given)
      expect(await store.emails.findByClaimLink('c')).toStrictEqual(given)
      expect(await store.emails.lease(2 ** 31, far)).toMatchObject({ ...times, leasedUntil: far, version: 2 })
      const key = { ...signingKey('k'), createdAt: far, signsFrom: far, formerVerifiesFor: 2 ** 40 }
      await store.addSigningKey(key, undefined, audit())
      expect(await store.listSigningKeys()).toStrictEqual([key])
      await store.revokeAccessToken({ id: 'jti', expiresAt: far }, far - 1)
      expect(await store.listRevokedAccessTokens(far - 1, 1)).toStrictEqual([{ id: 'jti', expiresAt: far }])
      expect((await store.changesSince('0')).changes.at(-1)).toMatchObject({ id: 'jti', expiresAt: far })
      expect((await store.listAudit({ after: undefined, limit: 1, applicationId: 'a' }))[0]?.at).toBe(far)
    }
  })

  it('prepares frequent statements, and none with listen: false', async () => {
    for (const listen of [true, false]) {
      const pool = db.openPool({ max: 2 })
      const store = await db.openStore({ pool, listen })
      for (let i = 0; i < 3; i++) {
        for (const [, call] of CALLS) await call(store)
      }
      const { rows } = await pool.query(`SELECT name FROM pg_prepared_statements`)
      expect(rows.length > 4).toBe(listen)
    }
  })

  it('starts no transaction if no e-mail is due', async () => {
    const statements: string[] = []
    const store = await db.openStore({
      pool: spyOnQueries(db.openPool(), ({ text }) => void statements.push(text)),
      listen: false,
    })
    await store.emails.save(email('l', { state: 'held' }))
    statements.length = 0
    expect(await store.emails.lease(NOW, NOW + 1)).toBeUndefined()
    expect(statements).toHaveLength(1)
    expect(statements[0]).toMatch(/^\s*\(?SELECT/)
  })

  it('keeps about 10,000 changes, and resolves `everything` for an older cursor', async () => {
    const store = await db.openStore()
    await store.saveApplication(application('a'), audit('a'))
    const { cursor } = await store.changesSince(undefined)
    await db.ask(
      `INSERT INTO platform_auth_changes (kind, id) SELECT 'application', i FROM generate_series(1, 11500) i`,
    )
    for (let i = 0; i < 500; i++) await store.revokeAccessToken({ id: `${i}`, expiresAt: NOW + 1 }, NOW)
    const kept = Number((await db.ask('SELECT count(*) AS n FROM platform_auth_changes'))[0]?.['n'])
    expect(kept).toBeGreaterThanOrEqual(10_000)
    expect(kept).toBeLessThan(10_500)
    const end = (await store.changesSince(undefined)).cursor
    expect(await store.changesSince(cursor)).toEqual({ cursor: end, changes: [{ kind: 'everything' }] })
    const [row] = await db.ask('SELECT seq, nonce FROM platform_auth_changes ORDER BY seq DESC OFFSET 9000 LIMIT 1')
    const later = await store.changesSince(`${String(row!['seq'])}.${String(row!['nonce'])}`)
    expect(later.changes).toHaveLength(9000)
  })
})
