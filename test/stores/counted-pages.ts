import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import type { StoreWith } from '../../src/shared/contracts/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { spyOnQueries, type usePostgres } from './postgres/databases.js'
import { defaultDriver } from './sqlite/drivers.js'

/** A store of which a test counts how many pages of its database it reads. */
export interface CountedDatabase {
  readonly store: StoreWith
  /** How many pages it reads meanwhile. */
  countPages(work: () => Promise<unknown>): Promise<number>
  close(): Promise<void>
}

/** A SQLite file with the rows of these statements. Only Linux tells a process what it has read. */
export async function openSqlite(fill: readonly string[]): Promise<CountedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-auth-reads-'))
  const database = new defaultDriver(join(folder, 'platform.sqlite'))
  const store = sqliteStore(database)
  await store.open()
  database.exec('BEGIN')
  for (const text of fill) database.exec(text)
  database.exec('COMMIT')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA mmap_size = 0; PRAGMA cache_size = 10')
  return {
    store,
    /** The least of three: other parts of the process read files too. */
    async countPages(work) {
      const counts: number[] = []
      for (let i = 0; i < 3; i++) {
        const before = countBytesRead()
        await work()
        counts.push(Math.ceil((countBytesRead() - before) / 4096))
      }
      return Math.min(...counts)
    },
    async close() {
      await store.close()
      database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A new schema of a PostgreSQL database with the rows of these statements. */
export async function openPostgres(
  db: ReturnType<typeof usePostgres>,
  fill: readonly string[],
): Promise<CountedDatabase> {
  await db.makeSchema()
  const asked: { readonly text: string; readonly values: readonly unknown[] }[] = []
  const pool = new Pool(db.poolConfig())
  const recording = spyOnQueries(pool, ({ text, values = [] }) => void asked.push({ text, values }), { opaque: true })
  const store = postgresStore({ pool: recording, listen: false })
  await store.open()
  for (const text of fill) await pool.query(text)
  await pool.query('ANALYZE')
  return {
    store,
    async countPages(work) {
      asked.length = 0
      await work()
      let pages = 0
      for (const { text, values } of asked.filter((each) => /^\s*SELECT\b[^;]*platform_auth_/.test(each.text)))
        pages += await explain(pool, text, values)
      return pages
    },
    async close() {
      await store.close()
      await pool.end()
    },
  }
}

/** Of this process, also from the file cache of the system. */
function countBytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1])
}

interface Explained {
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number }
}

async function explain(pool: Pool, text: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [Explained] }>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [
    ...values,
  ])
  const { Plan } = rows[0]!['QUERY PLAN'][0]
  return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
}
