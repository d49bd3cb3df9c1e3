import type { Api } from '../../../shared/contracts/api.js'
import type { Application, CredentialInfo } from '../application.js'
import { isContact } from '../contacts/contact-lists.js'
import { toApplication, toCredentialInfo } from '../records/application-info.js'
import type { AddCredentialOptions } from '../call-options.js'
import type { Applications } from '../applications-api.js'
import { addCredential, findCredential, limitExpiry, refuseTakenName } from './credential-lists.js'
import { LISTS, type CredentialKind, type Credentials } from './credentials.js'
import { createKeySetRecord, describeKeySet, readKeySetSource, type KeySetReader } from './key-sets.js'
import type { KeySetRecord } from '../../../shared/contracts/application-record.js'
import { describeCredential, formatEnd } from './named-credentials.js'
import { readRestriction } from '../records/grants.js'
import { refuseDeleted } from '../records/status.js'
import { readCredentialName, readExpiresAt, readNetworks } from '../records/validation.js'
import type { CallParts } from '../call-parts.js'

export function createCredentialCreation(
  options: Omit<CallParts<Credentials>, 'store'> &
    Pick<KeySetReader, 'internalHosts'> & { readonly apis: ReadonlyMap<string, Api> },
): Pick<Applications, 'addKey' | 'addSecret' | 'addKeySet'> {
  const { apis, writer, opened, internalHosts, now } = options

  async function add(
    id: string,
    kind: CredentialKind,
    given: AddCredentialOptions,
    readKeySet?: () => KeySetRecord,
  ): Promise<{ application: Application; credential: CredentialInfo; plain: string }> {
    const name = readCredentialName(given.name, given.by)
    const createdAt = now()
    const expiresAt = given.expiresAt === undefined ? undefined : readExpiresAt(given.expiresAt, createdAt)
    const restrict = readRestriction(apis, kind, given)
    const networks = given.networks === undefined ? undefined : readNetworks(given.networks)
    const keySet = readKeySet?.()
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
