import type { ApplicationQuery, ApplicationRecord, ApplicationStatus } from '../../contracts/store.js'
import { parseApplication, type ApplicationRow } from '../sql/rows.js'
import { prepareStatement, type Sql } from './connection.js'
import { writeCredentials } from './credentials.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version,
    coalesce((SELECT json_agg(json_build_array(api, scopes::json) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq), '[]')::text AS apis,
    coalesce((SELECT json_agg(json_build_object('kind', kind, 'hash', hash, 'prefix', prefix, 'createdAt', created_at,
        'expiresAt', expires_at, 'lastUsedAt', last_used_at) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq), '[]')::text AS credentials
  FROM platform_auth_applications a`

const FIND = prepareStatement(`${SELECT_APPLICATION} WHERE a.id = $1`)
const FIND_BY_KEY = prepareStatement(`${SELECT_APPLICATION}
  WHERE a.seq = (SELECT application_seq FROM platform_auth_credentials WHERE hash = $1 AND kind = 'key')`)

export async function findApplication(sql: Sql, id: string): Promise<ApplicationRecord | undefined> {
  if (!isStorable(id)) return undefined
  const row = await sql.get<ApplicationRow>(FIND, id)
  return row && parseApplication(row)
}

export async function findApplicationByKey(sql: Sql, hash: string): Promise<ApplicationRecord | undefined> {
  const row = await sql.get<ApplicationRow>(FIND_BY_KEY, hash)
  return row && parseApplication(row)
}

export async function listApplications(sql: Sql, query: ApplicationQuery): Promise<readonly ApplicationRecord[]> {
  const { after, limit, api, status } = query
  if (after !== undefined && !isStorable(after)) return []
  // NULL if there is no such application, after which nothing is listed.
  const start = after === undefined ? '$1::bigint' : '(SELECT seq FROM platform_auth_applications WHERE id = $1)'
  const branch =
    api === undefined
      ? `SELECT seq FROM platform_auth_applications WHERE seq > ${start}`
      : `SELECT application_seq AS seq FROM platform_auth_grants WHERE application_seq > ${start} AND api = $3`
  const statuses = status === undefined ? NOT_DELETED : [status]
  const firstStatus = api === undefined ? 3 : 4
  // One branch per status: an index has each of them in order, so only the page is read, however many applications exist.
  const branches = statuses.map((_, i) => `(${branch} AND status = $${firstStatus + i} ORDER BY seq LIMIT $2)`)
  const page = `SELECT seq FROM (${branches.join(' UNION ALL ')}) AS found ORDER BY seq LIMIT $2`
  const text = `${SELECT_APPLICATION} WHERE a.seq IN (${page}) ORDER BY a.seq`
  const values = [after ?? 0, limit, ...(api === undefined ? [] : [api]), ...statuses]
  return (await sql.all<ApplicationRow>(text, ...values)).map(parseApplication)
}

/** PostgreSQL rejects a text with U+0000 as an error; the other stores find nothing. */
function isStorable(text: string): boolean {
  return !text.includes('\0')
}

const NOT_DELETED: readonly ApplicationStatus[] = ['pending', 'active', 'suspended']

/** Writes the record if the stored version is the previous one; to be called in a transaction. */
export async function writeApplication(sql: Sql, record: ApplicationRecord): Promise<boolean> {
  const { id, name, contact, status, createdAt, tokensRevokedAt, version } = record
  const values = [id, name, contact, status, createdAt, tokensRevokedAt, version]
  const written =
    version === 1
      ? await sql.get<{ seq: number }>(INSERT, ...values)
      : await sql.get<{ seq: number }>(UPDATE, ...values, version - 1)
  if (!written) return false
  await writeGrants(sql, written.seq, record)
  await writeCredentials(sql, written.seq, record)
  return true
}

const INSERT = `
  INSERT INTO platform_auth_applications (id, name, contact, status, created_at, tokens_revoked_at, version)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING seq`
const UPDATE = `
  UPDATE platform_auth_applications
  SET name = $2, contact = $3, status = $4, created_at = $5, tokens_revoked_at = $6, version = $7
  WHERE id = $1 AND version = $8 RETURNING seq`

async function writeGrants(sql: Sql, seq: number, { apis, status }: ApplicationRecord): Promise<void> {
  await sql.run('DELETE FROM platform_auth_grants WHERE application_seq = $1', seq)
  const grants = Object.entries(apis)
  const text = `
    INSERT INTO platform_auth_grants (application_seq, api, position, scopes, status)
    SELECT $1, api, position, scopes, $2
    FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS given (api, scopes, position)`
  const names = grants.map(([api]) => api)
  const scopes = grants.map(([, grant]) => JSON.stringify(grant.scopes))
  if (grants.length > 0) await sql.run(text, seq, status, names, scopes)
}
