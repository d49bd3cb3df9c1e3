import { ApplicationError } from '../../contracts/errors.js'
import type {
  ApplicationRecord,
  CredentialRecord,
  GrantedApis,
  OperatorEnd,
  Withheld,
} from '../../contracts/application-record.js'
import type { NewAuditRecord } from '../../contracts/store-records.js'
import type { CredentialKind } from './credentials.js'
import { isLive } from './credentials.js'
import { joinWithheld } from '../records/withheld.js'

/** The end (`at`; undefined for none any more) that an operator gave a credential. */
export interface GivenEnd extends Omit<OperatorEnd, 'at' | 'apis'> {
  readonly at: number | undefined
}

/**
 * A record with the ends that operators gave, after a change. A new credential without an end of its own gets the end of the one that
 * it replaces, and no later one than `findEndBound`: so do those of e-mails and recoveries.
 */
export function settleEnds(
  current: ApplicationRecord,
  changed: ApplicationRecord,
  given: readonly GivenEnd[],
  now: number,
): ApplicationRecord {
  if (changed.status === 'deleted') return { ...changed, withheld: undefined }
  const ends = new Map<string, OperatorEnd>((current.withheld?.ends ?? []).map((end) => [end.credentialId, end]))
  for (const { credentialId, at } of given) if (at === undefined) ends.delete(credentialId)
  const settle = (kind: CredentialKind) => (credential: CredentialRecord) => {
    const { id } = credential
    const own = given.find(({ credentialId }) => credentialId === id)
    const isKnown = own !== undefined || listOf(current, kind).some((each) => each.id === id)
    const limit = isKnown ? undefined : findLimit(current, kind, credential, now)
    const at = own?.at ?? (limit !== undefined && limit > now ? limit : ends.get(id)?.at)
    if (at !== undefined) ends.set(id, describeEnd(kind, credential, at))
    return isKnown || at === undefined ? credential : limitEnd(credential, at)
  }
  const record = { ...changed, keys: changed.keys.map(settle('key')), secrets: changed.secrets.map(settle('secret')) }
  const kept = [...ends.values()].filter((end) => counts(record, end, now))
  const { apis = {}, networks } = changed.withheld ?? {}
  return { ...record, withheld: joinWithheld({ apis, ends: kept, networks }) }
}

/** The withheld access of an imported application: the file gives its credentials their ends. */
export function withholdEnds({ keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>): Withheld | undefined {
  const list = (kind: CredentialKind, records: readonly CredentialRecord[]): OperatorEnd[] =>
    records.flatMap((each) => (each.expiresAt === undefined ? [] : [describeEnd(kind, each, each.expiresAt)]))
  const ends = [...list('key', keys), ...list('secret', secrets)]
  return ends.length > 0 ? { apis: {}, ends } : undefined
}

/**
 * The latest end of what a contact adds: where it works for an API for which every live credential of that kind has an operator's
 * end, the latest of these; of several APIs the earliest. Undefined if there is no such API.
 */
export function findEndBound(
  record: ApplicationRecord,
  kind: CredentialKind,
  now: number,
  restriction?: GrantedApis,
): number | undefined {
  const ends = (record.withheld?.ends ?? []).filter((end) => end.kind === kind)
  const live = listNewest(record, kind, now)
  const bounds = listApis(record, ends).flatMap((api) => {
    if (!isUsable(restriction && Object.keys(restriction), api)) return []
    const usable = live.filter(({ apis }) => isUsable(apis && Object.keys(apis), api))
    const isMarked = usable.every(({ id }) => ends.some(({ credentialId }) => credentialId === id))
    const counted = ends.filter(({ apis, credentialId }) =>
      usable.length > 0 ? usable.some(({ id }) => id === credentialId) : isUsable(apis, api),
    )
    return isMarked && counted.length > 0 ? [Math.max(...counted.map(({ at }) => at))] : []
  })
  return bounds.length > 0 ? Math.min(...bounds) : undefined
}

/** The latest end of a new credential, which is also bound by the end of the credential of its name that it replaces. */
function findLimit(
  record: ApplicationRecord,
  kind: CredentialKind,
  { name, apis }: CredentialRecord,
  now: number,
): number | undefined {
  const replaced = listNewest(record, kind, now).find((each) => each.name === name)
  const own = record.withheld?.ends?.find(({ credentialId }) => credentialId === replaced?.id)?.at
  const bound = findEndBound(record, kind, now, apis)
  return own === undefined || bound === undefined ? (own ?? bound) : Math.min(own, bound)
}

interface ContactEdit {
  readonly changed: Partial<ApplicationRecord>
  readonly details?: NewAuditRecord['details']
}

/**
 * Bounds the ends in a contact's change by those of an operator. Throws with code `invalid_state` for a new credential if that
 * end has passed.
 */
export function boundEnds<Edit extends ContactEdit>(
  current: ApplicationRecord,
  edited: Edit,
  now: number,
): Edit & { readonly ends: readonly GivenEnd[] } {
  const ends: GivenEnd[] = []
  let details = edited.details
  const bound = (kind: CredentialKind) => (credential: CredentialRecord) => {
    const { id, expiresAt } = credential
    const former = listOf(current, kind).find((each) => each.id === id)
    const own = current.withheld?.ends?.find(({ credentialId }) => credentialId === id)?.at
    const at = former ? own : findLimit(current, kind, credential, now)
    if (at === undefined || (former && former.expiresAt === expiresAt)) return credential
    if (at <= now) throw createEndedError(current.id, kind, at)
    ends.push({ kind, credentialId: id, at })
    const limited = limitEnd(credential, at)
    const isNoted = details?.['credentialId'] === id && limited.expiresAt !== expiresAt
    if (isNoted) details = { ...details, expiresAt: new Date(at).toISOString() }
    return limited
  }
  const { keys, secrets } = edited.changed
  const bounded = {
    ...(keys && { keys: keys.map(bound('key')) }),
    ...(secrets && { secrets: secrets.map(bound('secret')) }),
  }
  return { ...edited, changed: { ...edited.changed, ...bounded }, ...(details && { details }), ends }
}

function limitEnd(credential: CredentialRecord, at: number): CredentialRecord {
  return { ...credential, expiresAt: Math.min(credential.expiresAt ?? Infinity, at) }
}

function describeEnd(kind: CredentialKind, { id, apis }: CredentialRecord, at: number): OperatorEnd {
  return { kind, credentialId: id, at, ...(apis && { apis: Object.keys(apis) }) }
}

/** Stands for APIs that the application may get. */
const ANY_OTHER = Symbol('any other API')
type ApiName = string | typeof ANY_OTHER

/** The APIs that make a difference. */
function listApis({ apis }: ApplicationRecord, ends: readonly OperatorEnd[]): ApiName[] {
  return [ANY_OTHER, ...new Set([...Object.keys(apis), ...ends.flatMap((end) => end.apis ?? [])])]
}

/** Whether a credential works for an API. `apis`: what it is restricted to; none for a key that only says who the client is. */
function isUsable(apis: readonly string[] | undefined, api: ApiName): boolean {
  return apis === undefined || (typeof api === 'string' && apis.includes(api))
}

/** The end of a credential that is gone counts while no other works for one of its APIs. */
function counts(record: ApplicationRecord, end: OperatorEnd, now: number): boolean {
  const live = listNewest(record, end.kind, now)
  if (live.some(({ id }) => id === end.credentialId)) return true
  return listApis(record, [end]).some(
    (api) => isUsable(end.apis, api) && !live.some(({ apis }) => isUsable(apis && Object.keys(apis), api)),
  )
}

/** The newest live credential of each name: one that was replaced ends by itself. */
function listNewest(record: ApplicationRecord, kind: CredentialKind, now: number): CredentialRecord[] {
  const live = listOf(record, kind).filter((each) => isLive(each, now))
  return live.filter(({ name }, index) => live.findIndex((each) => each.name === name) === index)
}

function listOf({ keys, secrets }: ApplicationRecord, kind: CredentialKind): readonly CredentialRecord[] {
  return kind === 'key' ? keys : secrets
}

function createEndedError(id: string, kind: CredentialKind, at: number): ApplicationError {
  return new ApplicationError(
    'invalid_state',
    `The operator of application ${id} ended its ${kind}s at ${new Date(at).toISOString()}: only an operator can add another.`,
  )
}
