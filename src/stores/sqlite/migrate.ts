import type { SchemaMigration } from '../../shared/contracts/store.js'
import {
  describeMigration,
  readVersion,
  refuseNewerSchema,
  refuseOlderSchema,
  writeVersion,
} from '../sql/schema-version.js'
import { findFilePath, type Sql, type SqliteConnection } from './connection.js'
import { runWork } from './dialect.js'
import type { FileBackup } from './file-backup.js'
import type { Migration } from './migrations/index.js'

/** Creates the tables or migrates them: all pending migrations in one transaction, or none of them. */
export async function migrate(
  { single, transaction }: SqliteConnection,
  options: {
    readonly migrations: readonly Migration[]
    /** Whether an older schema may be changed; otherwise it is refused. */
    readonly mayMigrate: boolean
    /** Copies the file before an existing schema is changed; undefined for a database that was passed in. */
    readonly backup: FileBackup | undefined
    readonly onProgress?: ((progress: string) => void) | undefined
  },
): Promise<SchemaMigration | undefined> {
  const { migrations, mayMigrate, backup, onProgress = () => undefined } = options
  const latest = migrations.length
  // The version is read without the write lock, so that a usual start does not wait for another process's write.
  const version = await single(readSchemaVersion)
  if (!mayMigrate) refuseOlderSchema(version, latest)
  if (version === latest) return undefined
  try {
    const { from, copy } = await transaction((sql) => migrateInTransaction(sql, migrations, backup, onProgress))
    return describeMigration(from, latest, copy)
  } catch (error) {
    // A failed start is retried, and must not leave a copy each time.
    backup?.discard()
    throw error
  }
}

function migrateInTransaction(
  sql: Sql,
  migrations: readonly Migration[],
  backup: FileBackup | undefined,
  onProgress: (progress: string) => void,
): { readonly from: number; readonly copy: string | undefined } {
  const latest = migrations.length
  // This discards the copy of an attempt that was rolled back.
  backup?.discard()
  // It is read again under the write lock: another process may have migrated meanwhile.
  const from = readSchemaVersion(sql)
  refuseNewerSchema(from, latest)
  if (from === latest) return { from, copy: undefined }
  const file = from > 0 ? findFilePath(sql) : undefined
  if (file !== undefined) backup?.create(file, latest)
  for (const migration of migrations.slice(from)) run(sql, migration, onProgress)
  runWork(sql, writeVersion(latest))
  return { from, copy: backup?.keep() }
}

function run(sql: Sql, migration: Migration, onProgress: (progress: string) => void): void {
  if (typeof migration === 'string') sql.exec(migration)
  else migration(sql, onProgress)
}

/** `user_version` is not used: it belongs to the host, whose file it may be. */
function readSchemaVersion(sql: Sql): number {
  const table = sql.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'platform_auth_meta'`)
  if (!table) return 0
  return runWork(sql, readVersion())
}
