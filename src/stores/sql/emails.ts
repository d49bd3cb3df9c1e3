import {
  type EmailChange,
  type EmailQuery,
  type ExpiryQuery,
  type QueuedEmail,
  savesEmail,
} from '../../shared/contracts/queued-email.js'
import { type Dialect, all, get, getOften, run, type Work } from './work.js'
import { parseRow } from './rows.js'

/** Makes one change to an application's e-mails if the stored version allows it. Must be called in a transaction. */
export function* changeEmails(applicationId: string, change: EmailChange): Work<boolean> {
  if (change === 'removeAll') {
    yield* deleteEmails('application_id = ?1', applicationId)
    return true
  }
  if (savesEmail(change)) return yield* writeEmail(change.save)
  const { id, version } = change.remove
  return (yield* deleteEmails('id = ?1 AND version = ?2', id, version)) === 1
}

/** Claim links go first: in SQLite nothing else deletes them. */
function* deleteEmails(condition: string, ...values: readonly (string | number)[]): Work<number> {
  const emails = `platform_auth_emails WHERE ${condition}`
  yield* run(`DELETE FROM platform_auth_email_claim_links WHERE email_seq IN (SELECT seq FROM ${emails})`, ...values)
  return yield* run(`DELETE FROM ${emails}`, ...values)
}

/** Writes the e-mail if the stored version is the previous one. Must be called in a transaction. */
export function* writeEmail(email: QueuedEmail): Work<boolean> {
  const { id, version, claimLinks } = email
  const written =
    version === 1
      ? yield* get<{ seq: number }>(INSERT, ...listValues(email))
      : yield* get<{ seq: number }>(UPDATE, ...listValues(email), id, version - 1)
  if (!written) return false
  yield* run('DELETE FROM platform_auth_email_claim_links WHERE email_seq = ?1', written.seq)
  const text = 'INSERT INTO platform_auth_email_claim_links (hash, email_seq) VALUES (?1, ?2)'
  for (const hash of new Set(claimLinks.map((link) => link.hash))) yield* run(text, hash, written.seq)
  return true
}

/** The members of an e-mail by column. */
const COLUMNS = {
  id: 'id',
  application_id: 'applicationId',
  purpose: 'purpose',
  recipient: 'recipient',
  details: 'details',
  credential_id: 'credentialId',
  state: 'state',
  overlap: 'overlap',
  attempt_count: 'attemptCount',
  attempted_hashes: 'attemptedHashes',
  claim_links: 'claimLinks',
  created_at: 'createdAt',
  due_at: 'dueAt',
  leased_until: 'leasedUntil',
  problem: 'problem',
  version: 'version',
} as const satisfies Record<string, keyof QueuedEmail>

const NAMES = Object.keys(COLUMNS)
const SELECTED = Object.entries(COLUMNS)
  .map(([column, member]) => `${column} AS "${member}"`)
  .join()
const PLACEHOLDERS = NAMES.map((_, i) => `?${i + 1}`).join()
const INSERT = `
  INSERT INTO platform_auth_emails (${NAMES.join()}) VALUES (${PLACEHOLDERS}) ON CONFLICT (id) DO NOTHING RETURNING seq`
const UPDATE = `
  UPDATE platform_auth_emails SET (${NAMES.join()}) = (${PLACEHOLDERS})
  WHERE id = ?${NAMES.length + 1} AND version = ?${NAMES.length + 2} RETURNING seq`

function listValues(email: QueuedEmail): readonly (string | number | undefined)[] {
  return Object.values(COLUMNS).map((member) => {
    const value = email[member]
    return typeof value === 'object' ? JSON.stringify(value) : value
  })
}

function parseEmail(row: object): QueuedEmail {
  return parseRow(row, 'details', 'attemptedHashes', 'claimLinks')
}

/** The e-mail that has been due longest. */
const NEXT_DUE = `
  SELECT seq FROM platform_auth_emails
  WHERE state = 'due' AND due_at <= ?1 AND leased_until <= ?1 ORDER BY due_at, seq LIMIT 1`

/** The query runs before `leaseEmail`, because a read needs no transaction and usually there is nothing to lease. */
export function* isEmailDue(now: number): Work<boolean> {
  return (yield* getOften(NEXT_DUE, now)) !== undefined
}

/** Must be called in a transaction. Concurrent calls get the next e-mail without waiting. */
export function* leaseEmail({ skipLocked }: Dialect, now: number, until: number): Work<QueuedEmail | undefined> {
  const text = `
    UPDATE platform_auth_emails SET leased_until = ?2, version = version + 1
    WHERE seq = (${NEXT_DUE} ${skipLocked}) RETURNING ${SELECTED}`
  const row = yield* get<object>(text, now, until)
  return row && parseEmail(row)
}

export function* findEmail(id: string): Work<QueuedEmail | undefined> {
  const row = yield* get<object>(`SELECT ${SELECTED} FROM platform_auth_emails WHERE id = ?1`, id)
  return row && parseEmail(row)
}

export function* findEmailByClaimLink(hash: string): Work<QueuedEmail | undefined> {
  const text = `
    SELECT ${SELECTED} FROM platform_auth_emails
    WHERE seq = (SELECT email_seq FROM platform_auth_email_claim_links WHERE hash = ?1 LIMIT 1)`
  const row = yield* get<object>(text, hash)
  return row && parseEmail(row)
}

export function* listEmails(query: EmailQuery): Work<readonly QueuedEmail[]> {
  const { applicationId, purpose, state } = query
  const values: (string | number)[] = [query.limit]
  const bind = (value: string | number): string => `?${values.push(value)}`
  const conditions = Object.entries({ application_id: applicationId, purpose, state }).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${bind(value)}`],
  )
  if (query.after) {
    const seq = `coalesce((SELECT seq FROM platform_auth_emails WHERE id = ${bind(query.after.id)}), 0)`
    conditions.push(`(due_at, seq) > (${bind(query.after.dueAt)}, ${seq})`)
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const text = `SELECT ${SELECTED} FROM platform_auth_emails ${where} ORDER BY due_at, seq LIMIT ?1`
  return (yield* all<object>(text, ...values)).map(parseEmail)
}

export function* listExpiring({ after, until, days, limit }: ExpiryQuery): Work<readonly string[]> {
  return (yield* all<{ id: string }>(LIST_EXPIRING, after, until, days, limit)).map(({ id }) => id)
}

/** CROSS JOIN keeps SQLite from reading the applications first. The index has every column of the credentials. */
const LIST_EXPIRING = `
  SELECT a.id FROM platform_auth_credentials c CROSS JOIN platform_auth_applications a
  WHERE a.seq = c.application_seq AND c.expires_at > ?1 AND c.expires_at <= ?2
    AND (c.reminded_days IS NULL OR c.reminded_days > ?3) AND a.status = 'active' AND a.contact IS NOT NULL
  ORDER BY c.expires_at LIMIT ?4`
