import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { fill, STATEMENTS } from '../statements.js'
import { spyOnQueries, usePostgres } from './databases.js'

const db = usePostgres()
const asked = new Set<string>()
let pool: Pool
let store: Store

beforeAll(async () => {
  pool = new Pool(db.poolConfig())
  const recording = spyOnQueries(pool, ({ text }) => void asked.add(text))
  store = postgresStore({ pool: recording, listen: false })
  await store.open()
  await fill(store, IS_LONG_LANE ? 20_000 : 300)
  await db.ask('ANALYZE')
}, 600_000)
afterAll(async () => {
  await store.close()
  await pool.end()
})

/**
 * Where a plan reads a whole table although PostgreSQL was asked to avoid that: then no index serves the statement, however
 * large the table is.
 */
async function listScans(text: string): Promise<string[]> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SET LOCAL enable_seqscan = off')
    const { rows } = await client.query<Record<string, string>>(`EXPLAIN (GENERIC_PLAN) ${text}`)
    return rows.map((row) => row['QUERY PLAN']!).filter((line) => /Seq Scan on platform_auth_/.test(line))
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

describe('an index serves every statement of the PostgreSQL store:', () => {
  it.each(Object.entries(STATEMENTS))('%s', async (_, call) => {
    asked.clear()
    await call(store)
    const found: string[] = []
    const statements = [...asked].filter((text) =>
      /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b[^;]*platform_auth_/i.test(text),
    )
    expect(statements).not.toEqual([])
    for (const text of statements) {
      for (const scan of await listScans(text)) found.push(`${scan.trim()}: ${text}`)
    }
    expect(found).toEqual([])
  })
})
