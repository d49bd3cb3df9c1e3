import type { ApplicationRecord, CredentialRecord, KeySetRecord } from '../../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Applications } from '../applications-api.js'
import {
  findCredential,
  findLiveCredential,
  limitExpiry,
  refuseTakenName,
  removeCredentials,
  LISTS,
  addCredential,
} from './credential-lists.js'
import type { CredentialKind, Credentials } from './credentials.js'
import { cancelEmails, listQueuedEmails } from '../queue/queued-emails.js'
import { endTokens, refuseDeleted } from '../records/status.js'
import { readCredentialName, readExpiresAt, readFlag, readNetworks } from '../records/validation.js'
import { createChange, type CallParts } from '../call-parts.js'
import type { Api } from '../../../shared/contracts/api.js'
import type { Application, CredentialInfo } from '../application.js'
import { isContact } from '../contacts/contact-lists.js'
import { toApplication, toCredentialInfo } from '../records/application-info.js'
import type { AddCredentialOptions } from '../call-options.js'
import { createKeySetRecord, describeKeySet, readKeySetSource, type KeySetReader } from './key-sets.js'
import { readRestriction } from '../records/grants.js'

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

/** Details of audit records: the e-mails that a change has cancelled. */
export function describeCancelled(emails: readonly QueuedEmail[]): { cancelledEmails?: readonly string[] } {
  return emails.length > 0 ? { cancelledEmails: emails.map(({ purpose }) => purpose) } : {}
}

function formatEnd(expiresAt: number | null | undefined): string | null {
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

export function createCredentialCreation(
  options: Omit<CallParts<Credentials>, 'store'> &
    Pick<KeySetReader, 'internalHosts'> & { readonly apis: ReadonlyMap<string, Api> },
): Pick<Applications, 'addKey' | 'addSecret' | 'addKeySet'> {
  const { apis, writer, opened, internalHosts, now } = options

  async function add(
    id: string,
    kind: CredentialKind,
    given: AddCredentialOptions,
    readKeySet?: () => Promise<KeySetRecord>,
  ): Promise<{ application: Application; credential: CredentialInfo; plain: string }> {
    const name = readCredentialName(given.name, given.by)
    const createdAt = now()
    const expiresAt = given.expiresAt === undefined ? undefined : readExpiresAt(given.expiresAt, createdAt)
    const restrict = readRestriction(apis, kind, given)
    const networks = given.networks === undefined ? undefined : readNetworks(given.networks)
    const keySet = await readKeySet?.()
    const credentials = await opened()
    const event = { type: 'application.credentialAdded', by: given.by } as const
    const { record, result } = await writer.change(id, event, (current) => {
      refuseDeleted(current, keySet ? 'addKeySet' : kind === 'key' ? 'addKey' : 'addSecret')
      const list = current[LISTS[kind]]
      refuseTakenName(list, kind, name, createdAt)
      const restriction = restrict(current)
      const latest = writer.findLatestExpiry({ kind, granted: current.apis, restriction }, createdAt)
      const end = limitExpiry(expiresAt ?? null, latest, createdAt)
      const terms = { name, apis: restriction, networks, expiresAt: end }
      const minted = keySet
        ? { plain: '', record: createKeySetRecord(keySet, createdAt, terms) }
        : credentials.mint(kind, createdAt, terms)
      return {
        changed: { [LISTS[kind]]: addCredential(list, minted.record, createdAt) },
        details: {
          ...describeCredential(kind, minted.record),
          ...(terms.expiresAt !== undefined && { expiresAt: formatEnd(terms.expiresAt) }),
          ...(terms.apis && { apis: terms.apis }),
          ...(networks && { networks }),
          ...(keySet && { keySet: describeKeySet(keySet) }),
        },
        ends: [{ credentialId: minted.record.id, at: expiresAt ?? undefined, decidesAll: true }],
        result: minted,
      }
    })
    const { plain, record: minted } = result!
    const { credential } = findCredential(record, minted.id)
    return { application: toApplication(record, createdAt), credential: toCredentialInfo(credential), plain }
  }

  return {
    async addKey(id, given) {
      const { plain, ...added } = await add(id, 'key', given)
      return { ...added, credentials: { clientId: plain } }
    },
    async addSecret(id, given) {
      const { plain, ...added } = await add(id, 'secret', given)
      return { ...added, credentials: { clientSecret: plain } }
    },
    async addKeySet(id, given) {
      const reader = { now: now(), internalHosts, isByOperator: !isContact(given.by) }
      const { application, credential } = await add(id, 'secret', given, () => readKeySetSource(given, reader))
      return { application, credential }
    },
  }
}
