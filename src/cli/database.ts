import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Pool } from 'pg'
import type { Store } from '../index.js'
import { sqliteStore } from '../stores/sqlite/index.js'
import { RefusedError, UsageError } from './failure.js'

/** What `--db` names. */
export interface Database {
  readonly store: Store
  /** The path of a SQLite file. */
  readonly file?: string
  /** Milliseconds since 1970 by the database's own clock, where it is another machine's. */
  readonly clock?: () => Promise<number>
  close(): Promise<void>
}

/** Milliseconds to wait for a connection. */
const PATIENCE = 5000

/** The database at an address: `postgres://` and `postgresql://`, or the path of a SQLite file. */
export async function databaseAt(address: string): Promise<Database> {
  if (/^postgres(?:ql)?:\/\//i.test(address)) return postgresAt(address)
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(address) ?? []
  if (scheme && scheme.toLowerCase() !== 'file') {
    throw new UsageError(`--db begins with ${scheme}://. It is postgres://..., or the path of a SQLite file.`)
  }
  return sqliteAt(parsePath(address))
}

/** A file that isn't there is not made: an operator who mistypes a path must not look at an empty platform. */
function sqliteAt(file: string): Database {
  const store = sqliteStore(file)
  const open: Store['open'] = async (options) => {
    if (!existsSync(file)) throw new Error(`there is no file ${file}. A server makes it when it first starts.`)
    return store.open(options)
  }
  return { store: { ...store, open }, file, close: async () => undefined }
}

function parsePath(address: string): string {
  if (/^file:\/\//i.test(address) && URL.canParse(address)) return fileURLToPath(address)
  return resolve(address.replace(/^file:/i, ''))
}

async function postgresAt(address: string): Promise<Database> {
  // Refused here, because pg's own refusal would repeat the address, and the password in it.
  if (!URL.canParse(address)) {
    throw new UsageError('--db is not a URL. Write postgres://user@host:5432/database; a password percent-encoded.')
  }
  const { postgresStore } = await import('../stores/postgres/index.js')
  const pool = await openPool(address)
  return {
    // Nothing here lives long enough to listen.
    store: postgresStore({ pool, listen: false }),
    async clock() {
      const text = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'
      const { rows } = await pool.query<{ now: string }>(text)
      return Number(rows[0]?.now)
    },
    close: () => pool.end(),
  }
}

async function openPool(connectionString: string): Promise<Pool> {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new RefusedError('PostgreSQL is reached with the package pg, which is not installed: npm install pg')
  })
  const pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: PATIENCE })
  // An idle connection that breaks is replaced when next needed; unheard, it would end the process.
  pool.on('error', () => undefined)
  return pool
}
