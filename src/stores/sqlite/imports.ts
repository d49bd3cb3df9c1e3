import type { AddOutcome, CredentialReplacement, NewApplication } from '../../contracts/imports.js'
import { writeApplication } from './write-application.js'
import type { Sql } from './connection.js'
import { runWork } from './dialect.js'
import { publish } from './feed.js'

/** Adds the applications that nothing keeps out, in a transaction; without `write`, only tells what would become of each. */
export function addApplications(
  sql: Sql,
  applications: readonly NewApplication[],
  { write }: { readonly write: boolean },
): readonly AddOutcome[] {
  return applications.map((application) => {
    const obstacle = findObstacle(sql, application)
    if (obstacle) return obstacle
    if (write) add(sql, application)
    return 'added'
  })
}

function findObstacle(sql: Sql, { record, otherHashes }: NewApplication): Exclude<AddOutcome, 'added'> | undefined {
  const { id, externalId, keys, secrets } = record
  if (sql.get('SELECT 1 FROM platform_auth_applications WHERE id = ?', id)) return 'exists'
  const hasExternalId = 'SELECT 1 FROM platform_auth_applications WHERE external_id = ?'
  if (externalId !== undefined && sql.get(hasExternalId, externalId)) return 'externalIdTaken'
  const hashes = [...[...keys, ...secrets].map(({ hash }) => hash), ...otherHashes]
  const hasHash = 'SELECT 1 FROM platform_auth_credentials WHERE hash IN (SELECT value FROM json_each(?))'
  return sql.get(hasHash, JSON.stringify(hashes)) ? 'credentialTaken' : undefined
}

function add(sql: Sql, { record, audit }: NewApplication): void {
  // Nothing can have changed since findObstacle(): a transaction of SQLite has the file to itself.
  if (!writeApplication(sql, record, audit.at)) throw new Error(`The application ${record.id} could not be added.`)
  runWork(sql, publish({ kind: 'application', id: record.id }, audit))
}

/** Replaces a hash, in a transaction. */
export function replaceCredentialHash(sql: Sql, { former, hash, prefix, usedAt }: CredentialReplacement): boolean {
  const owner = sql.get<{ id: string }>(FIND_OWNER, former)
  const isTaken = sql.get('SELECT 1 FROM platform_auth_credentials WHERE hash = ?', hash)
  if (!owner || isTaken) return false
  sql.run(REPLACE, hash, prefix, usedAt, former)
  runWork(sql, publish({ kind: 'application', id: owner.id }))
  return true
}

const FIND_OWNER = `
  SELECT a.id FROM platform_auth_credentials c JOIN platform_auth_applications a ON a.seq = c.application_seq
  WHERE c.hash = ?`
const REPLACE = `
  UPDATE platform_auth_credentials SET hash = ?, prefix = ?, last_used_at = max(?, ifnull(last_used_at, 0)) WHERE hash = ?`
