import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { AddOutcome, NewApplication } from '../../shared/contracts/imports.js'
import type { EmailChange } from '../../shared/contracts/queued-email.js'
import type { NewAuditRecord } from '../../shared/contracts/events.js'
import { type Dialect, getOften, run, type Work, all, get } from './work.js'
import { changeEmails } from './emails.js'
import { findWaitingSince } from '../../shared/contracts/application-order.js'
import { formatAgreed, formatList, formatJson } from './rows.js'
import { writePlanOfQuotas } from './quotas.js'

/** Must be called in a transaction, which is rolled back if this returns false. */
export function* saveApplication(
  dialect: Dialect,
  record: ApplicationRecord,
  audit: NewAuditRecord | undefined,
  emails: readonly EmailChange[],
): Work<boolean> {
  const { id, status } = record
  if (!(yield* writeApplication(dialect, record, audit?.at ?? Date.now()))) return false
  for (const change of emails) if (!(yield* changeEmails(id, change))) return false
  if (status === 'deleted') yield* run('DELETE FROM platform_auth_refusals WHERE application_id = ?1', id)
  yield* dialect.publish({ kind: 'application', id }, audit)
  return true
}

/** Adds the applications that nothing keeps out, in a transaction; without `write`, only tells what would become of each. */
export function* addApplications(
  dialect: Dialect,
  applications: readonly NewApplication[],
  { write }: { readonly write: boolean },
): Work<readonly AddOutcome[]> {
  const outcomes: AddOutcome[] = []
  for (const application of applications) {
    const outcome = (yield* findObstacle(dialect, application)) ?? 'added'
    outcomes.push(outcome)
    if (!write || outcome !== 'added') continue
    const { record, audit } = application
    if (yield* writeApplication(dialect, record, audit.at)) continue
    throw new Error(`The application ${record.id} was added by another process at the same time.`)
  }
  if (!write) return outcomes
  // This comes last, because it locks the feed for all other changes.
  for (const [index, { record, audit }] of applications.entries()) {
    if (outcomes[index] === 'added') yield* dialect.publish({ kind: 'application', id: record.id }, audit)
  }
  return outcomes
}

function* findObstacle({ formatGiven }: Dialect, { record, otherHashes }: NewApplication) {
  const { id, externalId, keys, secrets } = record
  const text = `
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM platform_auth_applications WHERE id = ?2) THEN 'exists'
    WHEN EXISTS (SELECT 1 FROM platform_auth_applications WHERE external_id = ?3) THEN 'externalIdTaken'
    WHEN EXISTS (SELECT 1 FROM platform_auth_credentials WHERE hash IN (SELECT given.hash FROM ${formatGiven({ hash: 'text' })}))
      THEN 'credentialTaken'
  END AS outcome`
  const hashes = [...[...keys, ...secrets].map(({ hash }) => hash), ...otherHashes].map((hash) => ({ hash }))
  const found = yield* getOften<{ outcome: Exclude<AddOutcome, 'added'> | null }>(
    text,
    JSON.stringify(hashes),
    id,
    externalId,
  )
  return found?.outcome ?? undefined
}

/** Writes the record if the stored version is the previous one, at that time. Must be called in a transaction. */
function* writeApplication(dialect: Dialect, record: ApplicationRecord, at: number): Work<boolean> {
  if (yield* isExternalIdTaken(record)) return false
  const isNew = record.version === 1
  const values = Object.values(COLUMNS).map((read) => read(record))
  const written = yield* isNew ? run(INSERT, ...values) : run(UPDATE, ...values, record.version - 1)
  if (written === 0) return false
  const { seq, hasOthers, hasOtherPlan } = (yield* get<WrittenRow>(FIND_WRITTEN, record.id))!
  if (hasOtherPlan === 1) yield* writePlanOfQuotas(dialect, record.id, record.plan)
  if (hasOthers === 1 || record.otherContacts.length > 0) yield* writeContacts(dialect, seq, record)
  yield* writeGrants(dialect, seq, record)
  yield* writeCredentials(dialect, seq, record, at)
  if (isNew) yield* run(ADD_LAST_USE, seq, record.lastUsedAt ?? 0)
  if (record.status === 'deleted') yield* run('DELETE FROM platform_auth_last_uses WHERE application_seq = ?1', seq)
  return true
}

const ADD_LAST_USE = 'INSERT INTO platform_auth_last_uses (application_seq, used_at) VALUES (?1, ?2)'

interface WrittenRow {
  readonly seq: number
  /** 1 if contacts after the first are stored, otherwise 0. */
  readonly hasOthers: 0 | 1
  /** 1 if its quotas have another plan. */
  readonly hasOtherPlan: 0 | 1
}

/** One that is being committed is refused by the index. */
function* isExternalIdTaken({ id, externalId }: ApplicationRecord): Work<boolean> {
  if (externalId === undefined) return false
  const text = 'SELECT 1 FROM platform_auth_applications WHERE external_id = ?1 AND id <> ?2'
  return (yield* get(text, externalId, id)) !== undefined
}

/** The values by column. */
const COLUMNS: Readonly<Record<string, (record: ApplicationRecord) => string | number | undefined>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  contact: ({ contact }) => contact,
  status: ({ status }) => status,
  created_at: ({ createdAt }) => createdAt,
  tokens_revoked_at: ({ tokensRevokedAt }) => tokensRevokedAt,
  metadata: ({ metadata }) => formatJson(metadata),
  external_id: ({ externalId }) => externalId,
  language: ({ language }) => language,
  invitations: ({ invitations }) => formatList(invitations),
  access_requests: ({ accessRequests }) => formatList(accessRequests),
  withheld: ({ withheld }) => formatJson(withheld),
  decided: ({ decided }) => formatList(decided),
  ends_at: ({ endsAt }) => endsAt,
  plan: ({ plan }) => plan,
  agreed: formatAgreed,
  // PostgreSQL reads it as a boolean.
  unconfirmed: ({ isUnconfirmed }) => (isUnconfirmed ? 1 : 0),
  waiting_since(record) {
    const since = findWaitingSince(record)
    return since === Infinity ? undefined : since
  },
  version: ({ version }) => version,
}

const NAMES = Object.keys(COLUMNS)
const PLACEHOLDERS = NAMES.map((_, i) => `?${i + 1}`).join()
const INSERT = `
  INSERT INTO platform_auth_applications (${NAMES.join()}) VALUES (${PLACEHOLDERS}) ON CONFLICT (id) DO NOTHING`
const UPDATE = `
  UPDATE platform_auth_applications SET (${NAMES.join()}) = (${PLACEHOLDERS})
  WHERE id = ?1 AND version = ?${NAMES.length + 1}`
/** Not RETURNING, with which SQLite would look in all tables for rows that refer to a new application. */
const FIND_WRITTEN = `
  SELECT seq, CAST(EXISTS (SELECT 1 FROM platform_auth_contacts WHERE application_seq = a.seq) AS INTEGER) AS "hasOthers",
    CAST(EXISTS (SELECT 1 FROM (
      SELECT plan FROM platform_auth_quotas WHERE application_id = a.id ORDER BY day DESC LIMIT 1
    ) AS latest WHERE latest.plan IS DISTINCT FROM a.plan) AS INTEGER) AS "hasOtherPlan"
  FROM platform_auth_applications a WHERE id = ?1`

function* writeContacts({ formatGiven }: Dialect, seq: number, { otherContacts }: ApplicationRecord): Work<void> {
  yield* run('DELETE FROM platform_auth_contacts WHERE application_seq = ?1', seq)
  const text = `
    INSERT INTO platform_auth_contacts (application_seq, position, address, contact)
    SELECT ?2, position, address, contact FROM ${formatGiven({ address: 'text', contact: 'text' })}`
  const rows = otherContacts.map((address) => ({ address, contact: address.toLowerCase() }))
  if (rows.length > 0) yield* run(text, JSON.stringify(rows), seq)
}

function* writeGrants({ formatGiven }: Dialect, seq: number, { apis, status }: ApplicationRecord): Work<void> {
  yield* run('DELETE FROM platform_auth_grants WHERE application_seq = ?1', seq)
  const text = `
    INSERT INTO platform_auth_grants (application_seq, api, position, scopes, status)
    SELECT ?2, api, position, scopes, ?3 FROM ${formatGiven({ api: 'text', scopes: 'text' })}`
  const rows = Object.entries(apis).map(([api, { scopes }]) => ({ api, scopes: JSON.stringify(scopes) }))
  if (rows.length > 0) yield* run(text, JSON.stringify(rows), seq, status)
}

function* writeCredentials(dialect: Dialect, seq: number, { keys, secrets }: ApplicationRecord, at: number) {
  // Rows are locked in the same order as in noteCredentialUse(): two transactions that lock the same rows in opposite order
  // deadlock.
  const lock = `
    SELECT CAST(imported AS INTEGER) AS "isImported" FROM platform_auth_credentials
    WHERE application_seq = ?1 ORDER BY hash ${dialect.lockRows}`
  const stored = yield* all<{ readonly isImported: number }>(lock, seq)
  const rows = [...keys.map((key, i) => toRow('key', key, i)), ...secrets.map((one, i) => toRow('secret', one, i))]
  const given = JSON.stringify(rows)
  if (stored.some(({ isImported }) => isImported === 1)) yield* run(formatNoteEnds(dialect), given, seq, at)
  if (stored.length > 0) yield* run(formatDeleteOthers(dialect), given, seq)
  if (rows.length === 0) return
  const written = yield* run(formatUpsert(dialect), given, seq)
  // SQLite counts a row twice that is given twice.
  const distinct = new Set(rows.map(({ hash }) => hash)).size
  if (Math.min(written, distinct) < rows.length) throw new Error('A credential with this hash exists already.')
}

function toRow(kind: 'key' | 'secret', credential: CredentialRecord, position: number) {
  return {
    ...credential,
    restriction: formatJson(credential.apis),
    networks: formatJson(credential.networks),
    publicKeys: formatJson(credential.keySet),
    kind,
    place: position,
  }
}

/** An imported key has ended if its id is gone: its hash may have been replaced since the record was read. */
function formatNoteEnds({ formatGiven }: Dialect): string {
  return `
  INSERT INTO platform_auth_ended_keys (hash, application_seq, last_seq, ended_at)
  SELECT hash, ?2, (SELECT max(seq) FROM platform_auth_applications), ?3 FROM platform_auth_credentials
  WHERE application_seq = ?2 AND imported AND kind = 'key'
    AND id NOT IN (SELECT given.id FROM ${formatGiven({ id: 'text', kind: 'text' })} WHERE given.kind = 'key')
  ON CONFLICT (hash, application_seq) DO UPDATE SET last_seq = excluded.last_seq, ended_at = excluded.ended_at`
}

function formatDeleteOthers({ formatGiven }: Dialect): string {
  return `
  DELETE FROM platform_auth_credentials
  WHERE application_seq = ?2 AND hash NOT IN (SELECT given.hash FROM ${formatGiven({ hash: 'text' })})`
}

/** Skips a hash that another application has. WHERE true: without it SQLite reads ON CONFLICT as a part of a join. */
function formatUpsert({ formatGiven, greatest }: Dialect): string {
  const given = formatGiven({
    hash: 'text',
    kind: 'text',
    place: 'bigint',
    id: 'text',
    name: 'text',
    prefix: 'text',
    createdAt: 'bigint',
    expiresAt: 'bigint',
    lastUsedAt: 'bigint',
    restriction: 'text',
    networks: 'text',
    isImported: 'boolean',
    remindedDays: 'bigint',
    publicKeys: 'text',
  })
  return `
  INSERT INTO platform_auth_credentials AS stored
    (hash, application_seq, kind, position, id, name, prefix, created_at, expires_at, last_used_at, apis, networks, imported,
      reminded_days, key_set)
  SELECT hash, ?2, kind, place, id, name, prefix, "createdAt", "expiresAt", "lastUsedAt", restriction, networks, "isImported",
    "remindedDays", "publicKeys"
  FROM ${given} WHERE true
  ON CONFLICT (hash) DO UPDATE
  SET kind = excluded.kind, position = excluded.position, id = excluded.id, name = excluded.name,
    prefix = excluded.prefix, created_at = excluded.created_at, expires_at = excluded.expires_at,
    last_used_at = coalesce(${greatest}(stored.last_used_at, excluded.last_used_at), stored.last_used_at, excluded.last_used_at),
    apis = excluded.apis, networks = excluded.networks, imported = excluded.imported, reminded_days = excluded.reminded_days,
    key_set = excluded.key_set
  WHERE stored.application_seq = excluded.application_seq`
}
