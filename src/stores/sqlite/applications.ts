import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { parseApplication, type ApplicationRow } from '../sql/application-rows.js'
import type { Sql } from './connection.js'

/** One row per application, with its APIs and credentials as JSON: a single statement reads one consistent snapshot. */
export const SELECT_APPLICATION = `
  SELECT a.id, a.name, a.contact, a.status, a.created_at, a.tokens_revoked_at, a.version, a.metadata, a.external_id,
    a.language, a.invitations, a.access_requests, a.withheld, a.decided, a.ends_at, a.plan, a.agreed, a.unconfirmed,
    (SELECT used_at FROM platform_auth_last_uses WHERE application_seq = a.seq) AS used_at,
    (SELECT json_group_array(address ORDER BY position)
      FROM platform_auth_contacts WHERE application_seq = a.seq) AS other_contacts,
    (SELECT json_group_array(json_array(api, json(scopes)) ORDER BY position)
      FROM platform_auth_grants WHERE application_seq = a.seq) AS apis,
    (SELECT json_group_array(json_object('kind', kind, 'id', id, 'name', name, 'hash', hash, 'prefix', prefix,
        'createdAt', created_at, 'expiresAt', expires_at, 'lastUsedAt', last_used_at, 'apis', json(apis),
        'networks', json(networks), 'isImported', imported, 'remindedDays', reminded_days,
        'keySet', json(key_set)) ORDER BY position)
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
