import fs, { readdirSync } from 'node:fs'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import type { SchemaMigration } from '../../../src/shared/contracts/store.js'
import { createSqliteConnection } from '../../../src/stores/sqlite/connection.js'
import { migrate } from '../../../src/stores/sqlite/migrate.js'
import { MIGRATIONS } from '../../../src/stores/sqlite/migrations/index.js'
import { NEXT_SQLITE_MIGRATION } from '../../support/next-migration.mjs'
import { openPlatform } from '../../support/platform.js'
import { describeMigrations } from '../migration-suite.js'
import { expectFilled, fillStore, useNextMigration } from '../next-migration.js'
import { drivers } from './drivers.js'
import { kill, readRows, runSqliteProcess, startSqliteProcess, useSqliteFiles } from './files.js'

const files = useSqliteFiles()
/** The version of the schema that the package has, and that to which the tests migrate. */
const FORMER = MIGRATIONS.length
const LATEST = FORMER + 1

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

/** A database of this version, with records. */
async function makeFormer(): Promise<void> {
  const store = files.createStore()
  await store.open()
  await fillStore(store)
  await store.close()
}

describeMigrations<(typeof MIGRATIONS)[number]>({
  name: 'sqlite',
  migrations: MIGRATIONS,
  nextMigration: NEXT_SQLITE_MIGRATION,
  makeEmpty: files.makeFolder,
  createStore: () => files.createStore(),
  run: (text) => files.openDatabase().exec(text),
  readSchema,
  readAll: () => [readSchema(), readDump(files.file), listCopies()],
  migrate: async (migrations) =>
    migrate(createSqliteConnection(files.openDatabase(), { owned: false }), {
      migrations,
      mayMigrate: true,
      backup: undefined,
    }),
  addStep: (name) => (sql) => void sql.run('INSERT INTO steps VALUES (?)', name),
  readSteps: () => readRows(files.openDatabase(), 'SELECT name FROM steps'),
})

describe('migration of a SQLite file', () => {
  const next = useNextMigration(MIGRATIONS, NEXT_SQLITE_MIGRATION)
  beforeEach(async () => {
    next.restore()
    await makeFormer()
    next.apply()
  })

  it('changes no record, and tells how far it is', async () => {
    const progress: string[] = []
    const store = files.createStore()
    const migration = await store.open({ onProgress: (text) => void progress.push(text) })
    expect(migration).toEqual({ from: FORMER, to: LATEST, copy: `${files.file}.before-schema-${LATEST}` })
    expect(await store.open()).toBeUndefined()
    expect(progress).toEqual(['Migrating the store: regions.'])
    await expectFilled(store)
  })

  it('is logged by a platform with the name of the copy', async () => {
    const path = `${files.folder}/platform.sqlite`
    next.restore()
    const former = openPlatform({ store: files.createStore(path) })
    await former.auth.ready()
    await former.auth.close()
    next.apply()
    const { auth, logger } = openPlatform({ store: files.createStore(path) })
    await auth.ready()
    await auth.close()
    const lines = logger.lines.filter((line) => line.startsWith('The store was migrated'))
    expect(lines).toEqual([expect.stringContaining(`${path}.before-schema-${LATEST}`)])
    expect(lines[0]).toContain(`from schema ${FORMER} to ${LATEST}.`)
  })

  it.each([...drivers])('makes no copy of a database that was passed in: %s', async (_, driver) => {
    const store = files.createStore(files.openDatabase(driver))
    expect(await store.open()).toEqual({ from: FORMER, to: LATEST, copy: undefined })
    await expectFilled(store)
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
    await expectFilled(await files.openStore(`${files.folder}/restored.sqlite`))
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

  it('is made once by four processes that start at the same time', async () => {
    const outputs = await Promise.all(Array.from({ length: 4 }, () => runSqliteProcess(files.file, 'migrate')))
    const migrations = outputs.map((output) => JSON.parse(output.split('\n')[1] ?? '') as SchemaMigration | null)
    const copy = `${files.file}.before-schema-${LATEST}`
    expect(migrations.filter((migration) => migration !== null)).toEqual([{ from: FORMER, to: LATEST, copy }])
    expect(listCopies()).toEqual([basename(copy)])
    await expectFilled(await files.openStore())
  })
})

describe('a new SQLite database', () => {
  it('has the tables of schema.sql', async () => {
    await files.openStore()
    const statements = readRows(
      files.openDatabase(),
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY tbl_name, type DESC, name`,
    )
    const text = statements.map(({ sql }) => `${String(sql)};\n`).join('\n')
    await expect(text).toMatchFileSnapshot('schema.sql')
  })

  it.each(['file', ':memory:'])('is no migration and makes no copy: %s', async (name) => {
    const store = files.createStore(name === 'file' ? files.file : name)
    expect(await store.open()).toBeUndefined()
    expect(listCopies()).toEqual([])
  })
})

describe('a process killed while it migrates a SQLite file', () => {
  const ROUNDS = IS_LONG_LANE ? 24 : 3
  const EMAILS = IS_LONG_LANE ? 60_000 : 20_000

  it('leaves the former schema or the new one, with all records', async () => {
    await makeFormer()
    const large = `${files.folder}/large.sqlite`
    await copyFile(files.file, large)
    addEmails(large, EMAILS)
    const former = readSchema(large)
    await files.makeFolder()
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
      await runSqliteProcess(files.file, 'migrate')
      const database = files.openDatabase()
      expect(readRows(database, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      expect(readRows(database, 'SELECT count(*) AS n FROM platform_auth_emails')).toEqual([{ n: EMAILS + 1 }])
      expect(readRows(database, 'SELECT id FROM platform_auth_applications')).toHaveLength(2)
      expect(listCopies().filter((name) => name.includes('.partial'))).toEqual([])
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

/** So many more e-mails, of which the migration makes an index. */
function addEmails(path: string, emails: number): void {
  files.openDatabase(undefined, path).exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${emails})
    INSERT INTO platform_auth_emails (id, application_id, purpose, state, overlap, attempt_count, attempted_hashes, claim_links,
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
