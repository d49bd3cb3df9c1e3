import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { AddOutcome, NewApplication } from '../../shared/contracts/imports.js'
import type { EmailChange } from '../../shared/contracts/queued-email.js'
import type { NewAuditRecord } from '../../shared/contracts/store-records.js'
import type { Dialect } from './dialect.js'
import { changeEmails } from './emails.js'
import { getOften, run, type Work } from './work.js'
import { writeApplication } from './write-application.js'

/** Must be called in a transaction, which is rolled back if this returns false. */
export function* saveApplication(
  dialect: Dialect,
  record: ApplicationRecord,
  audit: NewAuditRecord | undefined,
  emails: readonly EmailChange[],
): Work<boolean> {
  const { id, status } = record
  if (!(yield* writeApplication(dialect, record, audit?.at ?? Date.now()))) return false
  for (const change of emails) if (!(yield* changeEmails(id, change))) return false
  if (status === 'deleted') yield* run('DELETE FROM platform_auth_refusals WHERE application_id = ?1', id)
  yield* dialect.publish({ kind: 'application', id }, audit)
  return true
}

/** Adds the applications that nothing keeps out, in a transaction; without `write`, only tells what would become of each. */
export function* addApplications(
  dialect: Dialect,
  applications: readonly NewApplication[],
  { write }: { readonly write: boolean },
): Work<readonly AddOutcome[]> {
  const outcomes: AddOutcome[] = []
  for (const application of applications) {
    const outcome = (yield* findObstacle(dialect, application)) ?? 'added'
    outcomes.push(outcome)
    if (!write || outcome !== 'added') continue
    const { record, audit } = application
    if (yield* writeApplication(dialect, record, audit.at)) continue
    throw new Error(`The application ${record.id} was added by another process at the same time.`)
  }
  if (!write) return outcomes
  // This comes last, because it locks the feed for all other changes.
  for (const [index, { record, audit }] of applications.entries()) {
    if (outcomes[index] === 'added') yield* dialect.publish({ kind: 'application', id: record.id }, audit)
  }
  return outcomes
}

function* findObstacle(
  { formatGiven }: Dialect,
  { record, otherHashes }: NewApplication,
): Work<Exclude<AddOutcome, 'added'> | undefined> {
  const { id, externalId, keys, secrets } = record
  const text = `
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM platform_auth_applications WHERE id = ?2) THEN 'exists'
    WHEN EXISTS (SELECT 1 FROM platform_auth_applications WHERE external_id = ?3) THEN 'externalIdTaken'
    WHEN EXISTS (SELECT 1 FROM platform_auth_credentials WHERE hash IN (SELECT given.hash FROM ${formatGiven({ hash: 'text' })}))
      THEN 'credentialTaken'
  END AS outcome`
  const hashes = [...[...keys, ...secrets].map(({ hash }) => hash), ...otherHashes].map((hash) => ({ hash }))
  const found = yield* getOften<{ outcome: Exclude<AddOutcome, 'added'> | null }>(
    text,
    JSON.stringify(hashes),
    id,
    externalId,
  )
  return found?.outcome ?? undefined
}
