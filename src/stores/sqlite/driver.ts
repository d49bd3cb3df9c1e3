import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { StoreIncompatibleError } from '../../shared/contracts/errors.js'

/** The part of `DatabaseSync` that a store uses; `node:sqlite` and `@photostructure/sqlite` both export such a class. */
export interface SqliteDatabase {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** The part of `StatementSync` that a store uses. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
  setReadBigInts(enabled: boolean): void
  setReturnArrays?(enabled: boolean): void
}

export type SqliteValue = null | number | bigint | string

/** Opens a database file. If there is none, creates one that only its owner can read. */
export type OpenSqliteFile = (path: string) => SqliteDatabase

export async function loadSqliteDriver(): Promise<OpenSqliteFile> {
  const DatabaseSync = await importDriver()
  return function openSqliteFile(path) {
    const file = findFileToCreate(path)
    if (file !== undefined) createPrivateFile(file)
    // SQLite's own waiting for a lock blocks the event loop; connection.ts waits instead.
    return new DatabaseSync(path, { timeout: 0 })
  }
}

export function findAbsolutePath(path: string): string {
  return resolve(path.startsWith('file:') ? (parseFileUri(path) ?? path) : path)
}

/** The file that SQLite would create; undefined for a database in memory, and for a URI that says not to create one. */
function findFileToCreate(path: string): string | undefined {
  if (path === '' || path === ':memory:') return undefined
  return path.startsWith('file:') ? parseFileUri(path) : path
}

/** https://www.sqlite.org/uri.html: an optional authority, a percent-encoded path, a query and a fragment. */
function parseFileUri(uri: string): string | undefined {
  const [address = '', query] = uri.slice('file:'.length).split('#', 1)[0]!.split('?', 2)
  const mode = new URLSearchParams(query).get('mode')
  const path = decodeURIComponent(address.replace(/^\/\/[^/]*/, ''))
  return path === '' || path === ':memory:' || (mode !== null && mode !== 'rwc') ? undefined : path
}

/** Creates an empty file with mode 0600 unless there is one; `-wal` and `-shm` get the same mode. */
export function createPrivateFile(path: string): boolean {
  try {
    // The flag is exclusive: opening and closing an existing file would drop the locks that this process has on it (POSIX).
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    return false
  }
}

type DatabaseConstructor = new (path: string, options: { timeout: number }) => SqliteDatabase

/** Node's own driver from version 24 on (in older versions it is experimental and warns on stderr), otherwise the optional peer dependency. */
async function importDriver(): Promise<DatabaseConstructor> {
  if (Number.parseInt(process.versions.node, 10) >= 24) {
    const builtin = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseConstructor } | undefined
    if (builtin) return builtin.DatabaseSync
  }
  try {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    return DatabaseSync
  } catch (cause) {
    throw new StoreIncompatibleError('driver_missing', describeFailure(cause), { cause })
  }
}

/** Node has a driver of its own from version 24 on, so this concerns older versions. In a bundle an installed driver fails too. */
function describeFailure(cause: unknown): { problem: string; fix: string } {
  const { code } = Object(cause) as { code?: unknown }
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  const external = 'In a bundled app keep the package external: leave express-platform-auth out of the bundle'
  const { node } = process.versions
  if (isMissing) {
    const fix = `Node has its own from version 24 on; for this version run: npm install @photostructure/sqlite. ${external}.`
    return { problem: `sqliteStore() found no SQLite driver for Node ${node}`, fix }
  }
  const problem = `sqliteStore() could not load @photostructure/sqlite on Node ${node}`
  return { problem, fix: `${external}. Otherwise install it again on this machine, or use Node 24 or later.` }
}
