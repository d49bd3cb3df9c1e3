import type { EmailChange, EmailQuery, QueuedEmail } from '../../contracts/store.js'
import { EMAIL_COLUMNS, emailFrom, emailValues } from '../sql/rows.js'
import type { EmailRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Does what is asked to an application's emails, if the stored version allows it; to be called in a transaction. */
export function changeEmails(sql: Sql, applicationId: string, change: EmailChange): boolean {
  if (change === 'removeAll') {
    const text = 'SELECT seq FROM platform_auth_emails WHERE application_id = ?'
    for (const { seq } of sql.all<{ seq: number }>(text, applicationId)) remove(sql, seq)
    return true
  }
  if ('save' in change) return writeEmail(sql, change.save)
  const { id, version } = change.remove
  const text = 'SELECT seq FROM platform_auth_emails WHERE id = ? AND version = ?'
  const stored = sql.get<{ seq: number }>(text, id, version)
  if (stored) remove(sql, stored.seq)
  return stored !== undefined
}

/** Writes the email if the stored version is the one before; to be called in a transaction. */
export function writeEmail(sql: Sql, email: QueuedEmail): boolean {
  const { id, version } = email
  const written =
    version === 1
      ? sql.get<{ seq: number }>(INSERT, ...emailValues(email))
      : sql.get<{ seq: number }>(UPDATE, ...emailValues(email), id, version - 1)
  if (!written) return false
  sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = ?', written.seq)
  const text = 'INSERT INTO platform_auth_email_claim_links (hash, email_seq) VALUES (?, ?)'
  for (const { hash } of email.claimLinks) sql.run(text, hash, written.seq)
  return true
}

const MARKS = EMAIL_COLUMNS.map(() => '?').join()
const INSERT = `
  INSERT INTO platform_auth_emails (${EMAIL_COLUMNS.join()}) VALUES (${MARKS})
  ON CONFLICT (id) DO NOTHING RETURNING seq`
const UPDATE = `
  UPDATE platform_auth_emails SET (${EMAIL_COLUMNS.join()}) = (${MARKS}) WHERE id = ? AND version = ? RETURNING seq`

/** A look, for which nobody has to wait: mostly there is nothing to lease. */
export function isEmailDue(sql: Sql, now: number): boolean {
  return sql.get(`SELECT 1 ${NEXT_DUE}`, now, now) !== undefined
}

/** To be called in a transaction. */
export function leaseEmail(sql: Sql, now: number, until: number): QueuedEmail | undefined {
  const text = `
    UPDATE platform_auth_emails SET leased_until = ?, version = version + 1 WHERE seq = (SELECT seq ${NEXT_DUE})
    RETURNING *`
  const row = sql.get<EmailRow>(text, until, now, now)
  return row && emailFrom(row)
}

const NEXT_DUE = `
  FROM platform_auth_emails WHERE state = 'due' AND due_at <= ? AND leased_until <= ? ORDER BY due_at, seq LIMIT 1`

export function findEmailByClaimLink(sql: Sql, hash: string): QueuedEmail | undefined {
  const text = `
    SELECT * FROM platform_auth_emails
    WHERE seq = (SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = ? LIMIT 1)`
  const row = sql.get<EmailRow>(text, hash)
  return row && emailFrom(row)
}

export function listEmails(sql: Sql, { applicationId, state, limit }: EmailQuery): readonly QueuedEmail[] {
  const wanted = [
    applicationId === undefined ? undefined : 'application_id = ?',
    state === undefined ? undefined : 'state = ?',
  ].filter((condition) => condition !== undefined)
  const where = wanted.length > 0 ? `WHERE ${wanted.join(' AND ')}` : ''
  const values = [applicationId, state].filter((value) => value !== undefined)
  const text = `SELECT * FROM platform_auth_emails ${where} ORDER BY due_at, seq LIMIT ?`
  return sql.all<EmailRow>(text, ...values, limit).map(emailFrom)
}

function remove(sql: Sql, seq: number): void {
  sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = ?', seq)
  sql.run('DELETE FROM platform_auth_emails WHERE seq = ?', seq)
}
