import type { ApplicationRecord, CredentialRecord } from '../../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Applications } from '../applications-api.js'
import {
  findCredential,
  findLiveCredential,
  limitExpiry,
  refuseTakenName,
  removeCredentials,
} from './credential-lists.js'
import { LISTS, type CredentialKind } from './credentials.js'
import { cancelEmails, listQueuedEmails } from '../queue/queued-emails.js'
import { endTokens, refuseDeleted } from '../records/status.js'
import { readCredentialName, readExpiresAt, readFlag, readNetworks } from '../records/validation.js'
import { createChange, type CallParts } from '../call-parts.js'

export function createNamedCredentials(options: CallParts): Pick<Applications, 'updateCredential' | 'endCredential'> {
  const { store, writer, now } = options
  const change = createChange(options)

  return {
    async updateCredential(id, credentialId, { name: givenName, expiresAt: givenEnd, networks: given, by }) {
      const name = givenName === undefined ? undefined : readCredentialName(givenName, by)
      const expiresAt = givenEnd === undefined ? undefined : readExpiresAt(givenEnd, now())
      const networks = given === undefined ? undefined : { networks: readNetworks(given) }
      return change(id, 'application.credentialUpdated', by, (current) => {
        refuseDeleted(current, 'updateCredential')
        const { kind, credential } = findLiveCredential(current, credentialId, now())
        if (name !== undefined && name !== credential.name) refuseTakenName(current[LISTS[kind]], kind, name, now())
        const use = { kind, granted: current.apis, restriction: credential.apis }
        const latest = writer.findLatestExpiry(use, credential.createdAt)
        const { expiresAt: stored } = credential
        // A credential that was made before there was a maximum age keeps what it has: an earlier end is always possible.
        const limit = latest === undefined || stored === undefined ? undefined : Math.max(latest, stored)
        const end = expiresAt === undefined ? undefined : limitExpiry(expiresAt, limit, now())
        const changes = {
          ...(name !== undefined && { name }),
          // The writer forgets the reminders of a former end, and no others: each is sent once.
          ...(expiresAt !== undefined && { expiresAt: end }),
          ...networks,
        }
        const details = {
          ...describeCredential(kind, { ...credential, ...changes }),
          ...(name !== undefined && name !== credential.name && { formerName: credential.name }),
          ...(expiresAt !== undefined && { expiresAt: formatEnd(end) }),
          ...(networks && { networks: networks.networks ?? null }),
        }
        return {
          changed: replaceById(current, kind, { ...credential, ...changes }),
          details,
          ...(expiresAt !== undefined && { ends: [{ credentialId, at: expiresAt ?? undefined }] }),
        }
      })
    },
    async endCredential(id, credentialId, { by, revokeTokens } = {}) {
      const endsTokens = readFlag('revokeTokens', revokeTokens)
      return change(id, 'application.credentialEnded', by, async (current) => {
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
    },
  }
}

export function describeCredential(
  kind: CredentialKind,
  { id, name, prefix, keySet }: Pick<CredentialRecord, 'id' | 'name' | 'prefix' | 'keySet'>,
): { credential: CredentialKind | 'keySet'; credentialId: string; name: string; prefix: string } {
  return { credential: keySet ? 'keySet' : kind, credentialId: id, name, prefix }
}

export function describeCancelled(emails: readonly QueuedEmail[]): { cancelledEmails?: readonly string[] } {
  return emails.length > 0 ? { cancelledEmails: emails.map(({ purpose }) => purpose) } : {}
}

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
