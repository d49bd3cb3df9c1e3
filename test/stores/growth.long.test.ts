import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import type { StoreWith } from '../../src/shared/contracts/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { freshDatabase } from '../support/postgres.js'
import { fillingStatements, POSTGRES_NUMBERS, SQLITE_NUMBERS } from './many-rows.js'
import { defaultDriver } from './sqlite/drivers.js'
import { STATEMENTS } from './statements.js'

const SIZES = [1000, 100_000] as const
const CALLS = 60
const ROUNDS = 5
const MAX_RATIO = 1.5
/** Milliseconds that do not count: an index of 100,000 rows is a level deeper, and a machine is never quiet. */
const NOISE_MS = 0.05

interface Opened {
  readonly store: StoreWith
  readonly close: () => Promise<void>
}

async function openSqlite(count: number): Promise<Opened> {
  const database = new defaultDriver(':memory:')
  const store = sqliteStore(database)
  await store.open()
  database.exec('BEGIN')
  for (const text of fillingStatements(SQLITE_NUMBERS, count)) database.exec(text)
  database.exec('COMMIT')
  return {
    store,
    async close() {
      await store.close()
      database.close()
    },
  }
}

async function openPostgres(count: number): Promise<Opened> {
  const database = await freshDatabase()
  const pool = new Pool({ connectionString: database.url })
  const store = postgresStore({ pool, listen: false })
  await store.open()
  for (const text of fillingStatements(POSTGRES_NUMBERS, count)) await pool.query(text)
  await pool.query('VACUUM ANALYZE')
  return {
    store,
    async close() {
      await store.close()
      await pool.end()
      await database.remove()
    },
  }
}

/** The median time of a call, in milliseconds. */
async function timeCalls(store: StoreWith, call: (store: StoreWith) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now()
    await call(store)
    times.push(performance.now() - start)
  }
  return times.toSorted((a, b) => a - b)[CALLS / 2]!
}

describe.each([
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
] as const)('%s: a call takes as long with 100,000 applications as with 1,000', (_, open) => {
  it('each call of the store', { timeout: 600_000 }, async () => {
    const [small, large] = await Promise.all(SIZES.map(open))
    const rows: string[] = []
    const slower: string[] = []
    for (const [name, call] of Object.entries(STATEMENTS)) {
      // In turns, the best round of each: whatever else the machine does slows down both.
      const best = [Infinity, Infinity]
      for (let round = 0; round < ROUNDS; round++) {
        best[0] = Math.min(best[0]!, await timeCalls(small!.store, call))
        best[1] = Math.min(best[1]!, await timeCalls(large!.store, call))
      }
      const [few, many] = best as [number, number]
      const row = `${(many / few).toFixed(2)}  ${few.toFixed(3)} ms  ${many.toFixed(3)} ms  ${name}`
      rows.push(row)
      if (many > few * MAX_RATIO + NOISE_MS) slower.push(row)
    }
    process.stdout.write(`${rows.toSorted().toReversed().join('\n')}\n`)
    await Promise.all([small!.close(), large!.close()])
    expect(slower).toEqual([])
  })
})
