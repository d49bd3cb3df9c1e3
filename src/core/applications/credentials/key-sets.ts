import type {
  ApplicationRecord,
  CredentialRecord,
  KeySetRecord,
  PublicJwk,
} from '../../../shared/contracts/application-record.js'
import { ApplicationError, toSentence, invalidArgument } from '../../../shared/contracts/errors.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import { isFollowable } from '../../../shared/lib/followable.js'
import { formatKeySet, parseKeySetText } from '../../../shared/lib/key-set-text.js'
import { copyOwn, hasOwnMember, isObject, ownMembers } from '../../../shared/lib/own-members.js'
import type { Application } from '../application.js'
import type { Applications } from '../applications-api.js'
import { createChange, type CallParts } from '../call-parts.js'
import { findAddressProblem, KeySetProblem, readHost, readKeySet } from '../../key-sets/public-key-set.js'
import { isContact } from '../contacts/contact-lists.js'
import { readDetails } from '../queue/queued-emails.js'
import { endTokens, refuseDeleted } from '../records/status.js'
import { readFlag } from '../records/validation.js'
import { findLiveCredential } from './credential-lists.js'
import { createCredentialId, createCredentialRecord, DEFAULT_TERMS, type CredentialTerms } from './credentials.js'
import { describeCredential } from './named-credentials.js'

const SHOWN = 'private_key_jwt'

export function createKeySetReplacement(
  options: CallParts & Pick<KeySetReader, 'internalHosts'>,
): Pick<Applications, 'replaceKeySet' | 'reloadKeySet'> {
  const { internalHosts, now } = options
  const change = createChange(options)

  function replace(
    call: 'replaceKeySet' | 'reloadKeySet',
    { id, credentialId, by }: { readonly id: string; readonly credentialId: string; readonly by: string | undefined },
    edit: (former: KeySetRecord, current: ApplicationRecord) => readonly [KeySetRecord, Partial<ApplicationRecord>?],
  ): Promise<Application> {
    return change(id, 'application.credentialUpdated', by, (current) => {
      refuseDeleted(current, call)
      const { kind, credential } = findLiveCredential(current, credentialId, now())
      if (!credential.keySet) throw invalidArgument(`credential: ${credentialId} is a ${kind}, not a key set.`)
      const [keySet, others] = edit(credential.keySet, current)
      const secrets = current.secrets.map((each) => (each.id === credentialId ? { ...each, keySet } : each))
      return {
        changed: { secrets, ...others },
        details: { ...describeCredential(kind, credential), keySet: describeKeySet(keySet) },
      }
    })
  }

  return {
    async replaceKeySet(id, credentialId, given) {
      const { by, revokeTokens } = given
      const endsTokens = readFlag('revokeTokens', revokeTokens)
      const keySet = readKeySetSource(given, { now: now(), internalHosts, isByOperator: !isContact(by) })
      return replace('replaceKeySet', { id, credentialId, by }, (_, current) => [
        keySet,
        endsTokens ? endTokens(current, now()) : {},
      ])
    },
    reloadKeySet: (id, credentialId, { by } = {}) =>
      replace('reloadKeySet', { id, credentialId, by }, (former) => {
        if (hasOwnMember(former, 'address')) return [{ ...former, reloadedAt: now() }]
        throw invalidArgument(
          `credential: ${credentialId} has its keys, not an address that can be read again. Replace them with replaceKeySet().`,
        )
      }),
  }
}

export interface KeySetReader {
  readonly now: number
  /** The option `clientAssertions.allow`. */
  readonly internalHosts: readonly string[]
  readonly isByOperator?: boolean
}

export function createKeySetRecord(
  keySet: KeySetRecord,
  createdAt: number,
  terms: CredentialTerms = DEFAULT_TERMS,
): CredentialRecord {
  const id = createCredentialId()
  // No text that is presented has this hash.
  const record = createCredentialRecord({ id, hash: `key-set:${id}`, prefix: SHOWN, createdAt }, terms)
  return { ...record, keySet }
}

/** Only operators (`isByOperator`) may name an address at one of the `internalHosts`: others would look into the network. */
export function readKeySetSource(
  given: unknown,
  { now, internalHosts, isByOperator = false }: KeySetReader,
): KeySetRecord {
  const { jwks, jwksUri } = ownMembers<Record<string, unknown>>(isObject(given) ? given : {})
  if ((jwks === undefined) === (jwksUri === undefined)) throw invalidArgument('A key set needs either jwks or jwksUri.')
  if (jwksUri !== undefined) {
    const problem = typeof jwksUri === 'string' ? findAddressProblem(jwksUri) : 'is no text'
    if (problem !== undefined) throw invalidArgument(toSentence(`jwksUri ${problem}`))
    const address = jwksUri as string
    if (isByOperator) return ownMembers({ address, reloadedAt: now, byOperator: true } as const)
    if (internalHosts.includes(readHost(address)))
      throw invalidArgument(
        "jwksUri is at a host inside the platform's own network, which only its operators can name.",
      )
    return ownMembers({ address, reloadedAt: now })
  }
  try {
    return copyOwn({ keys: readKeySet(jwks, { ignoreOthers: false }) }) as KeySetRecord
  } catch (error) {
    if (!(error instanceof KeySetProblem)) throw error
    throw invalidArgument(toSentence(`jwks ${error.message}`))
  }
}

/** Reads the field of a form. `refused`: what is wrong, in English only. */
export function readKeySetText(text: string, reader: KeySetReader) {
  try {
    const source = parseKeySetText(text)
    readKeySetSource(source, reader)
    return { source }
  } catch (error) {
    if (error instanceof ApplicationError) return { refused: error.message }
    throw error
  }
}

/** The key set with which an application was registered: it becomes a credential when its e-mail is sent. */
export function createRegisteredKeySet(
  { details }: Pick<QueuedEmail, 'details'>,
  createdAt: number,
  terms?: CredentialTerms,
): CredentialRecord | undefined {
  const { keySet } = readDetails({ details })
  return isObject(keySet) ? createKeySetRecord(keySet as unknown as KeySetRecord, createdAt, terms) : undefined
}

/** A line for each public key of a key set, or its address; undefined for another credential. */
export function formatRecordedKeySet(record: Pick<CredentialRecord, 'keySet'> | undefined) {
  const keySet = record?.keySet
  return keySet && formatKeySet(hasOwnMember(keySet, 'keys') ? keySet : { jwksUri: keySet.address })
}

/**
 * The same for an e-mail to an address that a stranger may have entered: no `kid` that a mail program turns into something to follow, and of
 * an address the host alone, as `jwks[.]partner[.]example`.
 */
export function formatMailedKeySet(
  keySet: { readonly keys: readonly PublicJwk[] } | { readonly address: string },
): readonly string[] {
  if (hasOwnMember(keySet, 'keys')) {
    const hide = ({ kid = '', ...jwk }: PublicJwk) => (kid === '' || isFollowable(kid) ? jwk : { ...jwk, kid })
    return formatKeySet({ keys: keySet.keys.map(hide) })
  }
  const host = new URL(keySet.address).hostname.replaceAll('.', '[.]')
  return isFollowable(host) ? [] : [host]
}

export function describeKeySet(keySet: KeySetRecord): object {
  return hasOwnMember(keySet, 'keys')
    ? { keys: keySet.keys.map(({ kid, kty, crv }) => ({ ...(kid !== undefined && { kid }), type: crv ?? kty })) }
    : { jwksUri: keySet.address }
}
