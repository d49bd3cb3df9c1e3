import { open } from 'node:fs/promises'
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeUnavailableStore } from '../../../../src/tools/cli/errors.js'
import { postgresStore } from '../../../../src/stores/postgres/index.js'
import { freePort } from '../../../support/free-port.js'
import { startPgBouncer } from '../../../support/pgbouncer.js'
import { freshDatabase } from '../../../support/postgres.js'
import { CONFIG, expectRefused } from '../command-line.js'
import { findProblems, runDoctor, useDoctorSite } from './doctor-site.js'

const { getFile, writeConfig, withStore } = useDoctorSite()

describe('the doctor reports', () => {
  it('a damaged SQLite file, wherever the damage is', async () => {
    await withStore(async () => undefined)
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const database = new DatabaseSync(getFile())
    database.exec(`
      WITH RECURSIVE counter(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counter WHERE n < 50)
      INSERT INTO platform_auth_meta SELECT 'filler ' || n, hex(randomblob(2000)) FROM counter;
      PRAGMA wal_checkpoint(TRUNCATE)`)
    database.close()
    const file = await open(getFile(), 'r+')
    const { size } = await file.stat()
    const damage = async (at: number): Promise<void> => void (await file.write(Buffer.alloc(500, 7), 0, 500, at))
    await damage(size - 4096 * 3)
    expect(await findProblems('database', '--db', getFile())).toMatchObject([
      {
        finding: expect.stringMatching(/^The SQLite file is damaged: /),
        fix: expect.stringContaining('restore a backup'),
      },
    ])
    await damage(0)
    await file.close()
    expect(await findProblems('store', '--db', getFile())).toMatchObject([
      { finding: 'The SQLite file is damaged: file is not a database.' },
    ])
    await expectRefused(['apps', 'list', '--db', getFile()], 4, 'The SQLite file is damaged')
  })

  it('a role without rights, and a full disk, of a PostgreSQL database; commits nothing', async () => {
    const database = await createDatabase()
    const role = `doctor_${Date.now()}`
    const url = new URL(database.url)
    Object.assign(url, { username: role, password: 'secret' })
    await database.execute(
      `CREATE ROLE ${role} LOGIN PASSWORD 'secret'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`,
    )
    expect(await findProblems('database', '--db', url.href)).toMatchObject([
      {
        finding: `The role ${role} lacks rights (DELETE, INSERT, UPDATE) on tables of the store.`,
        fix: expect.stringContaining(`TO ${role};`),
      },
    ])
    expect(await findProblems('database', '--db', database.url)).toEqual([])
    await database.execute(`REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM ${role}`)
    expect(await findProblems('store', '--db', url.href)).toMatchObject([
      { finding: 'The store refuses this role: permission denied for table platform_auth_meta.' },
    ])
    expect(await database.execute(`SELECT key FROM platform_auth_meta WHERE key = 'doctor'`)).toEqual([])
    await database.execute(`
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON platform_auth_meta FOR EACH ROW EXECUTE FUNCTION fill()`)
    expect(await findProblems('database', '--db', database.url)).toMatchObject([
      { finding: 'The disk of the store is full: could not extend file: No space left on device.' },
    ])
    await database.execute(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  it('LISTEN through a pooler in transaction mode, also if --db names the database itself', async () => {
    const database = await createDatabase()
    const pooler = await startPgBouncer(database.url)
    onTestFinished(pooler.end)
    const writeOptions = (url: string, listen: boolean): Promise<readonly string[]> =>
      writeConfig(`import pg from ${JSON.stringify(import.meta.resolve('pg'))}
        import { postgresStore } from ${JSON.stringify(import.meta.resolve('../../../../dist/esm/stores/postgres/index.js'))}
        const pool = new pg.Pool({ connectionString: '${url}', idleTimeoutMillis: 100, connectionTimeoutMillis: 5000 })
        export default { ...base(), store: postgresStore({ pool, listen: ${listen} }) }`)
    const finding = {
      finding: 'LISTEN does not work through this pool, as behind PgBouncer in transaction mode.',
      fix: expect.stringContaining('listen: false') as string,
    }
    expect(await findProblems('database', ...(await writeOptions(pooler.url, true)))).toMatchObject([finding])
    const withDatabase = [...(await writeOptions(pooler.url, true)), '--db', database.url]
    expect(await findProblems('database', ...withDatabase)).toMatchObject([finding])
    expect(await findProblems('database', ...(await writeOptions(pooler.url, false)))).toEqual([])
    expect(await findProblems('database', ...(await writeOptions(database.url, true)))).toEqual([])
  })

  it('a Redis that cannot be used', async () => {
    const writeOptions = (create: string): Promise<readonly string[]> =>
      writeConfig(`import { Redis } from ${JSON.stringify(import.meta.resolve('ioredis'))}
        import RedisMock from ${JSON.stringify(import.meta.resolve('ioredis-mock'))}
        export default { ...base(), rateLimits: { redis: ${create} } }`)
    const port = await freePort()
    const refused = await writeOptions(`new Redis(${port}, '127.0.0.1', { lazyConnect: true, retryStrategy: null })`)
    expect(await findProblems('redis', ...refused)).toMatchObject([
      { finding: `Redis cannot be used: connect ECONNREFUSED 127.0.0.1:${port}.` },
    ])
    expect(await findProblems('redis', ...(await writeOptions('new RedisMock()')))).toEqual([])
    const full = await writeOptions(`Object.assign(new RedisMock(), { set: async () => { throw new Error('OOM') } })`)
    expect(await findProblems('redis', ...full)).toMatchObject([{ finding: 'Redis cannot be used: OOM.' }])
  })

  it('one finding, not two, for a missing secret', async () => {
    const args = await writeConfig('export default { ...base(), secret: undefined }')
    const { findings } = await runDoctor(...args)
    expect(findings.filter(({ check }) => check === 'options')).toMatchObject([
      { level: 'problem', finding: expect.stringContaining('the store was written with one') },
    ])
    // Its base URL is that of the example app, which may run on this machine, with other keys.
    const others = (await runDoctor('--config', CONFIG)).findings.filter(
      ({ check }) => check !== 'the server at baseUrl',
    )
    expect(others.filter(({ level }) => level === 'problem')).toEqual([])
  })
})

it.each([
  [{ errcode: 13 }, 'The disk of the store is full: database'],
  [{ errcode: 8 + (4 << 8) }, 'The store is read-only: database'],
  [{ errcode: 5 }, 'Another process has locked the store: database'],
  [{ code: 'ENOSPC' }, 'The disk of the store is full: database'],
  [{ code: '25006' }, 'The store is read-only: database'],
  [{ code: 'ECONNREFUSED' }, 'The store is unavailable: database'],
])('names the fault of a store: %j', (details, problem) => {
  const cause = Object.assign(new Error('database'), details)
  expect(describeUnavailableStore(new Error('The store is unavailable.', { cause }))).toMatchObject({ problem })
})

/** A database with the tables of a store, and what its owner can do. */
async function createDatabase(): Promise<{ url: string; execute(sql: string): Promise<readonly unknown[]> }> {
  const { url, remove } = await freshDatabase()
  const pool = new Pool({ connectionString: url })
  onTestFinished(async () => {
    await pool.end()
    await remove()
  })
  const store = postgresStore({ pool, listen: false })
  await store.open()
  await store.close()
  return { url, execute: async (sql) => (await pool.query(sql)).rows }
}
