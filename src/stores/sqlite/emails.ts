import { savesEmail } from '../../contracts/email-change.js'
import type { EmailChange, EmailQuery, QueuedEmail } from '../../contracts/queued-email.js'
import { EMAIL_COLUMNS, listEmailFilters, listEmailValues, parseEmail, type EmailRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Makes one change to an application's e-mails if the stored version allows it. Must be called in a transaction. */
export function changeEmails(sql: Sql, applicationId: string, change: EmailChange): boolean {
  if (change === 'removeAll') {
    const text = 'SELECT seq FROM platform_auth_emails WHERE application_id = ?'
    for (const { seq } of sql.all<{ seq: number }>(text, applicationId)) deleteEmail(sql, seq)
    return true
  }
  if (savesEmail(change)) return writeEmail(sql, change.save)
  const { id, version } = change.remove
  const text = 'SELECT seq FROM platform_auth_emails WHERE id = ? AND version = ?'
  const stored = sql.get<{ seq: number }>(text, id, version)
  if (stored) deleteEmail(sql, stored.seq)
  return stored !== undefined
}

/** Writes the e-mail if the stored version is the previous one. Must be called in a transaction. */
export function writeEmail(sql: Sql, email: QueuedEmail): boolean {
  const { id, version, claimLinks } = email
  const written =
    version === 1
      ? sql.get<{ seq: number }>(INSERT, ...listEmailValues(email))
      : sql.get<{ seq: number }>(UPDATE, ...listEmailValues(email), id, version - 1)
  if (!written) return false
  sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = ?', written.seq)
  const text = 'INSERT INTO platform_auth_email_claim_links (hash, email_seq) VALUES (?, ?)'
  for (const { hash } of claimLinks) sql.run(text, hash, written.seq)
  return true
}

const COLUMNS = EMAIL_COLUMNS.join()
const PLACEHOLDERS = EMAIL_COLUMNS.map(() => '?').join()
const INSERT = `
  INSERT INTO platform_auth_emails (${COLUMNS}) VALUES (${PLACEHOLDERS}) ON CONFLICT (id) DO NOTHING RETURNING seq`
const UPDATE = `
  UPDATE platform_auth_emails SET (${COLUMNS}) = (${PLACEHOLDERS}) WHERE id = ? AND version = ? RETURNING seq`

/** The query runs before `leaseEmail`, because a read needs no write lock and usually there is nothing to lease. */
export function isEmailDue(sql: Sql, now: number): boolean {
  return findNextDue(sql, now) !== undefined
}

/** Leases the e-mail that has been due longest. Must be called in a transaction. */
export function leaseEmail(sql: Sql, now: number, until: number): QueuedEmail | undefined {
  const next = findNextDue(sql, now)
  if (!next) return undefined
  const text = `
    UPDATE platform_auth_emails SET leased_until = ?, version = version + 1 WHERE seq = ? RETURNING ${COLUMNS}`
  const row = sql.get<EmailRow>(text, until, next.seq)
  return row && parseEmail(row)
}

function findNextDue(sql: Sql, now: number): { readonly seq: number } | undefined {
  const text = `
    SELECT seq FROM platform_auth_emails
    WHERE state = 'due' AND due_at <= ? AND leased_until <= ? ORDER BY due_at, seq LIMIT 1`
  return sql.get(text, now, now)
}

export function findEmail(sql: Sql, id: string): QueuedEmail | undefined {
  const row = sql.get<EmailRow>(`SELECT ${COLUMNS} FROM platform_auth_emails WHERE id = ?`, id)
  return row && parseEmail(row)
}

export function findEmailByClaimLink(sql: Sql, hash: string): QueuedEmail | undefined {
  const text = `
    SELECT ${COLUMNS} FROM platform_auth_emails
    WHERE seq = (SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = ? LIMIT 1)`
  const row = sql.get<EmailRow>(text, hash)
  return row && parseEmail(row)
}

export function listEmails(sql: Sql, query: EmailQuery): readonly QueuedEmail[] {
  const filters = listEmailFilters(query)
  const where = filters.length > 0 ? `WHERE ${filters.map(([column]) => `${column} = ?`).join(' AND ')}` : ''
  const text = `SELECT ${COLUMNS} FROM platform_auth_emails ${where} ORDER BY due_at, seq LIMIT ?`
  return sql.all<EmailRow>(text, ...filters.map(([, value]) => value), query.limit).map(parseEmail)
}

function deleteEmail(sql: Sql, seq: number): void {
  sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = ?', seq)
  sql.run('DELETE FROM platform_auth_emails WHERE seq = ?', seq)
}
