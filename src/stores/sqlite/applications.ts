import type { ApplicationQuery, ApplicationRecord, ApplicationStatus, CredentialRecord } from '../../contracts/store.js'
import { applicationFrom } from '../sql/rows.js'
import type { ApplicationRow } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** One row per application, its APIs and credentials as JSON: a single statement sees a single moment. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version,
    (SELECT json_group_array(json_array(api, json(scopes)) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq) AS apis,
    (SELECT json_group_array(json_object('kind', kind, 'hash', hash, 'prefix', prefix, 'createdAt', created_at,
        'expiresAt', expires_at, 'lastUsedAt', last_used_at) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq) AS credentials
  FROM platform_auth_applications a`

/** Writes the record if the stored version is the one before; to be called in a transaction. */
export function writeApplication(sql: Sql, record: ApplicationRecord): boolean {
  const written = record.version === 1 ? insert(sql, record) : update(sql, record)
  if (!written) return false
  const seq = seqOf(sql, record.id)
  writeGrants(sql, seq, record)
  writeCredentials(sql, seq, record)
  return true
}

/** Notes uses that are later than what is known; to be called in a transaction. */
export function noteCredentialUse(sql: Sql, uses: readonly { readonly hash: string; readonly at: number }[]): void {
  const text = `
    UPDATE platform_auth_credentials SET last_used_at = ? WHERE hash = ? AND ifnull(last_used_at < ?, TRUE)`
  for (const { hash, at } of uses) sql.run(text, at, hash, at)
}

export function findApplication(sql: Sql, id: string): ApplicationRecord | undefined {
  const row = sql.get<ApplicationRow>(`${SELECT_APPLICATION} WHERE a.id = ?`, id)
  return row && applicationFrom(row)
}

export function findApplicationByKey(sql: Sql, hash: string): ApplicationRecord | undefined {
  const text = `${SELECT_APPLICATION}
    WHERE a.seq = (SELECT application_seq FROM platform_auth_credentials WHERE hash = ? AND kind = 'key')`
  const row = sql.get<ApplicationRow>(text, hash)
  return row && applicationFrom(row)
}

export function listApplications(sql: Sql, { after, limit, api, status }: ApplicationQuery): ApplicationRecord[] {
  const start = after === undefined ? 0 : seqOf(sql, after)
  const statuses = status === undefined ? NOT_DELETED : [status]
  // One branch per status, so that an index has each in order and merging them stops at the limit.
  const branch =
    api === undefined
      ? 'SELECT seq FROM platform_auth_applications WHERE status = ? AND seq > ?'
      : 'SELECT application_seq AS seq FROM platform_auth_grants WHERE api = ? AND status = ? AND application_seq > ?'
  const page = `${statuses.map(() => branch).join(' UNION ALL ')} ORDER BY seq LIMIT ?`
  const values = statuses.flatMap((one) => (api === undefined ? [one, start] : [api, one, start]))
  const text = `${SELECT_APPLICATION} WHERE a.seq IN (${page}) ORDER BY a.seq`
  return sql.all<ApplicationRow>(text, ...values, limit).map(applicationFrom)
}

const NOT_DELETED: readonly ApplicationStatus[] = ['pending', 'active', 'suspended']

/** NULL where there is none, after which nothing comes. */
function seqOf(sql: Sql, id: string): number | undefined {
  return sql.get<{ seq: number }>('SELECT seq FROM platform_auth_applications WHERE id = ?', id)?.seq
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

function writeCredentials(sql: Sql, seq: number | undefined, { keys, secrets }: ApplicationRecord): void {
  const stored = sql.all<{ hash: string; last_used_at: number | null }>(
    'SELECT hash, last_used_at FROM platform_auth_credentials WHERE application_seq = ?',
    seq,
  )
  const lastUses = new Map(stored.map((row) => [row.hash, row.last_used_at]))
  sql.run('DELETE FROM platform_auth_credentials WHERE application_seq = ?', seq)
  // A plain INSERT: a hash that another application has must fail, not move.
  const text = `
    INSERT INTO platform_auth_credentials
      (hash, application_seq, kind, position, prefix, created_at, expires_at, last_used_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  function write(kind: 'key' | 'secret', credentials: readonly CredentialRecord[]): void {
    for (const [position, { hash, prefix, createdAt, expiresAt, lastUsedAt }] of credentials.entries()) {
      const lastUse = laterOf(lastUsedAt, lastUses.get(hash) ?? undefined)
      sql.run(text, hash, seq, kind, position, prefix, createdAt, expiresAt, lastUse)
    }
  }
  write('key', keys)
  write('secret', secrets)
}

function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
