import type { ExpiryQuery } from '../../contracts/queued-email.js'
import type { ApplicationQuery } from '../../contracts/store.js'
import type { ApplicationRecord, ApplicationStatus } from '../../contracts/application-record.js'
import { formatList, LAST_CHARACTER, parseApplication, type ApplicationRow } from '../sql/application-rows.js'
import { formatJson } from '../sql/rows.js'
import type { Sql } from './connection.js'
import { writeCredentials } from './credentials.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version, a.metadata, a.external_id,
    a.language, a.invitations, a.access_requests, a.withheld, a.decided, a.ends_at,
    (SELECT json_group_array(address ORDER BY position)
      FROM platform_auth_contacts WHERE application_seq = a.seq) AS other_contacts,
    (SELECT json_group_array(json_array(api, json(scopes)) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq) AS apis,
    (SELECT json_group_array(json_object('kind', kind, 'id', id, 'name', name, 'hash', hash, 'prefix', prefix,
        'createdAt', created_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, 'apis', json(apis),
        'isImported', imported, 'remindedDays', reminded_days) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq) AS credentials
  FROM platform_auth_applications a`

export function findApplication(sql: Sql, id: string): ApplicationRecord | undefined {
  const row = sql.get<ApplicationRow>(`${SELECT_APPLICATION} WHERE a.id = ?`, id)
  return row && parseApplication(row)
}

/** With several `hashes`, the first one that a key has decides. */
export function findApplicationByKey(sql: Sql, hashes: readonly string[]): ApplicationRecord | undefined {
  const text = `${SELECT_APPLICATION} WHERE a.seq = (${selectOwner(hashes.length)} LIMIT 1)`
  const row = sql.get<ApplicationRow>(text, ...hashes)
  return row && parseApplication(row)
}

function selectOwner(count: number): string {
  const list = Array.from({ length: count }, (_, index) => `?${index + 1}`).join()
  return `SELECT c.application_seq FROM platform_auth_credentials c
    WHERE c.hash IN (${list}) AND c.kind = 'key' AND (c.hash = ?1 OR NOT EXISTS (
      SELECT 1 FROM platform_auth_ended_keys e
      WHERE e.hash IN (${list}) AND c.application_seq > e.application_seq AND c.application_seq <= e.last_seq))
    ORDER BY c.hash <> ?1, c.application_seq`
}

export function listApplications(sql: Sql, query: ApplicationQuery): ApplicationRecord[] {
  const start = query.after === undefined ? 0 : findSeq(sql, query.after)
  const statuses = query.status === undefined ? NOT_DELETED : [query.status]
  const { externalId, name, contact, expiringBefore, hasDecided, endingBefore } = query
  const isSearch = [externalId, name, contact, expiringBefore, hasDecided, endingBefore].some(
    (filter) => filter !== undefined,
  )
  const [page, values] = isSearch ? selectFound(query, statuses, start) : selectByStatus(query, statuses, start)
  const text = `${SELECT_APPLICATION} WHERE a.seq IN (${page} ORDER BY seq LIMIT ?) ORDER BY a.seq`
  return sql.all<ApplicationRow>(text, ...values, query.limit).map(parseApplication)
}

const NOT_DELETED: readonly ApplicationStatus[] = ['pending', 'active', 'suspended']

/** A query for `seq`, and its values. */
type Selection = readonly [text: string, values: readonly (string | number | undefined)[]]

function selectByStatus({ api }: ApplicationQuery, statuses: readonly string[], start: number | undefined): Selection {
  // One branch per status: an index has each of them in order, and merging them stops at the limit.
  const branch =
    api === undefined
      ? 'SELECT seq FROM platform_auth_applications WHERE status = ? AND seq > ?'
      : 'SELECT application_seq AS seq FROM platform_auth_grants WHERE api = ? AND status = ? AND application_seq > ?'
  const values = statuses.flatMap((one) => (api === undefined ? [one, start] : [api, one, start]))
  return [statuses.map(() => branch).join(' UNION ALL '), values]
}

/**
 * Conditions that use the indexes of `external_id`, contacts, `expires_at` and `ends_at`. The plus sign keeps SQLite from
 * reading by status or API instead.
 */
function selectFound(query: ApplicationQuery, statuses: readonly string[], start: number | undefined): Selection {
  const { api, externalId, name, contact, status, expiringBefore, expiringAfter = 0, endingBefore } = query
  const isAlone = [api, externalId, name, contact, status, endingBefore].every((filter) => filter === undefined)
  const filters: readonly (Selection | undefined)[] = [
    [`seq > ? AND +status IN (${statuses.map(() => '?').join()})`, [start, ...statuses]],
    externalId === undefined ? undefined : ['external_id = ?', [externalId]],
    name === undefined ? undefined : ['lower(name) >= ? AND lower(name) < ?', [name, name + LAST_CHARACTER]],
    contact === undefined ? undefined : [HAS_CONTACT, [contact, contact]],
    expiringBefore === undefined
      ? undefined
      : [IS_EXPIRING, [expiringAfter, expiringBefore, start, isAlone ? query.limit : NO_LIMIT]],
    query.hasDecided && [HAS_DECIDED, []],
    endingBefore === undefined ? undefined : [IS_ENDING, [endingBefore]],
    api === undefined ? undefined : [HAS_API, [api]],
  ]
  const given = filters.filter((filter) => filter !== undefined)
  const conditions = given.map(([text]) => text).join(' AND ')
  return [`SELECT seq FROM platform_auth_applications a WHERE ${conditions}`, given.flatMap(([, values]) => values)]
}

/** Without another filter every one found is on the page, which need not be picked from all. Deleted applications have none. */
const IS_EXPIRING = `
  seq IN (SELECT DISTINCT application_seq FROM platform_auth_credentials
    WHERE expires_at > ? AND expires_at < ? AND application_seq > ? ORDER BY application_seq LIMIT ?)`
const NO_LIMIT = -1
const HAS_CONTACT = `
  seq IN (SELECT seq FROM platform_auth_applications WHERE contact IS NOT NULL AND lower(contact) = ?
    UNION SELECT application_seq FROM platform_auth_contacts WHERE contact = ?)`
/** As the condition of the index. */
const HAS_DECIDED = "status = 'deleted' AND decided IS NOT NULL"
const IS_ENDING = 'seq IN (SELECT seq FROM platform_auth_applications WHERE ends_at < ?)'
const HAS_API = 'EXISTS (SELECT 1 FROM platform_auth_grants WHERE application_seq = a.seq AND api = ?)'

export function listExpiring(sql: Sql, { after, until, days, limit }: ExpiryQuery): string[] {
  return sql.all<{ id: string }>(LIST_EXPIRING, after, until, days, limit).map(({ id }) => id)
}

/** CROSS JOIN keeps SQLite from reading the applications first. The index has every column of the credentials. */
const LIST_EXPIRING = `
  SELECT a.id FROM platform_auth_credentials c CROSS JOIN platform_auth_applications a ON a.seq = c.application_seq
  WHERE c.expires_at > ? AND c.expires_at <= ? AND ifnull(c.reminded_days > ?, TRUE)
    AND a.status = 'active' AND a.contact IS NOT NULL
  ORDER BY c.expires_at LIMIT ?`

/** Writes the record if the stored version is the previous one, at that time. Must be called in a transaction. */
export function writeApplication(sql: Sql, record: ApplicationRecord, at: number): boolean {
  if (isExternalIdTaken(sql, record)) return false
  const isWritten = record.version === 1 ? insert(sql, record) : update(sql, record)
  if (!isWritten) return false
  const seq = findSeq(sql, record.id)
  writeContacts(sql, seq, record)
  writeGrants(sql, seq, record)
  writeCredentials(sql, seq, record, at)
  return true
}

function isExternalIdTaken(sql: Sql, { id, externalId }: ApplicationRecord): boolean {
  if (externalId === undefined) return false
  const text = 'SELECT 1 FROM platform_auth_applications WHERE external_id = ? AND id <> ?'
  return sql.get(text, externalId, id) !== undefined
}

function insert(sql: Sql, record: ApplicationRecord): boolean {
  const text = `
    INSERT INTO platform_auth_applications
      (name, contact, status, created_at, tokens_revoked_at, metadata, external_id, language, invitations,
        access_requests, withheld, decided, ends_at, version, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
  return sql.run(text, ...listValues(record)) === 1
}

function update(sql: Sql, record: ApplicationRecord): boolean {
  const text = `
    UPDATE platform_auth_applications
    SET name = ?, contact = ?, status = ?, created_at = ?, tokens_revoked_at = ?, metadata = ?, external_id = ?,
      language = ?, invitations = ?, access_requests = ?, withheld = ?, decided = ?, ends_at = ?, version = ?
    WHERE id = ? AND version = ?`
  return sql.run(text, ...listValues(record), record.version - 1) === 1
}

function listValues(record: ApplicationRecord): readonly (string | number | undefined)[] {
  const { id, name, contact, status, createdAt, tokensRevokedAt, metadata, externalId, language, version } = record
  return [
    name,
    contact,
    status,
    createdAt,
    tokensRevokedAt,
    formatJson(metadata),
    externalId,
    language,
    formatList(record.invitations),
    formatList(record.accessRequests),
    formatJson(record.withheld),
    formatList(record.decided),
    record.endsAt,
    version,
    id,
  ]
}

function writeContacts(sql: Sql, seq: number | undefined, { otherContacts }: ApplicationRecord): void {
  sql.run('DELETE FROM platform_auth_contacts WHERE application_seq = ?', seq)
  const text = 'INSERT INTO platform_auth_contacts (application_seq, position, address, contact) VALUES (?, ?, ?, ?)'
  for (const [position, address] of otherContacts.entries()) {
    sql.run(text, seq, position, address, address.toLowerCase())
  }
}

function writeGrants(sql: Sql, seq: number | undefined, { apis, status }: ApplicationRecord): void {
  sql.run('DELETE FROM platform_auth_grants WHERE application_seq = ?', seq)
  const text = `
    INSERT INTO platform_auth_grants (application_seq, api, position, scopes, status) VALUES (?, ?, ?, ?, ?)`
  for (const [position, [api, { scopes }]] of Object.entries(apis).entries()) {
    sql.run(text, seq, api, position, JSON.stringify(scopes), status)
  }
}

/** Undefined if there is none: bound as NULL, after which nothing is listed. */
function findSeq(sql: Sql, id: string): number | undefined {
  return sql.get<{ seq: number }>('SELECT seq FROM platform_auth_applications WHERE id = ?', id)?.seq
}
