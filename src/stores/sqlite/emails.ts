import { type EmailChange, type EmailQuery, type QueuedEmail, savesEmail } from '../../contracts/queued-email.js'
import {
  EMAIL_COLUMNS,
  EMAIL_TABLES,
  findEmailTable,
  listEmailFilters,
  listEmailValues,
  parseEmail,
  type EmailRow,
  type EmailTable,
} from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Makes one change to an application's e-mails if the stored version allows it; to be called in a transaction. */
export function changeEmails(sql: Sql, applicationId: string, change: EmailChange): boolean {
  if (change === 'removeAll') {
    for (const table of EMAIL_TABLES) {
      const text = `SELECT seq FROM ${table} WHERE application_id = ?`
      for (const { seq } of sql.all<{ seq: number }>(text, applicationId)) deleteEmail(sql, table, seq)
    }
    return true
  }
  if (savesEmail(change)) return writeEmail(sql, change.save)
  const { id, purpose, version } = change.remove
  const table = findEmailTable(purpose)
  const stored = sql.get<{ seq: number }>(`SELECT seq FROM ${table} WHERE id = ? AND version = ?`, id, version)
  if (stored) deleteEmail(sql, table, stored.seq)
  return stored !== undefined
}

/** Writes the e-mail if the stored version is the previous one; to be called in a transaction. */
export function writeEmail(sql: Sql, email: QueuedEmail): boolean {
  const { id, purpose, version, claimLinks } = email
  const table = findEmailTable(purpose)
  const written =
    version === 1
      ? sql.get<{ seq: number }>(insertInto(table), ...listEmailValues(email))
      : sql.get<{ seq: number }>(update(table), ...listEmailValues(email), id, version - 1)
  if (!written) return false
  // Other e-mails have no claim links.
  if (table !== 'platform_auth_emails') return true
  sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = ?', written.seq)
  const text = 'INSERT INTO platform_auth_email_claim_links (hash, email_seq) VALUES (?, ?)'
  for (const { hash } of claimLinks) sql.run(text, hash, written.seq)
  return true
}

const COLUMNS = EMAIL_COLUMNS.join()
const PLACEHOLDERS = EMAIL_COLUMNS.map(() => '?').join()

function insertInto(table: EmailTable): string {
  return `INSERT INTO ${table} (${COLUMNS}) VALUES (${PLACEHOLDERS}) ON CONFLICT (id) DO NOTHING RETURNING seq`
}

function update(table: EmailTable): string {
  return `UPDATE ${table} SET (${COLUMNS}) = (${PLACEHOLDERS}) WHERE id = ? AND version = ? RETURNING seq`
}

/** Asked before `leaseEmail`, because a read needs no write lock and usually there is nothing to lease. */
export function isEmailDue(sql: Sql, now: number): boolean {
  return findNextDue(sql, now) !== undefined
}

/** Leases the e-mail that has been due longest; to be called in a transaction. */
export function leaseEmail(sql: Sql, now: number, until: number): QueuedEmail | undefined {
  const next = findNextDue(sql, now)
  if (!next) return undefined
  const text = `UPDATE ${next.name} SET leased_until = ?, version = version + 1 WHERE seq = ? RETURNING ${COLUMNS}`
  const row = sql.get<EmailRow>(text, until, next.seq)
  return row && parseEmail(row)
}

function findNextDue(sql: Sql, now: number): { readonly name: EmailTable; readonly seq: number } | undefined {
  return sql.get(NEXT_DUE, now, now, now, now)
}

const NEXT_DUE = `${EMAIL_TABLES.map(
  (table) => `
    SELECT * FROM (SELECT '${table}' AS name, seq, due_at FROM ${table}
      WHERE state = 'due' AND due_at <= ? AND leased_until <= ? ORDER BY due_at, seq LIMIT 1)`,
).join(' UNION ALL ')} ORDER BY due_at LIMIT 1`

export function findEmail(sql: Sql, id: string): QueuedEmail | undefined {
  const row = sql.get<EmailRow>(FIND, id, id)
  return row && parseEmail(row)
}

const FIND = EMAIL_TABLES.map((table) => `SELECT ${COLUMNS} FROM ${table} WHERE id = ?`).join(' UNION ALL ')

export function findEmailByClaimLink(sql: Sql, hash: string): QueuedEmail | undefined {
  const text = `
    SELECT ${COLUMNS} FROM platform_auth_emails
    WHERE seq = (SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = ? LIMIT 1)`
  const row = sql.get<EmailRow>(text, hash)
  return row && parseEmail(row)
}

export function listEmails(sql: Sql, query: EmailQuery): readonly QueuedEmail[] {
  const tables = query.purpose === undefined ? EMAIL_TABLES : [findEmailTable(query.purpose)]
  const filters = listEmailFilters(query)
  const where = filters.length > 0 ? `WHERE ${filters.map(([column]) => `${column} = ?`).join(' AND ')}` : ''
  const pages = tables.map(
    (table) => `SELECT * FROM (SELECT seq, ${COLUMNS} FROM ${table} ${where} ORDER BY due_at, seq LIMIT ?)`,
  )
  const values = [...filters.map(([, value]) => value), query.limit]
  const text = `${pages.join(' UNION ALL ')} ORDER BY due_at, seq LIMIT ?`
  return sql.all<EmailRow>(text, ...tables.flatMap(() => values), query.limit).map(parseEmail)
}

function deleteEmail(sql: Sql, table: EmailTable, seq: number): void {
  if (table === 'platform_auth_emails') {
    sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = ?', seq)
  }
  sql.run(`DELETE FROM ${table} WHERE seq = ?`, seq)
}
