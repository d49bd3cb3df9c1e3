import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { createPostgresConnections } from '../../../src/stores/postgres/connection.js'
import { migrate } from '../../../src/stores/postgres/migrate.js'
import { MIGRATIONS } from '../../../src/stores/postgres/migrations/index.js'
import { NEXT_POSTGRES_MIGRATION } from '../../support/next-migration.mjs'
import { openPlatform } from '../../support/platform.js'
import { describeMigrations } from '../migration-suite.js'
import { expectFilled, fillStore, useNextMigration } from '../next-migration.js'
import { runPostgresProcess, usePostgres } from './databases.js'

const db = usePostgres()
/** The version of the schema that the package has, and that to which the tests migrate. */
const FORMER = MIGRATIONS.length
const LATEST = FORMER + 1

/** A schema of this version, with records. */
async function makeFormer(): Promise<void> {
  await db.makeSchema()
  await fillStore(await db.openStore())
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

describeMigrations<(typeof MIGRATIONS)[number]>({
  name: 'postgres',
  migrations: MIGRATIONS,
  nextMigration: NEXT_POSTGRES_MIGRATION,
  makeEmpty: db.makeSchema,
  createStore: () => db.createStore(),
  run: db.ask,
  readSchema,
  readAll: readSchema,
  migrate: async (migrations) =>
    migrate(createPostgresConnections(db.openPool(), { prepare: true }), { migrations, mayMigrate: true }),
  addStep: (name) => async (sql) => void (await sql.run('INSERT INTO steps VALUES ($1)', name)),
  readSteps: () => db.ask('SELECT name FROM steps'),
})

describe('migration of a PostgreSQL database', () => {
  const next = useNextMigration(MIGRATIONS, NEXT_POSTGRES_MIGRATION)
  beforeEach(async () => {
    next.restore()
    await makeFormer()
    next.apply()
  })

  it('changes no record', async () => {
    const store = db.createStore()
    expect(await store.open()).toEqual({ from: FORMER, to: LATEST, copy: undefined })
    expect(await store.open()).toBeUndefined()
    await expectFilled(store)
  })

  it('is logged by a platform', async () => {
    next.restore()
    await db.makeSchema()
    const former = openPlatform({ store: db.createStore() })
    await former.auth.ready()
    await former.auth.close()
    next.apply()
    const { auth, logger } = openPlatform({ store: db.createStore() })
    await auth.ready()
    await auth.close()
    expect(logger.lines).toContain(`The store was migrated from schema ${FORMER} to ${LATEST}.`)
  })

  // To the server each pool is a process.
  it('is made once by four processes that start at the same time', async () => {
    const migrations = await Promise.all(Array.from({ length: 4 }, () => db.createStore().open()))
    expect(migrations.filter((migration) => migration !== undefined)).toEqual([{ from: FORMER, to: LATEST }])
    await expectFilled(await db.openStore())
  })
})

describe('a new PostgreSQL schema', () => {
  it('has the tables of schema.sql', async () => {
    await db.makeSchema()
    await db.openStore()
    await expect(await formatSchema()).toMatchFileSnapshot('schema.sql')
  })
})

describe('a process killed while it migrates a PostgreSQL database', () => {
  const ROUNDS = IS_LONG_LANE ? 24 : 2

  it('leaves the former schema or the new one, with all records', async () => {
    await makeFormer()
    await delayDefinitions()
    const former = JSON.stringify(await readSchema()).replaceAll(db.schema, 'SCHEMA')
    const start = performance.now()
    await runPostgresProcess(db, 'migrate')
    const duration = performance.now() - start
    const current = JSON.stringify(await readSchema()).replaceAll(db.schema, 'SCHEMA')

    let killedBefore = 0
    for (let round = 0; round < ROUNDS; round++) {
      await makeFormer()
      // At once, and then spread over the whole migration.
      await killWhileMigrating(round === 0 ? 0 : (duration * (round + Math.random())) / ROUNDS)
      const schema = JSON.stringify(await readSchema()).replaceAll(db.schema, 'SCHEMA')
      expect([former, current]).toContain(schema)
      if (schema === former) killedBefore += 1
      await runPostgresProcess(db, 'migrate')
      expect(JSON.stringify(await readSchema()).replaceAll(db.schema, 'SCHEMA')).toBe(current)
      expect(await db.ask('SELECT id FROM platform_auth_applications ORDER BY id')).toEqual([
        { id: 'app_1' },
        { id: 'app_2' },
      ])
    }
    expect(killedBefore).toBeGreaterThan(0)
  })
})

/** The definitions of the current schema, as PostgreSQL's catalogues have them. */
async function formatSchema(): Promise<string> {
  const tables = (await db.ask(`
    SELECT c.relname AS name,
      (SELECT string_agg('  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || CASE WHEN n.collname = 'C' THEN ' COLLATE "C"' ELSE '' END
          || CASE WHEN a.attidentity <> '' THEN ' GENERATED ALWAYS AS IDENTITY' ELSE '' END
          || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
          || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), ''), E',\\n' ORDER BY a.attnum)
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        LEFT JOIN pg_collation n ON n.oid = a.attcollation
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
      (SELECT string_agg(E',\\n  ' || pg_get_constraintdef(oid), '' ORDER BY contype DESC, conname)
        FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'f', 'c')) AS constraints,
      (SELECT string_agg(pg_get_indexdef(i.indexrelid) || E';\\n', '' ORDER BY i.indexrelid::regclass::text) FROM pg_index i
        WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)) AS indexes
    FROM pg_class c WHERE c.relnamespace = '${db.schema}'::regnamespace AND c.relkind = 'r' ORDER BY c.relname`)) as unknown as {
    name: string
    columns: string
    constraints: string | null
    indexes: string | null
  }[]
  const text = tables.map(
    ({ name, columns, constraints, indexes }) =>
      `CREATE TABLE ${name} (\n${columns}${constraints ?? ''}\n);\n${indexes ?? ''}`,
  )
  return text.join('\n').replaceAll(`${db.schema}.`, '')
}

/** Makes every change of a definition by `postgres-process.mjs` take 100 ms, since renaming alone takes no time. */
async function delayDefinitions(): Promise<void> {
  await db.ask(`
    CREATE FUNCTION public.delay_definition() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN
        IF current_setting('application_name') = 'postgres-process' THEN PERFORM pg_sleep(0.1); END IF;
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
