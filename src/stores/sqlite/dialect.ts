import type { Dialect } from '../sql/dialect.js'
import type { Work } from '../sql/work.js'
import type { Sql } from './connection.js'
import { SELECT_APPLICATION } from './applications.js'
import { publish } from './feed.js'
import { deleteEarlierRefusals, listUsage } from './usage.js'

export const SQLITE: Dialect = {
  // A transaction has the file to itself.
  skipLocked: '',
  lockRows: '',
  binary: '',
  least: 'min',
  greatest: 'max',
  now: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
  formatGiven(columns) {
    const members = Object.keys(columns).map((name) => `value ->> '${name}' AS "${name}"`)
    return `(SELECT ${members.join()}, key AS position FROM json_each(?1)) AS given`
  },
  formatDelete: (table, key, column) => `
    DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${column} < ?1 ORDER BY ${column} LIMIT ?2)`,
  *lockSigningKeys() {},
  publish,
  listUsage,
  deleteEarlierRefusals,
  selectApplication: SELECT_APPLICATION,
  formatLower: (column) => `lower(${column})`,
}

export function runWork<Result>(sql: Sql, work: Work<Result>): Result {
  let step = work.next()
  while (!step.done) {
    const { call, text, values } = step.value
    step = work.next(sql[call](text, ...values))
  }
  return step.value
}
