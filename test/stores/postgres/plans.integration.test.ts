import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoreWith } from '../../../src/shared/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { storeTests } from '../suite/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { fillingStatements, POSTGRES_NUMBERS, SMALL_TABLES } from '../many-rows.js'
import { STATEMENTS } from '../statements.js'
import { emptyTables, spyOnQueries, usePostgres } from './databases.js'

const db = usePostgres()
const asked = new Set<string>()
let pool: Pool
let store: StoreWith

beforeAll(async () => {
  const suite = await openRecording()
  const tests = storeTests(async () => {
    await emptyTables(suite.pool)
    return { store: suite.store, again: async () => suite.store, close: async () => undefined }
  })
  for (const { run } of tests) await run()
  await suite.store.close()
  await suite.pool.end()

  await db.makeSchema()
  ;({ pool, store } = await openRecording())
  for (const text of fillingStatements(POSTGRES_NUMBERS, IS_LONG_LANE ? 100_000 : 1000)) await pool.query(text)
  await db.ask('ANALYZE')
}, 600_000)
afterAll(async () => {
  await store.close()
  await pool.end()
})

async function openRecording(): Promise<{ pool: Pool; store: StoreWith }> {
  const opened = new Pool(db.poolConfig())
  const recording = spyOnQueries(opened, ({ text }) => void asked.add(text))
  const recorded = postgresStore({ pool: recording, listen: false })
  await recorded.open()
  return { pool: opened, store: recorded }
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

/** Where a plan reads a whole table or a whole index. In the order of an index, up to the limit of a page, it reads only the page. */
function findScans(plan: Plan, isLimited = false): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '' } = plan
  const isGrowing = table.startsWith('platform_auth_') && !SMALL_TABLES.includes(table)
  const readsIndex = /^Index (?:Only )?Scan/.test(type) && plan['Index Cond'] === undefined && !isLimited
  const found = isGrowing && (type === 'Seq Scan' || readsIndex) ? [`${type} ${index} on ${table}`] : []
  const limited = type === 'Limit' || (isLimited && !/^(?:Sort|Aggregate|Hash|Materialize)/.test(type))
  return [...found, ...(plan.Plans ?? []).flatMap((child) => findScans(child, limited))]
}

/**
 * PostgreSQL is asked to avoid whole reads, which it prefers where it takes a tenth of the rows for what a `LIMIT $1` asks for: then
 * no index serves a statement that still makes one. How long each really takes, `growth.long.test.ts` measures.
 */
async function listScans(text: string): Promise<string[]> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(
      'SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off',
    )
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
    )
    return findScans(rows[0]!['QUERY PLAN'][0].Plan)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Describes each whole read of the statements that were asked since the last call. */
async function takeScans(): Promise<string[]> {
  const texts = [...asked].filter((text) => /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b[^;]*platform_auth_/i.test(text))
  asked.clear()
  expect(texts).not.toEqual([])
  const found: string[] = []
  for (const text of texts) for (const scan of await listScans(text)) found.push(`${scan}: ${text}`)
  return found
}

describe('an index serves every statement of the PostgreSQL store:', () => {
  it('all that the suite of stores makes it ask, which nobody has to list', async () => {
    expect(await takeScans()).toEqual([])
  })

  it.each(Object.entries(STATEMENTS))('%s', async (_, call) => {
    asked.clear()
    await call(store)
    expect(await takeScans()).toEqual([])
  })
})
