import type { ApplicationRecord } from '../../contracts/application-record.js'
import { formatAgreed, formatList } from '../sql/application-rows.js'
import { formatJson } from '../sql/rows.js'
import { findSeq } from './applications.js'
import type { Sql } from './connection.js'
import { writeCredentials } from './credentials.js'

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
        access_requests, withheld, decided, ends_at, plan, agreed, unconfirmed, version, id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`
  return sql.run(text, ...listValues(record)) === 1
}

function update(sql: Sql, record: ApplicationRecord): boolean {
  const text = `
    UPDATE platform_auth_applications
    SET name = ?, contact = ?, status = ?, created_at = ?, tokens_revoked_at = ?, metadata = ?, external_id = ?,
      language = ?, invitations = ?, access_requests = ?, withheld = ?, decided = ?, ends_at = ?,
      plan = ?, agreed = ?, unconfirmed = ?, version = ?
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
    record.plan,
    formatAgreed(record),
    record.isUnconfirmed ? 1 : 0,
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
