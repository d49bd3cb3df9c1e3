import { ApplicationError } from '../contracts/errors.js'
import type { ApplicationRecord, CredentialRecord, OperatorEnd, Withheld } from '../contracts/application-record.js'
import type { CredentialKind } from './credentials.js'
import { isLive } from './credentials.js'

/** The end (`at`; undefined for none any more) that an operator gave a credential. */
export interface GivenEnd extends Omit<OperatorEnd, 'at'> {
  readonly at: number | undefined
}

/** The withheld access after a change. A new credential that ends when an operator ended the one before it carries that on. */
export function settleEnds(
  current: ApplicationRecord,
  changed: ApplicationRecord,
  given: readonly GivenEnd[],
  now: number,
): Withheld | undefined {
  if (changed.status === 'deleted') return undefined
  const former = current.withheld?.ends ?? []
  const known = new Set([...current.keys, ...current.secrets].map(({ id }) => id))
  const carried = KINDS.flatMap((kind) =>
    listOf(changed, kind)
      .filter(({ id, expiresAt }) => !known.has(id) && former.some((end) => end.kind === kind && end.at === expiresAt))
      .map(({ id, expiresAt }) => ({ kind, credentialId: id, at: expiresAt })),
  )
  const ends = new Map<string, GivenEnd>()
  for (const end of [...former, ...carried, ...given]) ends.set(end.credentialId, end)
  const kept = [...ends.values()].filter((end): end is OperatorEnd => end.at !== undefined && counts(changed, end, now))
  const apis = changed.withheld?.apis ?? {}
  if (kept.length > 0) return { apis, ends: kept }
  return Object.keys(apis).length > 0 ? { apis } : undefined
}

/** The withheld access of an imported application: the file gives its credentials their ends. */
export function withholdEnds({ keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>): Withheld | undefined {
  const list = (kind: CredentialKind, records: readonly CredentialRecord[]): OperatorEnd[] =>
    records.flatMap(({ id, expiresAt: at }) => (at === undefined ? [] : [{ kind, credentialId: id, at }]))
  const ends = [...list('key', keys), ...list('secret', secrets)]
  return ends.length > 0 ? { apis: {}, ends } : undefined
}

/**
 * The latest end of a credential that a contact adds; undefined unless an operator has ended every live credential of that
 * kind.
 */
export function findEndBound(record: ApplicationRecord, kind: CredentialKind, now: number): number | undefined {
  const ends = (record.withheld?.ends ?? []).filter((end) => end.kind === kind)
  const live = listNewest(record, kind, now)
  if (ends.length === 0 || live.some(({ id }) => !ends.some((end) => end.credentialId === id))) return undefined
  return Math.max(...ends.filter((end) => counts(record, end, now)).map(({ at }) => at))
}

/**
 * What a contact changes, with ends no later than an operator's. Throws with code `invalid_state` for a new credential if that end
 * has passed.
 */
export function boundEnds(
  current: ApplicationRecord,
  changed: Partial<ApplicationRecord>,
  now: number,
): { readonly changed: Partial<ApplicationRecord>; readonly ends: readonly GivenEnd[] } {
  const ends: GivenEnd[] = []
  const bound = (kind: CredentialKind) => {
    const latest = findEndBound(current, kind, now)
    return (credential: CredentialRecord): CredentialRecord => {
      const former = listOf(current, kind).find(({ id }) => id === credential.id)
      const own = current.withheld?.ends?.find(({ credentialId }) => credentialId === credential.id)
      const at = former ? own?.at : latest
      if (at === undefined || (former && former.expiresAt === credential.expiresAt)) return credential
      if (at <= now) throw createEndedError(current.id, kind, at)
      ends.push({ kind, credentialId: credential.id, at })
      return { ...credential, expiresAt: Math.min(credential.expiresAt ?? Infinity, at) }
    }
  }
  const { keys, secrets } = changed
  const bounded = {
    ...(keys && { keys: keys.map(bound('key')) }),
    ...(secrets && { secrets: secrets.map(bound('secret')) }),
  }
  return { changed: { ...changed, ...bounded }, ends }
}

const KINDS: readonly CredentialKind[] = ['key', 'secret']

/** Ends of credentials that are gone count only while none of their kind is live. */
function counts(
  record: ApplicationRecord,
  { kind, credentialId }: Pick<OperatorEnd, 'kind' | 'credentialId'>,
  now: number,
) {
  const live = listNewest(record, kind, now)
  return live.length === 0 || live.some(({ id }) => id === credentialId)
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
