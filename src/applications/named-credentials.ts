import type { ApplicationRecord, CredentialRecord, QueuedEmail, Store } from '../contracts/store.js'
import type { ApplicationWriter } from './application-writer.js'
import { toApplication, type Applications } from './applications-api.js'
import { findLatestExpiry, refuseLaterExpiry, type MaximumAges } from './credential-expiry.js'
import { findCredential, findLiveCredential, LISTS, refuseTakenName, removeCredentials } from './credential-lists.js'
import type { CredentialKind } from './credentials.js'
import { cancelEmails, listQueuedEmails } from './queued-emails.js'
import { endTokens, refuseDeleted } from './status.js'
import { readName, readExpiresAt, readRevokeTokens } from './validation.js'

interface NamedCredentialsOptions {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  /** Undefined in a process without the platform's options. */
  readonly maximumAges?: MaximumAges
  readonly now: () => number
}

/** The calls that change one credential and need the store alone. */
export function createNamedCredentials(
  options: NamedCredentialsOptions,
): Pick<Applications, 'updateCredential' | 'endCredential'> {
  const { store, writer, opened, maximumAges, now } = options

  /** A credential that was made before there was a maximum age may keep what it has, and nothing may exceed both. */
  function refuseLongerLife(
    { apis: granted }: ApplicationRecord,
    kind: CredentialKind,
    { apis: restriction, createdAt, expiresAt: stored }: CredentialRecord,
    expiresAt: number | undefined,
  ): void {
    const latest = findLatestExpiry(maximumAges, { kind, granted, restriction }, createdAt)
    if (latest !== undefined && stored !== undefined) refuseLaterExpiry(expiresAt, Math.max(latest, stored))
  }

  return {
    async updateCredential(id, credentialId, { name: givenName, expiresAt: givenEnd, by }) {
      const name = givenName === undefined ? undefined : readName(givenName)
      const expiresAt = givenEnd === undefined ? undefined : readExpiresAt(givenEnd, now())
      await opened()
      const { record } = await writer.change(id, { type: 'application.credentialUpdated', by }, (current) => {
        refuseDeleted(current, 'updateCredential')
        const { kind, credential } = findLiveCredential(current, credentialId, now())
        if (name !== undefined && name !== credential.name) refuseTakenName(current[LISTS[kind]], kind, name, now())
        if (expiresAt !== undefined) refuseLongerLife(current, kind, credential, expiresAt ?? undefined)
        const changes = {
          ...(name !== undefined && { name }),
          ...(expiresAt !== undefined && { expiresAt: expiresAt ?? undefined }),
        }
        const details = {
          ...describeCredential(kind, { ...credential, ...changes }),
          ...(name !== undefined && name !== credential.name && { formerName: credential.name }),
          ...(expiresAt !== undefined && { expiresAt: formatEnd(expiresAt) }),
        }
        return { changed: replaceById(current, kind, { ...credential, ...changes }), details }
      })
      return toApplication(record, now())
    },
    async endCredential(id, credentialId, { by, revokeTokens } = {}) {
      const endsTokens = readRevokeTokens(revokeTokens)
      await opened()
      const { record } = await writer.change(id, { type: 'application.credentialEnded', by }, async (current) => {
        refuseDeleted(current, 'endCredential')
        const { kind, credential } = findCredential(current, credentialId)
        // Nothing is left for them to replace.
        const replacing = (await listQueuedEmails(store, id)).filter((email) => email.credentialId === credentialId)
        const { changed, emails } = cancelEmails(current, replacing)
        return {
          changed: {
            ...removeCredentials({ ...current, ...changed }, [credential.hash]),
            ...(endsTokens && endTokens(current, now())),
          },
          details: { ...describeCredential(kind, credential), ...describeCancelled(replacing) },
          emails,
        }
      })
      return toApplication(record, now())
    },
  }
}

/** Details of audit records: which credential it was. */
export function describeCredential(
  kind: CredentialKind,
  { id, name, prefix }: Pick<CredentialRecord, 'id' | 'name' | 'prefix'>,
): { credential: CredentialKind; credentialId: string; name: string; prefix: string } {
  return { credential: kind, credentialId: id, name, prefix }
}

/** Details of audit records: the e-mails that a change has cancelled. */
export function describeCancelled(emails: readonly QueuedEmail[]): { cancelledEmails?: readonly string[] } {
  return emails.length > 0 ? { cancelledEmails: emails.map(({ purpose }) => purpose) } : {}
}

/** For audit records. */
export function formatEnd(expiresAt: number | null | undefined): string | null {
  return typeof expiresAt === 'number' ? new Date(expiresAt).toISOString() : null
}

function replaceById(
  current: ApplicationRecord,
  kind: CredentialKind,
  changed: CredentialRecord,
): Partial<ApplicationRecord> {
  const list = LISTS[kind]
  return { [list]: current[list].map((record) => (record.id === changed.id ? changed : record)) }
}
