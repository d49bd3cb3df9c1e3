import type { SchemaMigration } from '../../shared/contracts/store.js'
import {
  describeMigration,
  readVersion,
  refuseNewerSchema,
  refuseOlderSchema,
  writeVersion,
} from '../sql/schema-version.js'
import { takeAdvisoryLock } from './advisory-locks.js'
import type { PostgresConnections, Sql } from './connection.js'
import { runWork } from './dialect.js'
import type { Migration } from './migrations/index.js'

/** All pending migrations or none, in the first schema of the search path. An older one is refused unless it `mayMigrate`. */
export async function migrate(
  { sql, transaction }: PostgresConnections,
  { migrations, mayMigrate }: { readonly migrations: readonly Migration[]; readonly mayMigrate: boolean },
): Promise<SchemaMigration | undefined> {
  // The version is read without the lock, so that a usual start does not wait for another process's migration.
  const version = await readSchemaVersion(sql)
  if (!mayMigrate) refuseOlderSchema(version, migrations.length)
  if (version === migrations.length) return undefined
  // Migrations, and waiting for those of another process, may take as long as they need.
  const from = await transaction((sql) => migrateInTransaction(sql, migrations), Infinity)
  return describeMigration(from, migrations.length)
}

async function migrateInTransaction(sql: Sql, migrations: readonly Migration[]): Promise<number> {
  await runWork(sql, takeAdvisoryLock('migration'))
  const from = await readSchemaVersion(sql)
  refuseNewerSchema(from, migrations.length)
  for (const migration of migrations.slice(from)) await run(sql, migration)
  await runWork(sql, writeVersion(migrations.length))
  return from
}

async function run(sql: Sql, migration: Migration): Promise<void> {
  if (typeof migration === 'string') await sql.run(migration)
  else await migration(sql)
}

async function readSchemaVersion(sql: Sql): Promise<number> {
  // The search path decides, as in every other statement. to_regclass() is not used: it may answer from what this connection
  // cached before it had the lock.
  const text = `SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'platform_auth_meta' AND pg_table_is_visible(oid)`
  if (!(await sql.get(text))) return 0
  return runWork(sql, readVersion())
}
