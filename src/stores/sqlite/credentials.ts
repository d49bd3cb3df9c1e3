import type { ApplicationRecord, CredentialRecord } from '../../contracts/application-record.js'
import { formatJson } from '../sql/rows.js'
import type { Sql } from './connection.js'

/** Writes an application's credentials, in the transaction that has just written the application. */
export function writeCredentials(
  sql: Sql,
  applicationSeq: number | undefined,
  record: ApplicationRecord,
  at: number,
): void {
  const stored = sql.all<{ id: string; hash: string; last_used_at: number | null; isImportedKey: number }>(
    "SELECT id, hash, last_used_at, imported AND kind = 'key' AS isImportedKey FROM platform_auth_credentials WHERE application_seq = ?",
    applicationSeq,
  )
  for (const { id, hash, isImportedKey } of stored) {
    // The id identifies the key: the hash may have been replaced since the record was read.
    const isEnded = isImportedKey === 1 && !record.keys.some((key) => key.id === id)
    if (isEnded) sql.run(NOTE_END, hash, applicationSeq, at)
  }
  const lastUses = new Map(stored.map((row) => [row.hash, row.last_used_at]))
  sql.run('DELETE FROM platform_auth_credentials WHERE application_seq = ?', applicationSeq)

  function insert(kind: 'key' | 'secret', credentials: readonly CredentialRecord[]): void {
    for (const [position, credential] of credentials.entries()) {
      const { hash, id, name, prefix, createdAt, expiresAt, lastUsedAt, apis, networks, isImported, remindedDays } =
        credential
      const lastUse = findLatest(lastUsedAt, lastUses.get(hash) ?? undefined)
      const values = [
        prefix,
        createdAt,
        expiresAt,
        lastUse,
        formatJson(apis),
        formatJson(networks),
        isImported ? 1 : 0,
        remindedDays,
      ]
      sql.run(INSERT, hash, applicationSeq, kind, position, id, name, ...values)
    }
  }
  insert('key', record.keys)
  insert('secret', record.secrets)
}

/** The statement has no ON CONFLICT: a hash that another application has must be an error. */
const INSERT = `
  INSERT INTO platform_auth_credentials
    (hash, application_seq, kind, position, id, name, prefix, created_at, expires_at, last_used_at, apis, networks, imported,
      reminded_days)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const NOTE_END = `
  INSERT INTO platform_auth_ended_keys (hash, application_seq, last_seq, ended_at)
  VALUES (?, ?, (SELECT max(seq) FROM platform_auth_applications), ?)
  ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, ended_at = excluded.ended_at`

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
