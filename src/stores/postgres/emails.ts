import { savesEmail } from '../../contracts/email-change.js'
import type { EmailChange, EmailQuery, QueuedEmail } from '../../contracts/queued-email.js'
import { EMAIL_COLUMNS, listEmailFilters, listEmailValues, parseEmail, type EmailRow } from '../sql/rows.js'
import { prepareStatement, type Sql } from './connection.js'

/** Makes one change to an application's e-mails if the stored version allows it. Must be called in a transaction. */
export async function changeEmails(sql: Sql, applicationId: string, change: EmailChange): Promise<boolean> {
  if (change === 'removeAll') {
    await sql.run('DELETE FROM platform_auth_emails WHERE application_id = $1', applicationId)
    return true
  }
  if (savesEmail(change)) return writeEmail(sql, change.save)
  const { id, version } = change.remove
  return (await sql.run('DELETE FROM platform_auth_emails WHERE id = $1 AND version = $2', id, version)) === 1
}

/** Writes the e-mail if the stored version is the previous one. Must be called in a transaction. */
export async function writeEmail(sql: Sql, email: QueuedEmail): Promise<boolean> {
  const { id, version, claimLinks } = email
  const written =
    version === 1
      ? await sql.get<{ seq: number }>(INSERT, ...listEmailValues(email))
      : await sql.get<{ seq: number }>(UPDATE, ...listEmailValues(email), id, version - 1)
  if (!written) return false
  await sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = $1', written.seq)
  const hashes = [...new Set(claimLinks.map(({ hash }) => hash))]
  const text = 'INSERT INTO platform_auth_email_claim_links (hash, email_seq) SELECT unnest($1::text[]), $2'
  if (hashes.length > 0) await sql.run(text, hashes, written.seq)
  return true
}

const COLUMNS = EMAIL_COLUMNS.join()
const PLACEHOLDERS = EMAIL_COLUMNS.map((_, i) => `$${i + 1}`).join()
const INSERT = `
  INSERT INTO platform_auth_emails (${COLUMNS}) VALUES (${PLACEHOLDERS}) ON CONFLICT (id) DO NOTHING RETURNING seq`
const UPDATE = `
  UPDATE platform_auth_emails SET (${COLUMNS}) = (${PLACEHOLDERS})
  WHERE id = $${EMAIL_COLUMNS.length + 1} AND version = $${EMAIL_COLUMNS.length + 2} RETURNING seq`

/** The e-mail that has been due longest. */
const NEXT_DUE = `
  SELECT seq FROM platform_auth_emails
  WHERE state = 'due' AND due_at <= $1 AND leased_until <= $1 ORDER BY due_at, seq LIMIT 1`
const IS_DUE = prepareStatement(NEXT_DUE)

/** The query runs before `leaseEmail`, because a read needs no transaction and usually there is nothing to lease. */
export async function isEmailDue(sql: Sql, now: number): Promise<boolean> {
  return (await sql.get(IS_DUE, now)) !== undefined
}

/** Must be called in a transaction. Concurrent calls skip the locked row and get the next e-mail without waiting. */
export async function leaseEmail(sql: Sql, now: number, until: number): Promise<QueuedEmail | undefined> {
  const text = `
    UPDATE platform_auth_emails SET leased_until = $2, version = version + 1
    WHERE seq = (${NEXT_DUE} FOR UPDATE SKIP LOCKED) RETURNING ${COLUMNS}`
  const row = await sql.get<EmailRow>(text, now, until)
  return row && parseEmail(row)
}

export async function findEmail(sql: Sql, id: string): Promise<QueuedEmail | undefined> {
  const row = await sql.get<EmailRow>(`SELECT ${COLUMNS} FROM platform_auth_emails WHERE id = $1`, id)
  return row && parseEmail(row)
}

export async function findEmailByClaimLink(sql: Sql, hash: string): Promise<QueuedEmail | undefined> {
  const text = `
    SELECT ${COLUMNS} FROM platform_auth_emails
    WHERE seq = (SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = $1 LIMIT 1)`
  const row = await sql.get<EmailRow>(text, hash)
  return row && parseEmail(row)
}

export async function listEmails(sql: Sql, query: EmailQuery): Promise<readonly QueuedEmail[]> {
  const filters = listEmailFilters(query)
  const conditions = filters.map(([column], i) => `${column} = $${i + 2}`)
  const where = filters.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const text = `SELECT ${COLUMNS} FROM platform_auth_emails ${where} ORDER BY due_at, seq LIMIT $1`
  return (await sql.all<EmailRow>(text, query.limit, ...filters.map(([, value]) => value))).map(parseEmail)
}
