import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Pool } from 'pg'
import type { Store } from '../../index.js'
import { sqliteStore } from '../../stores/sqlite/index.js'
import { CommandError, UsageError } from './errors.js'

export interface Database {
  readonly store: Store
  /** The URL, or the whole path of a SQLite file. */
  readonly address: string
  readonly file?: string
  /** Reads the database server's clock, in milliseconds since 1970. Undefined for SQLite, which has none of its own. */
  readonly readClock?: () => Promise<number>
  close(): Promise<void>
}

const CONNECTION_TIMEOUT_MS = 5000

export async function createDatabase(address: string): Promise<Database> {
  if (/^postgres(?:ql)?:\/\//i.test(address)) return createPostgresDatabase(address)
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(address) ?? []
  if (scheme && scheme.toLowerCase() !== 'file') {
    throw new UsageError(`--db starts with ${scheme}://. It must be postgres://..., or the path of a SQLite file.`)
  }
  return createSqliteDatabase(parsePath(address))
}

/** Does not create a missing file: with a mistyped path an operator would see an empty platform. */
function createSqliteDatabase(file: string): Database {
  const store = sqliteStore(file)
  const open: Store['open'] = async (options) => {
    if (!existsSync(file)) throw new Error(`there is no file ${file}. A server creates it when it first starts.`)
    return store.open(options)
  }
  return { store: { ...store, open }, address: file, file, close: async () => undefined }
}

function parsePath(address: string): string {
  if (/^file:\/\//i.test(address) && URL.canParse(address)) return fileURLToPath(address)
  return resolve(address.replace(/^file:/i, ''))
}

async function createPostgresDatabase(address: string): Promise<Database> {
  // The error of pg would repeat the address, and the password in it.
  if (!URL.canParse(address)) {
    throw new UsageError(
      '--db is not a valid URL. Write postgres://user@host:5432/database, and percent-encode a password.',
    )
  }
  const { postgresStore } = await import('../../stores/postgres/index.js')
  const pool = await createPool(address)
  return {
    // No command runs long enough to need notifications of changes.
    store: postgresStore({ pool, listen: false }),
    address,
    async readClock() {
      const text = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'
      const { rows } = await pool.query<{ now: string }>(text)
      return Number(rows[0]?.now)
    },
    close: () => pool.end(),
  }
}

async function createPool(connectionString: string): Promise<Pool> {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandError('PostgreSQL needs the package pg, which is not installed: npm install pg')
  })
  const pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS })
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', () => undefined)
  return pool
}
