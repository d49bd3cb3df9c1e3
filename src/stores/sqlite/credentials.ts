import type { ApplicationRecord, CredentialRecord } from '../../contracts/application-record.js'
import { formatJson } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Writes an application's credentials, in the transaction that has just written the application. */
export function writeCredentials(sql: Sql, applicationSeq: number | undefined, record: ApplicationRecord): void {
  const stored = sql.all<{ hash: string; last_used_at: number | null }>(
    'SELECT hash, last_used_at FROM platform_auth_credentials WHERE application_seq = ?',
    applicationSeq,
  )
  const lastUses = new Map(stored.map((row) => [row.hash, row.last_used_at]))
  sql.run('DELETE FROM platform_auth_credentials WHERE application_seq = ?', applicationSeq)

  function insert(kind: 'key' | 'secret', credentials: readonly CredentialRecord[]): void {
    for (const [position, credential] of credentials.entries()) {
      const { hash, id, name, prefix, createdAt, expiresAt, lastUsedAt, apis, remindedDays } = credential
      const lastUse = findLatest(lastUsedAt, lastUses.get(hash) ?? undefined)
      const values = [prefix, createdAt, expiresAt, lastUse, formatJson(apis), remindedDays]
      sql.run(INSERT, hash, applicationSeq, kind, position, id, name, ...values)
    }
  }
  insert('key', record.keys)
  insert('secret', record.secrets)
}

/** Without ON CONFLICT: a hash that another application has must be an error. */
const INSERT = `
  INSERT INTO platform_auth_credentials
    (hash, application_seq, kind, position, id, name, prefix, created_at, expires_at, last_used_at, apis, reminded_days)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Stores the uses that are later than the stored ones by more than `minimumAge`, in a transaction. */
export function noteCredentialUse(
  sql: Sql,
  uses: readonly { readonly hash: string; readonly at: number }[],
  minimumAge = 0,
): void {
  sql.run(NOTE_USE, JSON.stringify(uses), minimumAge)
}

const NOTE_USE = `
  UPDATE platform_auth_credentials SET last_used_at = used.at
  FROM (
    SELECT json_extract(value, '$.hash') AS hash, max(json_extract(value, '$.at')) AS at FROM json_each(?1) GROUP BY 1
  ) AS used
  WHERE platform_auth_credentials.hash = used.hash AND ifnull(last_used_at < used.at - ?2, TRUE)`

function findLatest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
