import { ConfigurationError } from '../../shared/contracts/errors.js'
import type { SchemaMigration, Store, StoreWith } from '../../store.js'
import { createSharedCalls } from '../sql/shared-calls.js'
import { createSqliteConnection, type Sql, type SqliteConnection } from './connection.js'
import { diagnose } from './diagnose.js'
import { SQLITE, runWork } from './dialect.js'
import { findAbsolutePath, loadSqliteDriver, type SqliteDatabase } from './driver.js'
import { createFeedReader } from './feed.js'
import { createFileBackup, type FileBackup } from './file-backup.js'
import { migrate } from './migrate.js'
import { MIGRATIONS } from './migrations/index.js'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './driver.js'

/**
 * A store in a SQLite file, which several processes of one machine may share. Given a path, it opens the file, or creates
 * it with mode 0600. Given a database, it uses that connection, sets it to `journal_mode = WAL` and `synchronous = FULL`,
 * and leaves it open.
 *
 * Before it migrates a file that it opened by path, it copies the file to `<path>.before-schema-<version>` (mode 0600).
 * A database that was passed in belongs to the host, and so do its backups: it is migrated without a copy.
 *
 * A process must not open the file with a second copy of SQLite (such as better-sqlite3's): the copy that closes the file
 * first drops the other's locks. Hand in the database instead, or give the platform a file of its own.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { sqliteStore } from 'express-platform-auth/stores/sqlite'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'https://api.example.com',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   store: sqliteStore('platform.sqlite'),
 *   secret: process.env.PLATFORM_AUTH_SECRET,
 * })
 * ```
 */
export function sqliteStore(pathOrDatabase: string | SqliteDatabase): StoreWith {
  checkArgument(pathOrDatabase)
  const readChangesSince = createFeedReader()
  let opening: Promise<OpenedDatabase> | undefined
  let closing: Promise<void> | undefined

  async function open({ migrate: mayMigrate = true, onProgress }: OpenOptions = {}) {
    if (closing) throw new Error('The SQLite store is closed.')
    if (opening) return opening.then(() => undefined)
    opening = connect(pathOrDatabase, { mayMigrate, onProgress }).catch((error: unknown) => {
      opening = undefined
      // SQLite's own errors have no path, and those of Node have it as it was given.
      if (typeof pathOrDatabase !== 'string') throw error
      throw Object.assign(error as Error, { path: findAbsolutePath(pathOrDatabase) })
    })
    return (await opening).migration
  }

  async function close(): Promise<void> {
    const opened = await opening?.catch(() => undefined)
    opened?.connection.close()
  }

  async function getConnection(): Promise<SqliteConnection> {
    if (!opening) throw new Error('The SQLite store is not open: await store.open() first.')
    return (await opening).connection
  }

  async function read<T>(work: (sql: Sql) => T): Promise<T> {
    return (await getConnection()).single(work)
  }

  return {
    ...createSharedCalls(
      {
        read: (start) => read((sql) => runWork(sql, start())),
        write: async (start) => (await getConnection()).transaction((sql) => runWork(sql, start())),
      },
      SQLITE,
    ),
    kind: 'sqlite',
    // A read costs a tenth of a millisecond of processor time.
    pollInterval: 50,
    // The driver is synchronous. Reads and writes have a queue each, like the look-ups and the changes of clients.
    concurrentCalls: 1,
    open,
    close: () => (closing ??= close()),

    diagnose: async () => diagnose(await getConnection()),

    changesSince: (cursor) => read((sql) => readChangesSince(sql, cursor)),
  }
}

/** The path is checked at once, not when the store is opened: `sqliteStore(process.env.DATABASE)` is a common mistake. */
function checkArgument(pathOrDatabase: unknown): void {
  const { prepare, exec } = Object(pathOrDatabase) as { prepare?: unknown; exec?: unknown }
  if (typeof pathOrDatabase === 'string' || (typeof prepare === 'function' && typeof exec === 'function')) return
  throw new ConfigurationError({
    problem: `sqliteStore() was given ${pathOrDatabase === null ? 'null' : typeof pathOrDatabase}`,
    fix: "Write sqliteStore('platform.sqlite'), or give it a database of node:sqlite. Is an environment variable not set?",
  })
}

interface OpenedDatabase {
  readonly connection: SqliteConnection
  readonly migration: SchemaMigration | undefined
}

type OpenOptions = NonNullable<Parameters<Store['open']>[0]>

interface MigrationOptions {
  readonly mayMigrate: boolean
  readonly onProgress: OpenOptions['onProgress'] | undefined
}

async function connect(pathOrDatabase: string | SqliteDatabase, options: MigrationOptions): Promise<OpenedDatabase> {
  if (typeof pathOrDatabase !== 'string')
    return prepare(createSqliteConnection(pathOrDatabase, { owned: false }), options, undefined)
  const openFile = await loadSqliteDriver()
  const connection = createSqliteConnection(openFile(pathOrDatabase), { owned: true })
  return prepare(connection, options, createFileBackup(openFile))
}

async function prepare(connection: SqliteConnection, options: MigrationOptions, backup: FileBackup | undefined) {
  try {
    await connection.single(makeDurable)
    return { connection, migration: await migrate(connection, { migrations: MIGRATIONS, ...options, backup }) }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The value of `PRAGMA synchronous` at which a commit survives a power failure. */
const FULL = 2

function makeDurable(sql: Sql): void {
  const mode = sql.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL')?.journal_mode
  if (mode !== 'wal' && mode !== 'memory')
    throw new Error(`SQLite keeps journal_mode "${mode}" for this database: it must be writable and on a local disk.`)
  const level = sql.get<{ synchronous: number }>('PRAGMA synchronous')?.synchronous ?? 0
  if (level < FULL) sql.exec(`PRAGMA synchronous = ${FULL}`)
}
