import { ApplicationError, invalidState } from '../../../shared/contracts/errors.js'
import type {
  ApplicationRecord,
  CredentialRecord,
  OperatorTerms,
  Withheld,
} from '../../../shared/contracts/application-record.js'
import type { NewAuditRecord } from '../../../shared/contracts/events.js'
import { intersectNetworks } from '../../../shared/lib/networks.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { isContact } from '../contacts/contact-lists.js'
import { joinWithheld, refuseWithheld } from '../records/withheld.js'
import { LISTS, type CredentialKind } from './credentials.js'
import { findAllowedTerms, listNewest, toTerms, type GivenTerms, type Terms } from './allowed-terms.js'

/** The end (`at`; undefined for none any more) that a call gave a credential. */
export interface GivenEnd {
  readonly credentialId: string
  /** Milliseconds since 1970. */
  readonly at: number | undefined
  /** Whether the call also decided for which APIs and networks it is, as `addKey` does. A rotation passes those on. */
  readonly decidesAll?: true
}

interface Change {
  readonly by: string | undefined
  readonly ends: readonly GivenEnd[]
  readonly endsAll: boolean
  readonly details: NewAuditRecord['details'] | undefined
  readonly needsSecret: (api: string) => boolean
  readonly now: number
}

/** The one place that decides what a change may create (docs/architecture.md, "What operators take away"). */
export function applyOperatorTerms(current: ApplicationRecord, edited: ApplicationRecord, change: Change) {
  if (edited.status === 'deleted') return { record: { ...edited, withheld: undefined }, details: change.details }
  const isByContact = isContact(change.by)
  const changed = isByContact ? { ...edited, withheld: current.withheld } : edited
  if (isByContact) refuseWithheld(current, changed)
  const terms = new Map<string, OperatorTerms>()
  for (const each of current.withheld?.credentials ?? []) terms.set(each.credentialId, each)
  let details = change.details

  function limit(kind: CredentialKind, credential: CredentialRecord): CredentialRecord {
    const { id } = credential
    const former = current[LISTS[kind]].find((each) => each.id === id)
    const end = change.ends.find(({ credentialId }) => credentialId === id)
    if (former && isByContact) return limitByContact(kind, former, credential)
    if (former === credential && !end) return credential
    const { apis, networks } = credential
    if (former)
      setTerms(kind, id, {
        ...terms.get(id),
        ...(networks !== former.networks && { networks }),
        ...(end && { endsAt: end.at }),
      })
    else if (end?.decidesAll && !isByContact) setTerms(kind, id, { apis, networks, endsAt: end.at })
    else return limitNew(kind, credential, isByContact ? undefined : end)
    return credential
  }

  function limitByContact(
    kind: CredentialKind,
    former: CredentialRecord,
    credential: CredentialRecord,
  ): CredentialRecord {
    const { networks: given, endsAt } = terms.get(former.id) ?? ownMembers<Terms>({})
    const networks =
      credential.networks === former.networks ? former.networks : intersectNetworks(credential.networks, given)
    if (networks?.length === 0) throw createNothingLeftError(current.id, kind)
    if (former.expiresAt === credential.expiresAt || endsAt === undefined) return { ...credential, networks }
    if (endsAt <= change.now) throw createEndedError(current.id, kind, endsAt)
    return limitEnd({ ...credential, networks }, endsAt)
  }

  function limitNew(kind: CredentialKind, credential: CredentialRecord, end: GivenEnd | undefined): CredentialRecord {
    const { id, name, apis } = credential
    const allowed = findAllowedTerms(current, { kind, apis, isByContact }, change.now)
    const networks = intersectNetworks(credential.networks, allowed?.networks)
    const isOfNoUse = kind === 'secret' && allowed?.apis && !Object.keys(allowed.apis).some(change.needsSecret)
    if (isByContact && (!allowed || networks?.length === 0 || isOfNoUse)) throw createNothingLeftError(current.id, kind)
    const replaced = listNewest(current, kind, change.now).find((each) => each.name === name)
    const own = replaced && terms.get(replaced.id)
    const latest = Math.min(allowed?.endsAt ?? Infinity, own?.endsAt ?? Infinity)
    if (isByContact && latest <= change.now) throw createEndedError(current.id, kind, latest)
    // An operator may replace what has ended.
    const bound = latest < Infinity && latest > change.now ? latest : undefined
    const endsAt = end ? end.at : bound
    // A replacement has what the replaced one has.
    setTerms(kind, id, { ...(replaced ? own : allowed), endsAt })
    if (replaced || !allowed || networks?.length === 0) return limitEnd(credential, endsAt, describe)
    const limited = { ...credential, apis: allowed.apis ?? apis, networks }
    describe(id, {
      ...(allowed.apis && { apis: limited.apis }),
      ...(allowed.networks && networks && { networks: [...networks] }),
    })
    return limitEnd(limited, endsAt, describe)
  }

  function describe(id: string, added: NewAuditRecord['details']): void {
    if (details?.['credentialId'] === id) details = { ...details, ...added }
  }

  function setTerms(kind: CredentialKind, credentialId: string, given: GivenTerms): void {
    terms.delete(credentialId)
    const bounds = toTerms(given)
    if (Object.keys(bounds).length > 0) terms.set(credentialId, ownMembers({ kind, credentialId, ...bounds }))
  }

  const record = {
    ...changed,
    keys: changed.keys.map((key) => limit('key', key)),
    secrets: changed.secrets.map((secret) => limit('secret', secret)),
  }
  const given = [...terms.values(), ...listUnlimited(current, record, change)]
  const credentials = given.filter((each) => isKept(current, record, each, change))
  return { record: { ...record, withheld: joinWithheld({ ...changed.withheld, credentials }) }, details }
}

/** The withheld access of an imported application: the file gives its credentials their terms. */
export function withholdTerms({ keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>): Withheld | undefined {
  const list = (kind: CredentialKind, records: readonly CredentialRecord[]): OperatorTerms[] =>
    records.flatMap((each) => {
      // A key without APIs only says who the client is.
      if (each.apis && Object.keys(each.apis).length === 0) return []
      const terms = toTerms({ ...each, endsAt: each.expiresAt })
      return Object.keys(terms).length === 0 ? [] : [{ kind, credentialId: each.id, ...terms }]
    })
  return joinWithheld({
    apis: {},
    credentials: [...list('key', keys), ...list('secret', secrets)],
    networks: undefined,
  })
}

function limitEnd(
  credential: CredentialRecord,
  endsAt: number | undefined,
  describe?: (id: string, details: NewAuditRecord['details']) => void,
): CredentialRecord {
  if (endsAt === undefined || (credential.expiresAt ?? Infinity) <= endsAt) return credential
  describe?.(credential.id, { expiresAt: new Date(endsAt).toISOString() })
  return { ...credential, expiresAt: endsAt }
}

/** Terms of one that is gone count while no other works for one of its APIs, unless an operator left or added others. */
function isKept(current: ApplicationRecord, record: ApplicationRecord, terms: OperatorTerms, change: Change): boolean {
  const { kind, credentialId, apis } = terms
  const list = LISTS[kind]
  if (record[list].some(({ id }) => id === credentialId)) return true
  const isByContact = isContact(change.by)
  const isDecided = ({ id }: CredentialRecord): boolean =>
    change.ends.some((end) => end.decidesAll === true && end.credentialId === id)
  if (!isByContact && record[list].some(isDecided)) return false
  const live = listNewest(record, kind, change.now)
  if (live.length === 0) return true
  if (!isByContact && current[list].some(({ id }) => id === credentialId)) return false
  if (apis === undefined && live.every((each) => each.apis !== undefined)) return true
  return Object.keys(apis ?? record.apis).some((api) =>
    live.every((each) => each.apis !== undefined && !Object.hasOwn(each.apis, api)),
  )
}

/** The last credentials of a kind that operators had left without terms, if no operator has taken them away. */
function listUnlimited(current: ApplicationRecord, record: ApplicationRecord, change: Change): OperatorTerms[] {
  if (!current.withheld?.credentials || !(isContact(change.by) || change.endsAll)) return []
  const known = current.withheld.credentials
  return (['key', 'secret'] as const).flatMap((kind) =>
    listNewest(record, kind, change.now).length > 0
      ? []
      : listNewest(current, kind, change.now)
          .filter(({ id }) => !known.some(({ credentialId }) => credentialId === id))
          .map(({ id }) => ownMembers({ kind, credentialId: id })),
  )
}

function createEndedError(id: string, kind: CredentialKind, at: number): ApplicationError {
  return invalidState(
    `The operator of application ${id} ended its ${kind}s at ${new Date(at).toISOString()}: only an operator can add another.`,
  )
}

function createNothingLeftError(id: string, kind: CredentialKind): ApplicationError {
  return new ApplicationError(
    'not_granted',
    `The credentials that operators left application ${id} are for other APIs or networks: only an operator can give it such a ${kind}.`,
  )
}
