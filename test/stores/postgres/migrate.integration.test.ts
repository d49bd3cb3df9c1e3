import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import type { SchemaMigration } from '../../../src/contracts/store.js'
import { createPostgresConnections } from '../../../src/stores/postgres/connection.js'
import type { Sql } from '../../../src/stores/postgres/connection.js'
import { migrate } from '../../../src/stores/postgres/migrate.js'
import { MIGRATIONS } from '../../../src/stores/postgres/migrations/index.js'
import { expectPlatformContinues, expectSameRecords, findFixture, readFixture } from '../fixtures/fixtures.js'
import { application, audit, credential, email, UNKNOWN_TO_SCHEMA_4 } from '../records.js'
import { runPostgresProcess, usePostgres } from './databases.js'

const db = usePostgres()
const fixture = await readFixture(1, 'postgres')
const dump = await readFile(findFixture(1, 'postgres.sql'), 'utf8')
const LATEST = MIGRATIONS.length

async function loadFixture(): Promise<void> {
  await db.makeSchema()
  await db.ask(dump)
}

/** The tables with their columns, the indexes and the sequences of the current schema. */
async function readSchema(): Promise<unknown> {
  return {
    columns: await db.ask(`SELECT table_name, column_name, data_type, is_nullable, collation_name
      FROM information_schema.columns WHERE table_schema = '${db.schema}' ORDER BY table_name, column_name`),
    indexes: await db.ask(`SELECT indexname, replace(indexdef, '${db.schema}.', '') AS definition
      FROM pg_indexes WHERE schemaname = '${db.schema}' ORDER BY indexname`),
    sequences: await db.ask(`SELECT sequencename FROM pg_sequences WHERE schemaname = '${db.schema}' ORDER BY 1`),
  }
}

describe('migration of a PostgreSQL database', () => {
  beforeEach(loadFixture)

  it('of schema 1 changes no application, credential, e-mail, revocation, signing key or audit record', async () => {
    const store = db.createStore()
    expect(await store.open()).toEqual({ from: 1, to: LATEST, copy: undefined })
    expect(await store.open()).toBeUndefined()
    await expectSameRecords(store, fixture)
  })

  it.each([3, 4, 5] as const)(
    'of schema %i changes nothing but what it adds, and lets a platform continue',
    async (schema) => {
      await db.makeSchema()
      await db.ask(await readFile(findFixture(schema, 'postgres.sql'), 'utf8'))
      const former = await readFixture(schema, 'postgres')
      await expectSameRecords(await db.openStore(), former)
      expect(await expectPlatformContinues(db.createStore(), former)).toEqual([])
    },
  )

  it('lets no process of schema 3 write credentials, which would drop their restrictions, or keep the metadata of a deleted application', async () => {
    const store = await db.openStore()
    const restricted = credential('k', { name: 'restricted', apis: { orders: { scopes: [] } } })
    await store.saveApplication(application('a', { keys: [restricted], metadata: { plan: 'gold' } }), audit('a'))
    const write = `INSERT INTO platform_auth_credentials AS stored
        (hash, application_seq, kind, position, prefix, created_at, expires_at, last_used_at)
      SELECT 'k', seq, 'key', 0, 'epa_key_abcd', 1, NULL, NULL FROM platform_auth_applications WHERE id = 'a'
      ON CONFLICT (hash) DO UPDATE SET position = excluded.position`
    await expect(db.ask(write)).rejects.toThrow('"id"')
    const erase = `UPDATE platform_auth_applications SET name = '', contact = NULL, status = 'deleted' WHERE id = 'a'`
    await expect(db.ask(erase)).rejects.toThrow('check')
    // It may still note that the credential was used.
    await db.ask(`UPDATE platform_auth_credentials SET last_used_at = 5 WHERE hash = 'k'`)
    expect((await store.findApplication('a'))?.keys).toEqual([{ ...restricted, lastUsedAt: 5 }])
  })

  it('lets no process of schema 4 change one of several contacts, or delete what it does not know', async () => {
    const store = await db.openStore()
    const write = (id: string, changes: string): Promise<unknown> =>
      db.ask(`UPDATE platform_auth_applications SET ${changes}, version = version + 1 WHERE id = '${id}'`)
    for (const record of UNKNOWN_TO_SCHEMA_4) {
      await store.saveApplication(record, audit(record.id))
      await expect(write(record.id, `name = '', contact = NULL, status = 'deleted'`), record.id).rejects.toThrow(
        'check',
      )
      await write(record.id, `name = 'renamed', status = 'suspended'`)
      expect(await store.findApplication(record.id)).toEqual({
        ...record,
        name: 'renamed',
        status: 'suspended',
        version: 2,
      })
    }
    await expect(write('contacts', `contact = 'other@example.com'`)).rejects.toThrow('check')
    await expect(write('contacts', 'contact = NULL')).rejects.toThrow('check')
    await write('invitation', `contact = 'other@example.com'`)
  })

  it('lets no process of schema 4 find an e-mail for which it would send credentials', async () => {
    const store = await db.openStore()
    await store.saveEmail(email('invitation', { purpose: 'invitation', recipient: 'b@example.com' }))
    expect(await db.ask('SELECT id FROM platform_auth_emails')).toHaveLength(fixture.records.letters!.length)
    expect(await store.findEmail('invitation')).toMatchObject({ recipient: 'b@example.com' })
  })

  it('lets a platform continue with what the former version issued, and is logged', async () => {
    const warnings = await expectPlatformContinues(db.createStore(), fixture)
    expect(warnings).toEqual([`The store was migrated from schema 1 to ${LATEST}.`])
  })

  it('leads to the schema of a new database', async () => {
    await db.openStore()
    const migrated = await readSchema()
    await db.makeSchema()
    await db.openStore()
    expect(await readSchema()).toEqual(migrated)
  })

  it('is refused with migrate: false, and the database is unchanged', async () => {
    const before = await readSchema()
    await expect(db.createStore().open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
    expect(await readSchema()).toEqual(before)
  })

  it('that fails leaves the former schema, and succeeds later', async () => {
    await db.ask('CREATE TABLE platform_auth_emails (id text)')
    const before = await readSchema()
    const store = db.createStore()
    for (let i = 0; i < 2; i++) await expect(store.open()).rejects.toThrow('platform_auth_emails')
    expect(await readSchema()).toEqual(before)
    await db.ask('DROP TABLE platform_auth_emails')
    expect(await store.open()).toMatchObject({ from: 1, to: LATEST })
    await expectSameRecords(store, fixture)
  })

  it('is made once by four processes that start at the same time', async () => {
    const outputs = await Promise.all(Array.from({ length: 4 }, () => runPostgresProcess(db, 'migrate')))
    const migrations = outputs.map((output) => JSON.parse(output.split('\n')[1] ?? '') as SchemaMigration | null)
    expect(migrations.filter((migration) => migration !== null)).toEqual([{ from: 1, to: LATEST }])
    await expectSameRecords(await db.openStore(), fixture)
  })
})

describe('migrations of PostgreSQL', () => {
  it('has one numbered file per schema version', () => {
    const folder = fileURLToPath(new URL('../../../src/stores/postgres/migrations/', import.meta.url))
    const numbers = readdirSync(folder).flatMap((name) => /^(\d{3})-[a-z0-9-]+\.ts$/.exec(name)?.[1] ?? [])
    expect(numbers).toEqual(MIGRATIONS.map((_, i) => String(i + 1).padStart(3, '0')))
  })

  it('may be functions, and are run in order, each once', async () => {
    await db.makeSchema()
    const connections = createPostgresConnections(db.openPool(), { prepare: true })
    const meta = 'CREATE TABLE platform_auth_meta (key text PRIMARY KEY, value text); CREATE TABLE steps (name text)'
    const addStep = (name: string) => async (sql: Sql) => void (await sql.run('INSERT INTO steps VALUES ($1)', name))
    const run = (...migrations: Parameters<typeof migrate>[1]['migrations']) =>
      migrate(connections, { migrations, mayMigrate: true })
    expect(await run(meta, addStep('second'))).toBeUndefined()
    expect(await run(meta, addStep('second'), addStep('third'))).toMatchObject({ from: 2, to: 3 })
    const fail = async (): Promise<never> => {
      throw new Error('The fifth migration fails.')
    }
    await expect(run(meta, addStep('second'), addStep('third'), addStep('fourth'), fail)).rejects.toThrow('fifth')
    expect(await db.ask('SELECT name FROM steps')).toEqual([{ name: 'second' }, { name: 'third' }])
    expect(await run(meta, addStep('second'), addStep('third'))).toBeUndefined()
  })
})

describe('a process killed while it migrates a PostgreSQL database', () => {
  const ROUNDS = IS_LONG_LANE ? 24 : 3

  it('leaves the former schema or the new one, with all records', async () => {
    await delayDefinitions()
    await loadFixture()
    const former = JSON.stringify(await readSchema()).replaceAll(db.schema, 'SCHEMA')
    const start = performance.now()
    await runPostgresProcess(db, 'migrate')
    const duration = performance.now() - start
    const current = JSON.stringify(await readSchema()).replaceAll(db.schema, 'SCHEMA')

    let killedBefore = 0
    for (let round = 0; round < ROUNDS; round++) {
      await loadFixture()
      // Spread over the whole migration.
      await killWhileMigrating((duration * (round + Math.random())) / ROUNDS)
      const schema = JSON.stringify(await readSchema()).replaceAll(db.schema, 'SCHEMA')
      expect([former, current]).toContain(schema)
      if (schema === former) killedBefore += 1
      await expectSameRecords(await db.openStore(), fixture)
    }
    expect(killedBefore).toBeGreaterThan(0)
  })
})

/** Makes every change of a definition by `postgres-process.mjs` take 30 ms, since renaming alone takes no time. */
async function delayDefinitions(): Promise<void> {
  await db.ask(`
    CREATE FUNCTION public.delay_definition() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN
        IF current_setting('application_name') = 'postgres-process' THEN PERFORM pg_sleep(0.03); END IF;
      END $$;
    CREATE EVENT TRIGGER delay_definition ON ddl_command_end EXECUTE FUNCTION public.delay_definition()`)
}

async function killWhileMigrating(delay: number): Promise<void> {
  const path = fileURLToPath(new URL('../../support/postgres-process.mjs', import.meta.url))
  const migrating = spawn(process.execPath, [path, db.url, db.schema, 'migrate'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(migrating, 'exit')
  await once(migrating.stdout, 'data')
  await sleep(delay)
  migrating.kill('SIGKILL')
  await exited
  // The server rolls back once it notices that the connection is gone.
  const connections = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'postgres-process'`
  await expect.poll(async () => (await db.ask(connections)).length).toBe(0)
}
