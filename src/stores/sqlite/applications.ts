import type { ApplicationQuery, ApplicationRecord, ApplicationStatus } from '../../contracts/store.js'
import { parseApplication, type ApplicationRow } from '../sql/rows.js'
import type { Sql } from './connection.js'
import { writeCredentials } from './credentials.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version,
    (SELECT json_group_array(json_array(api, json(scopes)) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq) AS apis,
    (SELECT json_group_array(json_object('kind', kind, 'hash', hash, 'prefix', prefix, 'createdAt', created_at,
        'expiresAt', expires_at, 'lastUsedAt', last_used_at) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq) AS credentials
  FROM platform_auth_applications a`

export function findApplication(sql: Sql, id: string): ApplicationRecord | undefined {
  const row = sql.get<ApplicationRow>(`${SELECT_APPLICATION} WHERE a.id = ?`, id)
  return row && parseApplication(row)
}

export function findApplicationByKey(sql: Sql, hash: string): ApplicationRecord | undefined {
  const text = `${SELECT_APPLICATION}
    WHERE a.seq = (SELECT application_seq FROM platform_auth_credentials WHERE hash = ? AND kind = 'key')`
  const row = sql.get<ApplicationRow>(text, hash)
  return row && parseApplication(row)
}

export function listApplications(sql: Sql, { after, limit, api, status }: ApplicationQuery): ApplicationRecord[] {
  const start = after === undefined ? 0 : findSeq(sql, after)
  const statuses = status === undefined ? NOT_DELETED : [status]
  // One branch per status: an index has each of them in order, and merging them stops at the limit.
  const branch =
    api === undefined
      ? 'SELECT seq FROM platform_auth_applications WHERE status = ? AND seq > ?'
      : 'SELECT application_seq AS seq FROM platform_auth_grants WHERE api = ? AND status = ? AND application_seq > ?'
  const page = `${statuses.map(() => branch).join(' UNION ALL ')} ORDER BY seq LIMIT ?`
  const values = statuses.flatMap((one) => (api === undefined ? [one, start] : [api, one, start]))
  const text = `${SELECT_APPLICATION} WHERE a.seq IN (${page}) ORDER BY a.seq`
  return sql.all<ApplicationRow>(text, ...values, limit).map(parseApplication)
}

const NOT_DELETED: readonly ApplicationStatus[] = ['pending', 'active', 'suspended']

/** Writes the record if the stored version is the previous one; to be called in a transaction. */
export function writeApplication(sql: Sql, record: ApplicationRecord): boolean {
  const isWritten = record.version === 1 ? insert(sql, record) : update(sql, record)
  if (!isWritten) return false
  const seq = findSeq(sql, record.id)
  writeGrants(sql, seq, record)
  writeCredentials(sql, seq, record)
  return true
}

function insert(sql: Sql, record: ApplicationRecord): boolean {
  const text = `
    INSERT INTO platform_auth_applications (id, name, contact, status, created_at, tokens_revoked_at, version)
    VALUES (?, ?, ?, ?, ?, ?, 1) ON CONFLICT (id) DO NOTHING`
  const { id, name, contact, status, createdAt, tokensRevokedAt } = record
  return sql.run(text, id, name, contact, status, createdAt, tokensRevokedAt) === 1
}

function update(sql: Sql, record: ApplicationRecord): boolean {
  const text = `
    UPDATE platform_auth_applications
    SET name = ?, contact = ?, status = ?, created_at = ?, tokens_revoked_at = ?, version = ?
    WHERE id = ? AND version = ?`
  const { id, name, contact, status, createdAt, tokensRevokedAt, version } = record
  return sql.run(text, name, contact, status, createdAt, tokensRevokedAt, version, id, version - 1) === 1
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
