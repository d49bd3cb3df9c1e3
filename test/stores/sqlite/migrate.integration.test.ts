import fs, { readdirSync } from 'node:fs'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import type { SchemaMigration } from '../../../src/contracts/store.js'
import { createSqliteConnection } from '../../../src/stores/sqlite/connection.js'
import { migrate } from '../../../src/stores/sqlite/migrate.js'
import { MIGRATIONS } from '../../../src/stores/sqlite/migrations/index.js'
import { expectPlatformContinues, expectSameRecords, findFixture, readFixture } from '../fixtures/fixtures.js'
import { application, audit, credential, email, UNKNOWN_TO_SCHEMA_4 } from '../records.js'
import { drivers } from './drivers.js'
import { kill, readRows, runSqliteProcess, startSqliteProcess, useSqliteFiles } from './files.js'

const files = useSqliteFiles()
const fixture = await readFixture(1, 'sqlite')
const LATEST = MIGRATIONS.length

/** The names of the copies beside the test's database. */
function listCopies(): string[] {
  const prefix = `${basename(files.file)}.before-schema-`
  return readdirSync(files.folder)
    .filter((name) => name.startsWith(prefix))
    .toSorted()
}

/** The names and columns of all tables, which tell the schemas apart. */
function readSchema(path = files.file): unknown {
  return readRows(files.openDatabase(undefined, path), 'SELECT type, name, sql FROM sqlite_schema ORDER BY name')
}

describe('migration of a SQLite file', () => {
  beforeEach(() => copyFile(findFixture(1, 'sqlite'), files.file))

  it('of schema 1 changes no application, credential, e-mail, revocation, signing key or audit record', async () => {
    const store = files.createStore()
    expect(await store.open()).toEqual({ from: 1, to: LATEST, copy: `${files.file}.before-schema-${LATEST}` })
    expect(await store.open()).toBeUndefined()
    await expectSameRecords(store, fixture)
  })

  it.each([3, 4, 5] as const)(
    'of schema %i changes nothing but what it adds, and lets a platform continue',
    async (schema) => {
      await copyFile(findFixture(schema, 'sqlite'), files.file)
      const former = await readFixture(schema, 'sqlite')
      await expectSameRecords(await files.openStore(), former)
      expect(await expectPlatformContinues(files.createStore(), former)).toEqual([])
    },
  )

  it('tells how far it is with many credentials, and migrates each of them', async () => {
    await copyFile(findFixture(3, 'sqlite'), files.file)
    const database = files.openDatabase()
    database.exec(`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO platform_auth_credentials SELECT 'hash ' || i, 1, 'key', i, 'epa_key_abcd', 1, NULL, NULL FROM n`)
    const [before] = readRows(database, 'SELECT count(*) AS n FROM platform_auth_credentials')
    const total = Number(before?.['n'])
    const progress: string[] = []
    await files.createStore().open({ onProgress: (text) => void progress.push(text) })
    expect(progress).toEqual([100_000, total].map((n) => `Migrating the store: ${n} of ${total} credentials.`))
    const [after] = readRows(database, 'SELECT count(*) AS n, count(DISTINCT id) AS ids FROM platform_auth_credentials')
    expect(after).toEqual({ n: total, ids: total })
  })

  it('lets no process of schema 3 write credentials, which would drop their restrictions, or keep the metadata of a deleted application', async () => {
    const store = await files.openStore()
    const restricted = credential('k', { name: 'restricted', apis: { orders: { scopes: [] } } })
    await store.saveApplication(application('a', { keys: [restricted], metadata: { plan: 'gold' } }), audit('a'))
    const database = files.openDatabase()
    const seq = `(SELECT seq FROM platform_auth_applications WHERE id = 'a')`
    const write = `INSERT INTO platform_auth_credentials
        (hash, application_seq, kind, position, prefix, created_at, expires_at, last_used_at)
      VALUES ('k2', ${seq}, 'key', 0, 'epa_key_abcd', 1, NULL, NULL)`
    expect(() => database.exec(write)).toThrow('platform_auth_credentials.id')
    const erase = `UPDATE platform_auth_applications SET name = '', contact = NULL, status = 'deleted' WHERE id = 'a'`
    expect(() => database.exec(erase)).toThrow('CHECK')
    // It may still note that the credential was used.
    database.exec(`UPDATE platform_auth_credentials SET last_used_at = 5 WHERE hash = 'k'`)
    expect((await store.findApplication('a'))?.keys).toEqual([{ ...restricted, lastUsedAt: 5 }])
  })

  it('lets no process of schema 4 change one of several contacts, or delete what it does not know', async () => {
    const store = await files.openStore()
    const database = files.openDatabase()
    const write = (id: string, changes: string) => (): void =>
      database.exec(`UPDATE platform_auth_applications SET ${changes}, version = version + 1 WHERE id = '${id}'`)
    for (const record of UNKNOWN_TO_SCHEMA_4) {
      await store.saveApplication(record, audit(record.id))
      expect(write(record.id, `name = '', contact = NULL, status = 'deleted'`), record.id).toThrow('CHECK')
      write(record.id, `name = 'renamed', status = 'suspended'`)()
      expect(await store.findApplication(record.id)).toEqual({
        ...record,
        name: 'renamed',
        status: 'suspended',
        version: 2,
      })
    }
    expect(write('contacts', `contact = 'other@example.com'`)).toThrow('CHECK')
    expect(write('contacts', 'contact = NULL')).toThrow('CHECK')
    expect(write('invitation', `contact = 'other@example.com'`)).not.toThrow()
  })

  it('lets no process of schema 4 find an e-mail for which it would send credentials', async () => {
    const store = await files.openStore()
    await store.saveEmail(email('invitation', { purpose: 'invitation', recipient: 'b@example.com' }))
    expect(readRows(files.openDatabase(), 'SELECT id FROM platform_auth_emails')).toHaveLength(
      fixture.records.letters!.length,
    )
    expect(await store.findEmail('invitation')).toMatchObject({ recipient: 'b@example.com' })
  })

  it('lets a platform continue with what the former version issued, and is logged with the name of the copy', async () => {
    const warnings = await expectPlatformContinues(files.createStore(), fixture)
    expect(warnings).toEqual([expect.stringContaining(`${files.file}.before-schema-${LATEST}`)])
    expect(warnings[0]).toMatch(/^The store was migrated from schema 1 to \d+\./)
  })

  it.each([...drivers])('makes no copy of a database that was passed in: %s', async (_, driver) => {
    const store = files.createStore(files.openDatabase(driver))
    expect(await store.open()).toEqual({ from: 1, to: LATEST, copy: undefined })
    await expectSameRecords(store, fixture)
    expect(listCopies()).toEqual([])
  })

  it('leads to the schema of a new database', async () => {
    await files.openStore()
    const migrated = readSchema()
    await files.makeFolder()
    await files.openStore()
    expect(readSchema()).toEqual(migrated)
  })

  it('is refused with migrate: false, and the file is unchanged', async () => {
    const before = await readFile(files.file)
    await expect(files.createStore().open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
    expect(readRows(files.openDatabase(), `SELECT value FROM platform_auth_meta WHERE key = 'schema_version'`)).toEqual(
      [{ value: '1' }],
    )
    expect((await readFile(files.file)).length).toBe(before.length)
    expect(listCopies()).toEqual([])
  })

  it('leaves a copy with the former schema and all records, which only its owner can read', async () => {
    const original = readDump(files.file)
    await files.openStore()
    const [copy = ''] = listCopies()
    const path = `${files.folder}/${copy}`
    expect(readDump(path)).toEqual(original)
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
    // The copy is a database that can take the place of the file.
    await copyFile(path, `${files.folder}/restored.sqlite`)
    await expectSameRecords(await files.openStore(`${files.folder}/restored.sqlite`), fixture)
  })

  it('overwrites no earlier copy', async () => {
    const [first, second] = [`${files.file}.before-schema-${LATEST}`, `${files.file}.before-schema-${LATEST}.2`]
    await writeFile(first, 'first')
    await writeFile(second, 'second')
    const migration = await files.createStore().open()
    expect(migration?.copy).toBe(`${files.file}.before-schema-${LATEST}.3`)
    expect(await readFile(first, 'utf8')).toBe('first')
    expect(await readFile(second, 'utf8')).toBe('second')
  })

  it('gives a copy its final name only when it is complete and synced', async () => {
    const { statSync } = fs
    const calls: string[] = []
    const sizes = new Set<number>()
    const spies = (['openSync', 'closeSync', 'fsyncSync', 'renameSync'] as const).map((name) => {
      const call = fs[name] as (...values: unknown[]) => unknown
      return vi.spyOn(fs, name).mockImplementation((...values: unknown[]) => {
        const result = call(...values)
        calls.push(name)
        const copies = listCopies().filter((copy) => !copy.includes('.partial'))
        for (const copy of copies) sizes.add(statSync(`${files.folder}/${copy}`).size)
        return result as never
      })
    })
    syncBuiltinESMExports()
    try {
      await files.openStore()
    } finally {
      for (const spy of spies) spy.mockRestore()
      syncBuiltinESMExports()
    }
    const [copy = ''] = listCopies()
    expect(sizes).toEqual(new Set([statSync(`${files.folder}/${copy}`).size]))
    expect(calls.filter((name) => name === 'fsyncSync' || name === 'renameSync')).toEqual(['fsyncSync', 'renameSync'])
  })

  it.skipIf(process.platform === 'win32')('writes the copy to no file that another user has just created', async () => {
    const foreign = `${files.folder}/foreign`
    await writeFile(foreign, '')
    const { rmSync } = fs
    const removal = vi.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
      rmSync(path, options)
      if (String(path).endsWith('.partial')) fs.symlinkSync(foreign, path)
    })
    syncBuiltinESMExports()
    try {
      await expect(files.createStore().open()).rejects.toThrow('.partial')
    } finally {
      removal.mockRestore()
      syncBuiltinESMExports()
    }
    expect(await readFile(foreign, 'utf8')).toBe('')
  })

  it('replaces the unfinished copy of a process that was killed', async () => {
    const partial = `${files.file}.before-schema-${LATEST}.partial`
    for (const name of [partial, `${partial}-journal`]) await writeFile(name, 'unfinished')
    await files.openStore()
    expect(listCopies()).toEqual([`platform-auth.sqlite.before-schema-${LATEST}`])
  })

  it('that fails leaves the former schema and no copy, and succeeds later', async () => {
    const database = files.openDatabase()
    database.exec('CREATE TABLE platform_auth_emails (id TEXT)')
    const before = readDump(files.file)
    const store = files.createStore()
    for (let i = 0; i < 2; i++) await expect(store.open()).rejects.toThrow('platform_auth_emails')
    expect(readDump(files.file)).toEqual(before)
    expect(listCopies()).toEqual([])
    database.exec('DROP TABLE platform_auth_emails')
    expect(await store.open()).toMatchObject({ from: 1, to: LATEST })
    await expectSameRecords(store, fixture)
  })

  it('is made once by four processes that start at the same time', async () => {
    const outputs = await Promise.all(Array.from({ length: 4 }, () => runSqliteProcess(files.file, 'migrate')))
    const migrations = outputs.map((output) => JSON.parse(output.split('\n')[1] ?? '') as SchemaMigration | null)
    const copy = `${files.file}.before-schema-${LATEST}`
    expect(migrations.filter((migration) => migration !== null)).toEqual([{ from: 1, to: LATEST, copy }])
    expect(listCopies()).toEqual([basename(copy)])
    await expectSameRecords(await files.openStore(), fixture)
  })
})

describe('a new SQLite database', () => {
  it.each(['file', ':memory:'])('is no migration and makes no copy: %s', async (name) => {
    const store = files.createStore(name === 'file' ? files.file : name)
    expect(await store.open()).toBeUndefined()
    expect(listCopies()).toEqual([])
  })
})

describe('migrations of SQLite', () => {
  it('has one numbered file per schema version', () => {
    const folder = fileURLToPath(new URL('../../../src/stores/sqlite/migrations/', import.meta.url))
    const numbers = readdirSync(folder).flatMap((name) => /^(\d{3})-[a-z0-9-]+\.ts$/.exec(name)?.[1] ?? [])
    expect(numbers).toEqual(MIGRATIONS.map((_, i) => String(i + 1).padStart(3, '0')))
  })

  it('may be functions, and are run in order, each once', async () => {
    const database = files.openDatabase()
    const connection = createSqliteConnection(database, { owned: false })
    const meta = 'CREATE TABLE platform_auth_meta (key TEXT PRIMARY KEY, value TEXT); CREATE TABLE steps (name TEXT)'
    const addStep = (name: string) => (sql: { run(text: string, name: string): unknown }) => {
      sql.run('INSERT INTO steps VALUES (?)', name)
    }
    const run = (...migrations: Parameters<typeof migrate>[1]['migrations']) =>
      migrate(connection, { migrations, mayMigrate: true, backup: undefined })
    expect(await run(meta, addStep('second'))).toBeUndefined()
    expect(await run(meta, addStep('second'), addStep('third'))).toMatchObject({ from: 2, to: 3 })
    const fail = (): never => {
      throw new Error('The fifth migration fails.')
    }
    await expect(run(meta, addStep('second'), addStep('third'), addStep('fourth'), fail)).rejects.toThrow('fifth')
    expect(readRows(database, 'SELECT name FROM steps')).toEqual([{ name: 'second' }, { name: 'third' }])
    expect(await run(meta, addStep('second'), addStep('third'))).toBeUndefined()
  })
})

describe('a process killed while it migrates a SQLite file', () => {
  const ROUNDS = IS_LONG_LANE ? 24 : 3
  const EMAILS = IS_LONG_LANE ? 30_000 : 15_000

  it('leaves the former schema or the new one, with all records', async () => {
    const large = `${files.folder}/large.sqlite`
    await makeLargeFixture(large, EMAILS)
    const former = readSchema(large)
    await copyFile(large, files.file)
    const duration = await measure(() => runSqliteProcess(files.file, 'migrate'))
    const current = readSchema()

    let killedBefore = 0
    for (let round = 0; round < ROUNDS; round++) {
      await files.makeFolder()
      await copyFile(large, files.file)
      const migrating = await startSqliteProcess(files.file, 'migrate')
      // At once, and then spread over the whole migration.
      if (round > 0) await sleep((duration * (round + Math.random())) / ROUNDS)
      await kill(migrating)
      const schema = JSON.stringify(readSchema())
      expect([JSON.stringify(former), JSON.stringify(current)]).toContain(schema)
      if (schema === JSON.stringify(former)) killedBefore += 1
      for (const name of listCopies().filter((name) => !name.includes('.partial'))) {
        expect(readSchema(`${files.folder}/${name}`)).toEqual(former)
      }
      const store = await files.openStore()
      expect(readRows(files.openDatabase(), 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      expect(readRows(files.openDatabase(), 'SELECT count(*) AS n FROM platform_auth_emails')).toEqual([
        { n: EMAILS + fixture.records.letters!.length },
      ])
      expect(listCopies().filter((name) => name.includes('.partial'))).toEqual([])
      expect(await store.findApplication(fixture.records.applications[0]!.id)).toMatchObject({
        name: fixture.records.applications[0]!.name,
      })
    }
    expect(killedBefore).toBeGreaterThan(0)
  })
})

/** Every row of every table of the package. */
function readDump(path: string): unknown {
  const database = files.openDatabase(undefined, path)
  const tables = readRows(database, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
  return tables.map(({ name }) => [name, readRows(database, `SELECT * FROM ${String(name)}`)])
}

/** The fixture with so many more e-mails, whose indexes take a while to rebuild. */
async function makeLargeFixture(path: string, emails: number): Promise<void> {
  await copyFile(findFixture(1, 'sqlite'), path)
  files.openDatabase(undefined, path).exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${emails})
    INSERT INTO platform_auth_letters (id, application_id, purpose, state, overlap, attempts, attempted, claims,
      created_at, due_at, leased_until, problem, version)
    SELECT 'email ' || i, 'app ' || (i * 7919 % ${emails}), 'key', 'failed', 0, 0, '[]', '[]', 0, i * 104729 % 1000000, 0, NULL, 1
    FROM n;
    -- Into the file itself, which is copied without its WAL.
    PRAGMA wal_checkpoint(TRUNCATE)`)
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
