import { beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/contracts/store.js'
import { sqliteStore, type SqliteDatabase } from '../../../src/stores/sqlite/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { fill, STATEMENTS } from '../statements.js'
import { defaultDriver } from './drivers.js'

const database = new defaultDriver(':memory:')
const asked = new Set<string>()
/** Keeps the text of each statement. */
const recorded: SqliteDatabase = {
  get isTransaction() {
    return database.isTransaction
  },
  exec: (text) => database.exec(text),
  prepare(text) {
    asked.add(text)
    return database.prepare(text)
  },
  close: () => database.close(),
}
let store: Store

beforeAll(async () => {
  store = sqliteStore(recorded)
  await store.open()
  await fill(store, IS_LONG_LANE ? 20_000 : 400)
}, 600_000)

/** Where a plan reads a table from its beginning. In the order of an index, up to the limit of a page, it reads only the page. */
function listScans(text: string): string[] {
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]
  return rows
    .map(({ detail }) => detail)
    .filter((detail) => /^SCAN (?!CONSTANT ROW|json_each|value\b|used\b)/.test(detail))
    .filter((detail) => !(/ USING (?:COVERING )?INDEX /.test(detail) && /ORDER BY .*LIMIT/s.test(text)))
    .filter((detail) => !(detail === 'SCAN platform_auth_changes' && /ORDER BY seq DESC LIMIT 1/.test(text)))
}

describe('no statement of the SQLite store reads a whole table:', () => {
  it.each(Object.entries(STATEMENTS))('%s', async (_, call) => {
    asked.clear()
    await call(store)
    const statements = [...asked].filter((text) => /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text))
    expect(statements.flatMap((text) => listScans(text).map((scan) => `${scan}: ${text}`))).toEqual([])
  })
})
