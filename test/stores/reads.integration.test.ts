import { beforeAll, describe, expect, it } from 'vitest'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { openPostgres, openSqlite, type CountedDatabase } from './counted-pages.js'
import { fillingStatements, POSTGRES_NUMBERS, SQLITE_NUMBERS } from './many-rows.js'
import { usePostgres } from './postgres/databases.js'
import { STATEMENTS } from './statements.js'

/** The pages of a database that a list reads must not depend on how many applications there are. */
const FEW = 1000
const MANY = IS_LONG_LANE ? 100_000 : 10_000
/** Indexes are deeper, and their pages elsewhere. A list that reads a row or a page for each application exceeds it, in the short form too. */
const allow = (few: number): number => 3 * few + 30

const LISTS = Object.entries(STATEMENTS).filter(([name]) => /^(list|emails\.list|usage\.list|quotas\.list)/.test(name))

// Only Linux tells a process what it has read.
describe.runIf(process.platform === 'linux')('SQLite', () => {
  compare((count) => openSqlite(fillingStatements(SQLITE_NUMBERS, count)))
})
describe('PostgreSQL', () => {
  const db = usePostgres()
  compare((count) => openPostgres(db, fillingStatements(POSTGRES_NUMBERS, count)))
})

function compare(open: (count: number) => Promise<CountedDatabase>): void {
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
