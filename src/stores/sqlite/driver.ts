import { closeSync, openSync } from 'node:fs'
import { StoreIncompatibleError } from '../../contracts/errors.js'

/** What a store needs of `DatabaseSync`, which `node:sqlite` and `@photostructure/sqlite` export alike. */
export interface SqliteDatabase {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** What a store needs of `StatementSync`. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
  setReadBigInts(enabled: boolean): void
  setReturnArrays?(enabled: boolean): void
}

/** What goes into a column. */
export type SqliteValue = null | number | bigint | string

/** Opens a database file, and makes it, readable by its owner alone, where there is none. */
export async function openSqliteFile(path: string): Promise<SqliteDatabase> {
  const DatabaseSync = await loadDriver()
  if (!/^(:memory:|file:|$)/.test(path)) createPrivately(path)
  // SQLite's own waiting would stop the event loop; sqlite-connection.ts waits instead.
  return new DatabaseSync(path, { timeout: 0 })
}

type DatabaseConstructor = new (path: string, options: { timeout: number }) => SqliteDatabase

/** Node's own from version 24 on (before, it is experimental and says so on stderr), else the optional peer. */
async function loadDriver(): Promise<DatabaseConstructor> {
  if (Number.parseInt(process.versions.node, 10) >= 24) {
    const builtin = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseConstructor } | undefined
    if (builtin) return builtin.DatabaseSync
  }
  try {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    return DatabaseSync
  } catch (cause) {
    throw new StoreIncompatibleError(
      'driver_missing',
      {
        problem: `sqliteStore() found no SQLite driver for Node ${process.versions.node}`,
        fix: 'Node has its own from version 24 on; before, run: npm install @photostructure/sqlite',
      },
      { cause },
    )
  }
}

/** The files that SQLite puts beside it (`-wal`, `-shm`) get the same mode. */
function createPrivately(path: string): void {
  try {
    // Exclusive, because to open and close a file that is there would drop this process's locks on it (POSIX).
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
}
