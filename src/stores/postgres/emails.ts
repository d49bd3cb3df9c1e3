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
import { prepareStatement, type Sql } from './connection.js'

/** Makes one change to an application's e-mails if the stored version allows it; to be called in a transaction. */
export async function changeEmails(sql: Sql, applicationId: string, change: EmailChange): Promise<boolean> {
  if (change === 'removeAll') {
    for (const table of EMAIL_TABLES) await sql.run(`DELETE FROM ${table} WHERE application_id = $1`, applicationId)
    return true
  }
  if (savesEmail(change)) return writeEmail(sql, change.save)
  const { id, purpose, version } = change.remove
  const text = `DELETE FROM ${findEmailTable(purpose)} WHERE id = $1 AND version = $2`
  return (await sql.run(text, id, version)) === 1
}

/** Writes the e-mail if the stored version is the previous one; to be called in a transaction. */
export async function writeEmail(sql: Sql, email: QueuedEmail): Promise<boolean> {
  const { id, purpose, version, claimLinks } = email
  const table = findEmailTable(purpose)
  const written =
    version === 1
      ? await sql.get<{ seq: number }>(insertInto(table), ...listEmailValues(email))
      : await sql.get<{ seq: number }>(update(table), ...listEmailValues(email), id, version - 1)
  if (!written) return false
  // Other e-mails have no claim links.
  if (table !== 'platform_auth_emails') return true
  await sql.run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = $1', written.seq)
  const hashes = [...new Set(claimLinks.map(({ hash }) => hash))]
  const text = 'INSERT INTO platform_auth_email_claim_links (hash, email_seq) SELECT unnest($1::text[]), $2'
  if (hashes.length > 0) await sql.run(text, hashes, written.seq)
  return true
}

const COLUMNS = EMAIL_COLUMNS.join()
const PLACEHOLDERS = EMAIL_COLUMNS.map((_, i) => `$${i + 1}`).join()

function insertInto(table: EmailTable): string {
  return `INSERT INTO ${table} (${COLUMNS}) VALUES (${PLACEHOLDERS}) ON CONFLICT (id) DO NOTHING RETURNING seq`
}

function update(table: EmailTable): string {
  return `
    UPDATE ${table} SET (${COLUMNS}) = (${PLACEHOLDERS})
    WHERE id = $${EMAIL_COLUMNS.length + 1} AND version = $${EMAIL_COLUMNS.length + 2} RETURNING seq`
}

/** Asked before `leaseEmail`, because a read needs no transaction and usually there is nothing to lease. */
export async function isEmailDue(sql: Sql, now: number): Promise<boolean> {
  return (await sql.get(TABLES_DUE, now)) !== undefined
}

const DUE = `state = 'due' AND due_at <= $1 AND leased_until <= $1`
/** The tables that have something due, the one with what has been due longest first. */
const TABLES_DUE = prepareStatement(
  `${EMAIL_TABLES.map(
    (table) => `(SELECT '${table}' AS name, due_at FROM ${table} WHERE ${DUE} ORDER BY due_at, seq LIMIT 1)`,
  ).join(' UNION ALL ')} ORDER BY due_at`,
)

/** To be called in a transaction. Concurrent calls skip the locked row and get the next e-mail without waiting. */
export async function leaseEmail(sql: Sql, now: number, until: number): Promise<QueuedEmail | undefined> {
  for (const { name } of await sql.all<{ name: EmailTable }>(TABLES_DUE, now)) {
    const text = `
      UPDATE ${name} SET leased_until = $2, version = version + 1
      WHERE seq = (SELECT seq FROM ${name} WHERE ${DUE} ORDER BY due_at, seq LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING ${COLUMNS}`
    const row = await sql.get<EmailRow>(text, now, until)
    if (row) return parseEmail(row)
  }
  return undefined
}

export async function findEmail(sql: Sql, id: string): Promise<QueuedEmail | undefined> {
  const row = await sql.get<EmailRow>(FIND, id)
  return row && parseEmail(row)
}

const FIND = EMAIL_TABLES.map((table) => `SELECT ${COLUMNS} FROM ${table} WHERE id = $1`).join(' UNION ALL ')

export async function findEmailByClaimLink(sql: Sql, hash: string): Promise<QueuedEmail | undefined> {
  const text = `
    SELECT ${COLUMNS} FROM platform_auth_emails
    WHERE seq = (SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = $1 LIMIT 1)`
  const row = await sql.get<EmailRow>(text, hash)
  return row && parseEmail(row)
}

export async function listEmails(sql: Sql, query: EmailQuery): Promise<readonly QueuedEmail[]> {
  const tables = query.purpose === undefined ? EMAIL_TABLES : [findEmailTable(query.purpose)]
  const filters = listEmailFilters(query)
  const conditions = filters.map(([column], i) => `${column} = $${i + 2}`)
  const where = filters.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const pages = tables.map((table) => `(SELECT seq, ${COLUMNS} FROM ${table} ${where} ORDER BY due_at, seq LIMIT $1)`)
  const text = `SELECT * FROM (${pages.join(' UNION ALL ')}) AS found ORDER BY due_at, seq LIMIT $1`
  return (await sql.all<EmailRow>(text, query.limit, ...filters.map(([, value]) => value))).map(parseEmail)
}
