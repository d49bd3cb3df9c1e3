import type { Application, CredentialInfo, InvitationInfo, AccessRequestInfo } from '../application.js'
import type {
  AccessRequest,
  ApplicationRecord,
  CredentialRecord,
  Invitation,
  KeySetRecord,
} from '../../../shared/contracts/application-record.js'
import { findWaitingSince } from '../../../shared/contracts/application-order.js'
import { copyJson } from '../../../shared/lib/plain-json.js'
import { listContacts, listOpenInvitations } from '../contacts/contact-lists.js'
import { isLive } from '../credentials/credentials.js'
import { hasOwnMember } from '../../../shared/lib/own-members.js'

export function toApplication(record: ApplicationRecord, now: number): Application {
  const { id, name, contact, language, status, externalId, keys, secrets, createdAt } = record
  const showLive = (credentials: readonly CredentialRecord[]): CredentialInfo[] =>
    credentials.filter((credential) => isLive(credential, now)).map(toCredentialInfo)
  return {
    id,
    name,
    contact,
    contacts: listContacts(record),
    invitations: listOpenInvitations(record, now).map(toInvitationInfo),
    language,
    status,
    apis: structuredClone(record.apis),
    accessRequests: record.accessRequests.map(toAccessRequestInfo),
    waitingSince: toDate(findWaitingSince(record)),
    rateLimits: listLimits(record, now),
    networks: record.networks && [...record.networks],
    plan: record.plan,
    resourceServer: record.resourceServer && [...record.resourceServer],
    acceptedTerms: record.acceptedTerms && { ...record.acceptedTerms, at: new Date(record.acceptedTerms.at) },
    externalId,
    metadata: copyJson(record.metadata),
    keys: showLive(keys),
    secrets: showLive(secrets),
    lastUsedAt: toDate(record.lastUsedAt),
    createdAt: new Date(createdAt),
  }
}

function listLimits({ rateLimits = {} }: ApplicationRecord, now: number): Application['rateLimits'] {
  const live = Object.entries(rateLimits).filter(([, { until = Infinity }]) => until > now)
  return Object.fromEntries(
    live.map(([api, { limit, window, until }]) => [api, { limit, window, until: toDate(until) }]),
  )
}

export function toCredentialInfo(record: CredentialRecord): CredentialInfo {
  const { id, name, prefix, createdAt, expiresAt, lastUsedAt, apis, networks, keySet } = record
  return {
    id,
    name,
    prefix,
    createdAt: new Date(createdAt),
    expiresAt: toDate(expiresAt),
    lastUsedAt: toDate(lastUsedAt),
    apis: structuredClone(apis),
    networks: networks && [...networks],
    ...(keySet && { keySet: toKeySetInfo(keySet) }),
  }
}

function toKeySetInfo(keySet: KeySetRecord): NonNullable<CredentialInfo['keySet']> {
  if (hasOwnMember(keySet, 'keys')) return { keys: structuredClone(keySet.keys) }
  const { address, outage } = keySet
  return { jwksUri: address, ...(outage && { unreadableSince: new Date(outage.since) }) }
}

function toInvitationInfo({ address, createdAt, expiresAt, by }: Invitation): InvitationInfo {
  return { address, createdAt: new Date(createdAt), expiresAt: new Date(expiresAt), by }
}

function toAccessRequestInfo({ api, scopes, requestedAt, by }: AccessRequest): AccessRequestInfo {
  return { api, scopes: [...scopes], requestedAt: new Date(requestedAt), by }
}

function toDate(milliseconds: number | undefined): Date | undefined {
  return milliseconds === undefined || milliseconds === Infinity ? undefined : new Date(milliseconds)
}
