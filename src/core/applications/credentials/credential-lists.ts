import { ApplicationError, invalidArgument, invalidState } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord, CredentialRecord } from '../../../shared/contracts/application-record.js'
import type { CredentialUse } from './credential-expiry.js'
import {
  DEFAULT_NAME,
  isLive,
  LISTS,
  MAX_LIVE_CREDENTIALS,
  type CredentialKind,
  type CredentialTerms,
  type MintedCredentials,
} from './credentials.js'

type CredentialLists = Pick<ApplicationRecord, 'keys' | 'secrets'>

/** The list with a new credential. Expired ones stay while there is room, so that their refusal tells the reason. */
export function addCredential(records: readonly CredentialRecord[], added: CredentialRecord, now: number) {
  const live = records.filter((record) => isLive(record, now)).length
  if (live >= MAX_LIVE_CREDENTIALS)
    throw new ApplicationError(
      'too_many_credentials',
      `The application has ${MAX_LIVE_CREDENTIALS} live credentials of this kind, and can have no more. End one with endCredential(), or rotate one with overlap: 0.`,
    )
  let room = MAX_LIVE_CREDENTIALS - 1 - live
  return [added, ...records.filter((record) => isLive(record, now) || room-- > 0)]
}

export function isFull(records: readonly CredentialRecord[], now: number): boolean {
  return records.filter((record) => isLive(record, now)).length >= MAX_LIVE_CREDENTIALS
}

export function replaceCredential(
  records: readonly CredentialRecord[],
  added: CredentialRecord,
  now: number,
  overlap: number,
): readonly CredentialRecord[] {
  return addCredential(retireOthers(records, added, now, overlap), added, now)
}

/** The newest live one of that name works until the overlap (seconds) ends; others go. A key set is not replaced. */
export function retireOthers(
  records: readonly CredentialRecord[],
  { name, hash }: CredentialRecord,
  now: number,
  overlap: number,
): readonly CredentialRecord[] {
  const others = records.filter((record) => record.name === name && record.hash !== hash && !record.keySet)
  const newest = others.find((record) => isLive(record, now))
  const end = now + overlap * 1000
  return records.flatMap((record) => {
    if (!others.includes(record)) return [record]
    if (record !== newest || end <= now) return []
    return [{ ...record, expiresAt: Math.min(record.expiresAt ?? Infinity, end) }]
  })
}

export function removeCredentials({ keys, secrets }: CredentialLists, hashes: readonly string[]): CredentialLists {
  const stays = ({ hash }: CredentialRecord): boolean => !hashes.includes(hash)
  return { keys: keys.filter(stays), secrets: secrets.filter(stays) }
}

export function listHashes({ key, secret }: MintedCredentials): string[] {
  return [key, secret].flatMap((minted) => (minted ? [minted.record.hash] : []))
}

export function findNewest(records: readonly CredentialRecord[], name: string, now: number) {
  return records.find((record) => record.name === name && isLive(record, now))
}

/**
 * The terms that a new credential takes from the one of its name that it replaces: the newest live one. An expired one still
 * passes on its restriction: a credential that waited for an e-mail must not allow more than before. An end that comes from the
 * maximum age is not passed on: the new one has its own.
 */
export function inheritTerms(
  application: Pick<ApplicationRecord, 'keys' | 'secrets' | 'apis'>,
  kind: CredentialKind,
  name: string,
  options: InheritOptions,
): CredentialTerms {
  const records = application[LISTS[kind]]
  const live = findNewest(records, name, options.now)
  const replaced = live ?? records.find((record) => record.name === name)
  const expiresAt = live && findOwnEnd(application, kind, live, options)
  return { name, apis: replaced?.apis, networks: replaced?.networks, expiresAt }
}

/** Whether every credential of that name has expired, and the newest one by an end that was set: nothing may replace it. */
export function hasEnded(
  application: Pick<ApplicationRecord, 'keys' | 'secrets' | 'apis'>,
  kind: CredentialKind,
  name: string,
  options: InheritOptions,
): boolean {
  const records = application[LISTS[kind]]
  const newest = records.find((record) => record.name === name)
  if (!newest || findNewest(records, name, options.now)) return false
  return findOwnEnd(application, kind, newest, options) !== undefined
}

interface InheritOptions {
  readonly findLatestExpiry: (use: CredentialUse, createdAt: number) => number | undefined
  readonly now: number
}

/** The end that was set; undefined if the maximum age alone ends the credential. */
function findOwnEnd(
  { apis: granted }: Pick<ApplicationRecord, 'apis'>,
  kind: CredentialKind,
  { apis: restriction, createdAt, expiresAt = Infinity }: CredentialRecord,
  { findLatestExpiry }: InheritOptions,
): number | undefined {
  const latest = findLatestExpiry({ kind, granted, restriction }, createdAt) ?? Infinity
  return expiresAt < latest ? expiresAt : undefined
}

/** The end that an operator gives; the latest possible for null. Throws `invalid_argument` if that is too late. */
export function limitExpiry(given: number | null, latest: number | undefined, now: number): number | undefined {
  if (latest === undefined || (given !== null && given <= latest)) return given ?? undefined
  if (given === null && latest > now) return latest
  throw invalidArgument(
    latest > now
      ? `expiresAt is later than the maximum age of credentials allows; the latest is ${new Date(latest).toISOString()}.`
      : 'The credential is older than the maximum age allows, so that its end cannot be put off. Rotate it.',
  )
}

export function findCredential(
  { id, keys, secrets }: Pick<ApplicationRecord, 'id' | 'keys' | 'secrets'>,
  credentialId: string,
): { readonly kind: CredentialKind; readonly credential: CredentialRecord } {
  const key = keys.find((record) => record.id === credentialId)
  const credential = key ?? secrets.find((record) => record.id === credentialId)
  if (credential) return { kind: key ? 'key' : 'secret', credential }
  throw new ApplicationError(
    'credential_not_found',
    `Application ${id} has no credential "${credentialId}". Their ids are in keys and secrets of get(), and in "apps show".`,
  )
}

export function findLiveCredential(record: Parameters<typeof findCredential>[0], credentialId: string, now: number) {
  const found = findCredential(record, credentialId)
  if (isLive(found.credential, now)) return found
  const expiredAt = new Date(found.credential.expiresAt!).toISOString()
  throw invalidState(
    `The credential ${credentialId} expired at ${expiredAt} and cannot be changed any more. Add a new one.`,
  )
}

/** The name that a rotation replaces: the given, or the only live. Throws `invalid_argument` if there is a choice. */
export function selectName(
  record: ApplicationRecord,
  kind: CredentialKind,
  credentialId: string | undefined,
  now: number,
): string {
  if (credentialId !== undefined) {
    const found = findLiveCredential(record, credentialId, now)
    if (found.credential.keySet) throw createKeySetError(found.credential)
    if (found.kind === kind) return found.credential.name
    throw invalidArgument(`credential: ${credentialId} is a ${found.kind}, not a ${kind}.`)
  }
  const live = record[LISTS[kind]].filter((each) => isLive(each, now) && !each.keySet)
  const [name = DEFAULT_NAME, ...others] = new Set(live.map((each) => each.name))
  const named = findNewest(record[LISTS[kind]], name, now)
  if (named?.keySet) throw createKeySetError(named)
  if (others.length === 0) return name
  const choices = live.map((each) => `${each.id} (${each.name})`).join(', ')
  throw invalidArgument(
    `Application ${record.id} has ${kind}s of several names. Give the id of one as credential: ${choices}.`,
  )
}

function createKeySetError({ id, name }: CredentialRecord): ApplicationError {
  return invalidArgument(
    `"${name}" (${id}) is a key set, which has no secret to rotate: give it other keys with replaceKeySet(), or add a secret of another name with addSecret().`,
  )
}

export function refuseTakenName(records: readonly CredentialRecord[], kind: CredentialKind, name: string, now: number) {
  const taken = findNewest(records, name, now)
  if (!taken) return
  const rotate = kind === 'key' ? 'rotateKey' : 'rotateSecret'
  throw new ApplicationError(
    'conflict',
    `There is a live ${kind} named "${name}" already (${taken.id}). Give another name, or replace that one with ${rotate}().`,
  )
}
