import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import type { StoreWith } from '../../src/shared/contracts/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { fillingStatements, POSTGRES_NUMBERS, SQLITE_NUMBERS } from './many-rows.js'
import { spyOnQueries, usePostgres } from './postgres/databases.js'
import { defaultDriver } from './sqlite/drivers.js'
import { STATEMENTS } from './statements.js'

/** The pages of a database that a list reads must not depend on how many applications there are. */
const FEW = 1000
const MANY = IS_LONG_LANE ? 100_000 : 10_000
/** Indexes are deeper, and their pages elsewhere. A list that reads a row or a page for each application exceeds it, in the short form too. */
const allow = (few: number): number => 3 * few + 30

const LISTS = Object.entries(STATEMENTS).filter(([name]) => /^(list|emails\.list|usage\.list|quotas\.list)/.test(name))

interface Database {
  readonly store: StoreWith
  /** How many pages it reads meanwhile. */
  countPages(work: () => Promise<unknown>): Promise<number>
  close(): Promise<void>
}

// Only Linux tells a process what it has read.
describe.runIf(process.platform === 'linux')('SQLite', () => {
  compare(openSqlite)
})
describe('PostgreSQL', () => {
  const db = usePostgres()
  compare(async (count) => {
    await db.makeSchema()
    const asked: { readonly text: string; readonly values: readonly unknown[] }[] = []
    const pool = new Pool(db.poolConfig())
    const recording = spyOnQueries(pool, ({ text, values = [] }) => void asked.push({ text, values }), {
      opaque: true,
    })
    const store = postgresStore({ pool: recording, listen: false })
    await store.open()
    for (const text of fillingStatements(POSTGRES_NUMBERS, count)) await pool.query(text)
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
  })
})

function compare(open: (count: number) => Promise<Database>): void {
  const counted = new Map<string, number[]>()

  beforeAll(async () => {
    for (const count of [FEW, MANY]) {
      const database = await open(count)
      for (const [name, call] of LISTS) {
        const pages = await database.countPages(() => call(database.store))
        counted.set(name, [...(counted.get(name) ?? []), pages])
      }
      await database.close()
    }
  }, 600_000)

  it.each(LISTS.map(([name]) => name))('reads no more pages with many applications: %s', (name) => {
    const [few, many] = counted.get(name)!
    expect(many, `${many} pages with ${MANY} applications, ${few} with ${FEW}`).toBeLessThanOrEqual(allow(few!))
  })
}

async function openSqlite(count: number): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-auth-reads-'))
  const database = new defaultDriver(join(folder, 'platform.sqlite'))
  const store = sqliteStore(database)
  await store.open()
  database.exec('BEGIN')
  for (const text of fillingStatements(SQLITE_NUMBERS, count)) database.exec(text)
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
