import type { Dialect } from '../sql/dialect.js'
import type { Work } from '../sql/work.js'
import { takeAdvisoryLock } from './advisory-locks.js'
import { prepareStatement, type PreparedStatement, type Sql } from './connection.js'
import { SELECT_APPLICATION } from './applications.js'
import { publish } from './feed.js'
import { deleteEarlierRefusals, listUsage } from './usage.js'

export const POSTGRES: Dialect = {
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  lockRows: 'FOR UPDATE',
  binary: ' COLLATE "C"',
  least: 'least',
  greatest: 'greatest',
  // Stable within a statement, so that an index can be compared with it.
  now: '(extract(epoch FROM statement_timestamp()) * 1000)::bigint',
  formatGiven(columns) {
    const types = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`)
    const names = Object.keys(columns).map((name) => `"${name}"`)
    return `ROWS FROM (json_to_recordset(?1) AS (${types.join()})) WITH ORDINALITY AS given (${names.join()}, position)`
  },
  formatDelete: (table, _, column) => `
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE ${column} < ?1 ORDER BY ${column} LIMIT ?2 FOR UPDATE SKIP LOCKED))`,
  lockSigningKeys: () => takeAdvisoryLock('signingKeys'),
  publish,
  listUsage,
  deleteEarlierRefusals,
  selectApplication: SELECT_APPLICATION,
  formatLower: (column) => `lower(${column} COLLATE "C")`,
}

export async function runWork<Result>(sql: Sql, work: Work<Result>): Promise<Result> {
  let step = work.next()
  while (!step.done) {
    const { call, text, values, isFrequent } = step.value
    const statement = text.replaceAll(/\?(?=\d)/g, '$')
    step = work.next(await sql[call](isFrequent ? prepareOnce(statement) : statement, ...values))
  }
  return step.value
}

const prepared = new Map<string, PreparedStatement>()

function prepareOnce(text: string): PreparedStatement {
  const known = prepared.get(text) ?? prepareStatement(text)
  prepared.set(text, known)
  return known
}
