import { beforeAll, describe, expect, it } from 'vitest'
import type { StoreWith } from '../../../src/shared/contracts/store.js'
import { sqliteStore, type SqliteDatabase } from '../../../src/stores/sqlite/index.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { storeContract } from '../contract.js'
import { fillingStatements, SMALL_TABLES, SQLITE_NUMBERS } from '../many-rows.js'
import { STATEMENTS } from '../statements.js'
import { defaultDriver, drivers } from './drivers.js'
import { useSqliteFiles } from './files.js'

const files = useSqliteFiles()
const asked = new Set<string>()

/** Keeps the text of each statement. */
function record(recorded: SqliteDatabase): SqliteDatabase {
  return {
    get isTransaction() {
      return recorded.isTransaction
    },
    exec: (text) => recorded.exec(text),
    prepare(text) {
      asked.add(text)
      return recorded.prepare(text)
    },
    close: () => recorded.close(),
  }
}

storeContract('sqliteStore(path)', async () => ({
  store: await files.openStore(),
  again: () => files.openStore(),
  close: async () => undefined,
}))

describe.each([...drivers])('driver %s:', (_, driver) => {
  // The file of the first and the shared connection of the last, combined.
  if (IS_LONG_LANE) {
    storeContract('sqliteStore(database), with a connection per store,', async () => ({
      store: await files.openStore(files.openDatabase(driver)),
      again: () => files.openStore(files.openDatabase(driver)),
      close: async () => undefined,
    }))

    storeContract('sqliteStore(database), with one connection for two stores,', async () => {
      const database = files.openDatabase(driver)
      return {
        store: await files.openStore(database),
        again: () => files.openStore(database),
        close: async () => undefined,
      }
    })
  }

  storeContract('sqliteStore(database), in memory and reading BigInts,', async () => {
    const database = new driver(':memory:', { readBigInts: true })
    files.onEnd(() => database.close())
    return {
      store: await files.openStore(record(database)),
      again: () => files.openStore(record(database)),
      close: async () => undefined,
    }
  })
})

const database = new defaultDriver(':memory:')

/** Where a plan reads a table from its beginning. In the order of an index, up to the limit of a page, it reads only the page. */
function listScans(text: string): string[] {
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]
  return rows
    .map(({ detail }) => detail)
    .filter((detail) =>
      /^SCAN (?!CONSTANT ROW|\(subquery-\d+\)|json_each|value\b|part\b|page\b|used\b|latest\b|periods\b|locked\b|pragma_|sqlite_schema|sqlite_master)/.test(
        detail,
      ),
    )
    .filter((detail) => !SMALL_TABLES.some((table) => detail.split(' ')[1] === table))
    .filter((detail) => !(/ USING (?:COVERING )?INDEX /.test(detail) && /ORDER BY .*LIMIT/s.test(text)))
    .filter((detail) => !(detail === 'SCAN platform_auth_changes' && /ORDER BY seq DESC LIMIT 1/.test(text)))
}

/** Describes each whole read of the statements that were asked since the last call. */
function takeScans(): string[] {
  const texts = [...asked].filter((text) => /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(text))
  asked.clear()
  expect(texts).not.toEqual([])
  return texts.flatMap((text) => listScans(text).map((scan) => `${scan}: ${text}`))
}

describe('no statement of the SQLite store reads a whole table:', () => {
  let store: StoreWith

  beforeAll(async () => {
    store = sqliteStore(record(database))
    await store.open()
    database.exec('BEGIN')
    for (const text of fillingStatements(SQLITE_NUMBERS, IS_LONG_LANE ? 100_000 : 1000)) database.exec(text)
    database.exec('COMMIT')
  }, 600_000)

  it('all that the contract makes it ask, which nobody has to list', () => {
    expect(takeScans()).toEqual([])
  })

  it.each(Object.entries(STATEMENTS))('%s', async (name, call) => {
    asked.clear()
    await call(store)
    if (asked.size > 0) expect(takeScans(), name).toEqual([])
  })
})
