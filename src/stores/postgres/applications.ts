import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { parseApplication, type ApplicationRow } from '../sql/application-rows.js'
import { prepareStatement, type Sql } from './connection.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
export const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version, a.metadata, a.external_id,
    a.language, a.invitations, a.access_requests, a.withheld, a.decided, a.ends_at, a.plan, a.agreed, a.unconfirmed::int,
    (SELECT used_at FROM platform_auth_last_uses WHERE application_seq = a.seq) AS used_at,
    coalesce((SELECT json_agg(address ORDER BY position)
      FROM platform_auth_contacts WHERE application_seq = a.seq), '[]')::text AS other_contacts,
    coalesce((SELECT json_agg(json_build_array(api, scopes::json) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq), '[]')::text AS apis,
    coalesce((SELECT json_agg(json_build_object('kind', kind, 'id', id, 'name', name, 'hash', hash, 'prefix', prefix,
        'createdAt', created_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, 'apis', apis::json,
        'networks', networks::json, 'isImported', imported, 'remindedDays', reminded_days,
        'keySet', key_set::json) ORDER BY position)
      FROM platform_auth_credentials WHERE application_seq = a.seq), '[]')::text AS credentials
  FROM platform_auth_applications a`

const FIND = prepareStatement(`${SELECT_APPLICATION} WHERE a.id = $1`)
const FIND_BY_KEY = prepareStatement(`${SELECT_APPLICATION}
  WHERE a.seq = (SELECT c.application_seq FROM platform_auth_credentials c
    WHERE c.hash = ANY ($1::text[]) AND c.kind = 'key' AND (c.hash = ($1::text[])[1] OR NOT EXISTS (
      SELECT 1 FROM platform_auth_ended_keys e
      WHERE e.hash = ANY ($1::text[]) AND c.application_seq > e.application_seq AND c.application_seq <= e.last_seq))
    ORDER BY c.hash <> ($1::text[])[1], c.application_seq LIMIT 1)`)

export async function findApplication(sql: Sql, id: string): Promise<ApplicationRecord | undefined> {
  if (!isStorable(id)) return undefined
  const row = await sql.get<ApplicationRow>(FIND, id)
  return row && parseApplication(row)
}

/** With several `hashes`, the first one that a key has decides. */
export async function findApplicationByKey(
  sql: Sql,
  hashes: readonly string[],
): Promise<ApplicationRecord | undefined> {
  const row = await sql.get<ApplicationRow>(FIND_BY_KEY, hashes)
  return row && parseApplication(row)
}

/** PostgreSQL rejects a text with U+0000 as an error; the other stores find nothing. */
function isStorable(text: string): boolean {
  return !text.includes('\0')
}
