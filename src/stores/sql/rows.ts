import type { EventType } from '../../shared/contracts/events.js'
import type { AuditRecord, Change, SigningKeyRecord } from '../../shared/contracts/store-records.js'
import type { EmailQuery, QueuedEmail } from '../../shared/contracts/queued-email.js'
import type { AuditQuery, ChangesPage } from '../../shared/contracts/store.js'
import { formatFeedCursor, type FeedPosition } from './cursor.js'
import type { JsonObject } from '../../shared/contracts/application-record.js'

/** JSON for a column that is NULL where there is no value. */
export function formatJson(value: object | undefined): string | undefined {
  return value && JSON.stringify(value)
}

export interface SigningKeyRow {
  readonly kid: string
  readonly algorithm: string
  readonly public_jwk: string
  readonly sealed_private_jwk: string
  readonly created_at: number
  readonly signs_from: number
  readonly former_verifies_for: number
}

export function parseSigningKey(row: SigningKeyRow): SigningKeyRecord {
  return {
    kid: row.kid,
    algorithm: row.algorithm,
    publicJwk: JSON.parse(row.public_jwk) as SigningKeyRecord['publicJwk'],
    sealedPrivateJwk: row.sealed_private_jwk,
    createdAt: row.created_at,
    signsFrom: row.signs_from,
    formerVerifiesFor: row.former_verifies_for,
  }
}

export interface EmailRow {
  readonly id: string
  readonly application_id: string
  readonly purpose: QueuedEmail['purpose']
  readonly recipient: string | null
  readonly details: string | null
  readonly credential_id: string | null
  readonly state: QueuedEmail['state']
  readonly overlap: number
  readonly attempt_count: number
  readonly attempted_hashes: string
  readonly claim_links: string
  readonly created_at: number
  readonly due_at: number
  readonly leased_until: number
  readonly problem: string | null
  readonly version: number
}

export const EMAIL_COLUMNS: readonly (keyof EmailRow)[] = [
  'id',
  'application_id',
  'purpose',
  'recipient',
  'details',
  'credential_id',
  'state',
  'overlap',
  'attempt_count',
  'attempted_hashes',
  'claim_links',
  'created_at',
  'due_at',
  'leased_until',
  'problem',
  'version',
]

export function parseEmail(row: EmailRow): QueuedEmail {
  return {
    id: row.id,
    applicationId: row.application_id,
    purpose: row.purpose,
    recipient: row.recipient ?? undefined,
    details: row.details === null ? undefined : (JSON.parse(row.details) as JsonObject),
    credentialId: row.credential_id ?? undefined,
    state: row.state,
    overlap: row.overlap,
    attemptCount: row.attempt_count,
    attemptedHashes: JSON.parse(row.attempted_hashes) as QueuedEmail['attemptedHashes'],
    claimLinks: JSON.parse(row.claim_links) as QueuedEmail['claimLinks'],
    createdAt: row.created_at,
    dueAt: row.due_at,
    leasedUntil: row.leased_until,
    problem: row.problem ?? undefined,
    version: row.version,
  }
}

/** An e-mail's values in the order of `EMAIL_COLUMNS`. */
export function listEmailValues(email: QueuedEmail): readonly (string | number | undefined)[] {
  return [
    email.id,
    email.applicationId,
    email.purpose,
    email.recipient,
    formatJson(email.details),
    email.credentialId,
    email.state,
    email.overlap,
    email.attemptCount,
    JSON.stringify(email.attemptedHashes),
    JSON.stringify(email.claimLinks),
    email.createdAt,
    email.dueAt,
    email.leasedUntil,
    email.problem,
    email.version,
  ]
}

export function listEmailFilters(query: EmailQuery): readonly (readonly [column: keyof EmailRow, value: string])[] {
  const filters = [
    ['application_id', query.applicationId],
    ['purpose', query.purpose],
    ['state', query.state],
  ] as const
  return filters.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]))
}

export interface AuditRow {
  readonly seq: number
  readonly at: number
  readonly type: EventType
  readonly actor: string | null
  readonly application_id: string | null
  readonly details: string
}

export function parseAuditRecord(row: AuditRow): AuditRecord {
  return {
    id: String(row.seq),
    at: row.at,
    type: row.type,
    by: row.actor ?? undefined,
    applicationId: row.application_id ?? undefined,
    details: JSON.parse(row.details) as AuditRecord['details'],
  }
}

export interface ChangeRow {
  readonly seq: number
  readonly nonce: string
  readonly kind: Change['kind']
  readonly id: string | null
  readonly expires_at: number | null
}

/** A kind that this version does not know may concern anything, so it is read as `everything`. */
function parseChange({ kind, id, expires_at: expiresAt }: ChangeRow): Change {
  if (kind === 'application' && id !== null) return { kind, id }
  if (kind === 'accessTokenRevoked' && id !== null && expiresAt !== null) return { kind, id, expiresAt }
  const isKnown = kind === 'signingKeys' || kind === 'sessionSecret' || kind === 'processes'
  return isKnown ? { kind } : { kind: 'everything' }
}

/** The changes after `start`, from the feed's rows from `start` on; undefined if the feed does not have all of them. */
export function createChangesPage(start: FeedPosition, rows: readonly ChangeRow[]): ChangesPage | undefined {
  const [first] = rows
  // The oldest rows are deleted first: if the row of the cursor still exists, so do all after it.
  const isComplete = start.seq === 0 ? (first?.seq ?? 1) === 1 : first?.seq === start.seq && first.nonce === start.nonce
  if (!isComplete) return undefined
  return {
    cursor: formatFeedCursor(rows.at(-1) ?? start),
    changes: rows.filter(({ seq }) => seq > start.seq).map(parseChange),
  }
}

/** The conditions of an audit query, and their values; `bind` names the n-th of them. */
export function listAuditFilters(
  { applicationId, types, by, from, until }: AuditQuery,
  bind: (index: number) => string,
): { readonly conditions: readonly string[]; readonly values: readonly (string | number)[] } {
  const values: (string | number)[] = []
  const next = (value: string | number): string => bind(values.push(value) - 1)
  const conditions = [
    applicationId !== undefined && `application_id = ${next(applicationId)}`,
    types !== undefined && `type IN (${types.map(next).join() || "''"})`,
    by !== undefined && `actor IS NOT NULL AND actor = ${next(by)}`,
    from !== undefined && `at >= ${next(from)}`,
    until !== undefined && `at < ${next(until)}`,
  ]
  return { conditions: conditions.filter((condition) => condition !== false), values }
}
