import type { AddOutcome, CredentialReplacement, NewApplication } from '../../contracts/imports.js'
import { writeApplication } from './applications.js'
import { prepareStatement, type Sql } from './connection.js'
import { runWork } from './dialect.js'
import { publish } from './feed.js'

/** Adds the applications that nothing keeps out, in a transaction; without `write`, only tells what would become of each. */
export async function addApplications(
  sql: Sql,
  applications: readonly NewApplication[],
  { write }: { readonly write: boolean },
): Promise<readonly AddOutcome[]> {
  const outcomes: AddOutcome[] = []
  for (const application of applications) {
    const outcome = (await findObstacle(sql, application)) ?? 'added'
    if (write && outcome === 'added' && !(await writeApplication(sql, application.record, application.audit.at))) {
      throw new Error(`The application ${application.record.id} was added by another process at the same time.`)
    }
    outcomes.push(outcome)
  }
  if (!write) return outcomes
  // This comes last, because it locks the feed for all other changes.
  for (const [index, { record, audit }] of applications.entries()) {
    if (outcomes[index] === 'added') await runWork(sql, publish({ kind: 'application', id: record.id }, audit))
  }
  return outcomes
}

async function findObstacle(
  sql: Sql,
  { record, otherHashes }: NewApplication,
): Promise<Exclude<AddOutcome, 'added'> | undefined> {
  const { id, externalId, keys, secrets } = record
  const hashes = [...[...keys, ...secrets].map(({ hash }) => hash), ...otherHashes]
  const found = await sql.get<{ outcome: Exclude<AddOutcome, 'added'> | null }>(FIND_OBSTACLE, id, externalId, hashes)
  return found?.outcome ?? undefined
}

const FIND_OBSTACLE = prepareStatement(`
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM platform_auth_applications WHERE id = $1) THEN 'exists'
    WHEN EXISTS (SELECT 1 FROM platform_auth_applications WHERE external_id = $2) THEN 'externalIdTaken'
    WHEN EXISTS (SELECT 1 FROM platform_auth_credentials WHERE hash = ANY ($3::text[])) THEN 'credentialTaken'
  END AS outcome`)

/** Replaces a hash, in a transaction. */
export async function replaceCredentialHash(
  sql: Sql,
  { former, hash, prefix, usedAt }: CredentialReplacement,
): Promise<boolean> {
  const replaced = await sql.get<{ id: string }>(REPLACE, former, hash, prefix, usedAt)
  if (!replaced) return false
  await runWork(sql, publish({ kind: 'application', id: replaced.id }))
  return true
}

const REPLACE = `
  UPDATE platform_auth_credentials c
  SET hash = $2, prefix = $3, last_used_at = greatest(c.last_used_at, $4::bigint)
  FROM platform_auth_applications a
  WHERE a.seq = c.application_seq AND c.hash = $1
    AND NOT EXISTS (SELECT 1 FROM platform_auth_credentials WHERE hash = $2)
  RETURNING a.id`
