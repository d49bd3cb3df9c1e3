import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoreWith } from '../../../src/shared/contracts/store.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { storeContract } from '../contract.js'
import { fillingStatements, POSTGRES_NUMBERS, SMALL_TABLES } from '../many-rows.js'
import { STATEMENTS } from '../statements.js'
import { emptyTables, spyOnQueries, usePostgres } from './databases.js'

const db = usePostgres()
const asked = new Set<string>()
let pools: readonly Pool[]
let stores: readonly StoreWith[]

/** Opens stores whose statements are noted. */
async function openStores(count: number, listen: boolean): Promise<void> {
  await db.makeSchema()
  pools = Array.from({ length: count }, () => new Pool(db.poolConfig()))
  stores = pools.map((pool) => postgresStore({ pool: spyOnQueries(pool, ({ text }) => void asked.add(text)), listen }))
  await Promise.all(stores.map((store) => store.open()))
}

async function closeStores(): Promise<void> {
  await Promise.all(stores.map((store) => store.close()))
  await Promise.all(pools.map((pool) => pool.end()))
}

describe.each(IS_LONG_LANE ? [false, true] : [true])('postgresStore({ pool, listen: %s })', (listen) => {
  beforeAll(() => openStores(2, listen))
  afterAll(closeStores)

  storeContract('with emptied tables,', async () => {
    await emptyTables(pools[0]!)
    return { store: stores[0]!, again: async () => stores[1]!, close: async () => undefined }
  })
})

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
  const client = await pools[0]!.connect()
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
  beforeAll(async () => {
    await openStores(1, false)
    for (const text of fillingStatements(POSTGRES_NUMBERS, IS_LONG_LANE ? 100_000 : 1000)) await pools[0]!.query(text)
    await db.ask('ANALYZE')
  }, 600_000)
  afterAll(closeStores)

  it('all that the contract makes it ask, which nobody has to list', async () => {
    expect(await takeScans()).toEqual([])
  })

  it.each(Object.entries(STATEMENTS))('%s', async (_, call) => {
    asked.clear()
    await call(stores[0]!)
    expect(await takeScans()).toEqual([])
  })
})
