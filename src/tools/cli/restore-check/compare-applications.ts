import { listContacts } from '../../../core/applications/contacts/contact-lists.js'
import { shellQuote } from '../../../shared/lib/shell-quote.js'
import type { ApplicationRecord, CredentialRecord } from '../../../store.js'

export interface Lack {
  /** Whether somebody may call, sign in or get credentials again who may not: to be redone before anything else. */
  readonly first: boolean
  readonly what: string
  readonly applicationId?: string
  readonly details?: string
  /** The command that makes it again, without the program's name and its store; left out if there is none. */
  readonly redo?: string
}

export interface Times {
  readonly now: number
  /** The newest change that both have, or -Infinity: what is older was in the backup. */
  readonly backup: number
  /** The newest change of the lost database, or Infinity: what is later was made after the restore. */
  readonly lost: number
  /** Whether a signing key from before the restore verifies. */
  readonly verifiesLostTokens: boolean
}

/** What a restored record lacks: states are compared, so the list gets shorter as things are redone. */
export function compareApplications(lost: ApplicationRecord, restored: ApplicationRecord | undefined, times: Times) {
  // Applications of prove end by themselves.
  if (lost.endsAt !== undefined) return []
  if (!restored) return lost.status === 'deleted' ? [] : [describeCreated(lost)]
  if (restored.status === 'deleted') return []
  if (lost.status === 'deleted') return [toLack(lost, 'deleted', `apps delete ${lost.id} --yes`, true)]
  return [
    ...compareStatus(lost, restored),
    ...(times.verifiesLostTokens && lost.tokensRevokedAt > restored.tokensRevokedAt
      ? [toLack(lost, 'access tokens revoked', `apps revoke-tokens ${lost.id}`, true)]
      : []),
    ...compareCredentials('key', lost, restored, times),
    ...compareCredentials('secret', lost, restored, times),
    ...compareAccess(lost, restored),
    ...compareContacts(lost, restored, times),
    ...compareRestrictions(lost, restored),
    ...compareOthers(lost, restored),
  ]
}

function describeCreated(lost: ApplicationRecord): Lack {
  const options = [
    ['--name', lost.name],
    ...(lost.contact === undefined ? [] : [['--contact', lost.contact]]),
    ...Object.entries(lost.apis).map(([api, { scopes }]) => [
      '--api',
      scopes.length > 0 ? `${api}=${scopes.join(' ')}` : api,
    ]),
    ...(lost.externalId === undefined ? [] : [['--external-id', lost.externalId]]),
  ]
  const words = options.flatMap(([option, value]) => [option!, shellQuote(value!)])
  // A command gives nobody what nobody approved, and ends no suspension.
  const isWaiting = lost.status === 'pending'
  const redo = [`apps ${isWaiting ? 'register' : 'create'}`, ...words].join(' ')
  const what = isWaiting ? 'registered' : lost.status === 'suspended' ? 'created, and suspended' : 'created'
  const canRedo = Object.keys(lost.apis).length > 0 && lost.status !== 'suspended'
  return toLack(lost, what, canRedo ? redo : undefined, false, lost.name)
}

function compareStatus(lost: ApplicationRecord, restored: ApplicationRecord): Lack[] {
  if (lost.status === restored.status) return []
  if (lost.status === 'suspended') return [toLack(lost, 'suspended', `apps suspend ${lost.id}`, true)]
  if (restored.isHeld && !lost.isHeld) return [toLack(lost, 'approved', `apps approve ${lost.id}`, false)]
  return restored.status === 'suspended' ? [toLack(lost, 'resumed', `apps resume ${lost.id}`, false)] : []
}

function compareAccess(lost: ApplicationRecord, restored: ApplicationRecord): Lack[] {
  const apis = new Set([...Object.keys(restored.apis), ...Object.keys(lost.apis)])
  return [...apis].flatMap((api) => {
    const [had, has] = [lost.apis[api]?.scopes, restored.apis[api]?.scopes]
    if (!had) return [toLack(lost, 'access taken away', `apps disallow ${lost.id} ${api}`, true, api)]
    const isSame = has && toComparable(had.toSorted()) === toComparable(has.toSorted())
    if (isSame) return []
    const takesAway = has?.some((scope) => !had.includes(scope)) === true
    const scopes = had.flatMap((scope) => ['--scope', shellQuote(scope)])
    // Without a scope, `allow` grants every scope.
    const canRedo = had.length > 0 || !has
    const redo = canRedo ? ['apps allow', lost.id, api, ...scopes].join(' ') : undefined
    return [toLack(lost, takesAway ? 'scopes taken away' : 'access granted', redo, takesAway, [api, ...had].join(' '))]
  })
}

function compareContacts(lost: ApplicationRecord, restored: ApplicationRecord, { now }: Times): Lack[] {
  const [had, has] = [listContacts(lost), listContacts(restored)]
  const toKey = (address: string): string => address.toLowerCase()
  const isIn = (list: readonly string[], address: string): boolean => list.map(toKey).includes(toKey(address))
  const [first] = had
  const removed = has.filter((address) => !isIn(had, address))
  const isFirstOther = first !== undefined && (has[0] === undefined || toKey(has[0]) !== toKey(first))
  const added = had.filter((address) => !isIn(has, address) && !(isFirstOther && address === first))
  // Also of one whose e-mail waits, and has no token yet. Ended ones stay in the record.
  const [wereInvited, areInvited] = [lost, restored].map(({ invitations }) =>
    invitations.filter(({ expiresAt }) => expiresAt > now).map(({ address }) => address),
  )
  const cancelled = areInvited!.filter((address) => !isIn(had, address) && !isIn(wereInvited!, address))
  return [
    ...(isFirstOther
      ? [toLack(lost, 'first contact', `apps update ${lost.id} --contact ${shellQuote(first)}`, true, first)]
      : []),
    // `update --contact` has replaced the first one.
    ...removed
      .filter((address) => !(isFirstOther && address === has[0]))
      .map((address) =>
        toLack(lost, 'contact removed', `apps remove-contact ${lost.id} ${shellQuote(address)}`, true, address),
      ),
    ...cancelled.map((address) =>
      toLack(lost, 'invitation ended', `apps cancel-invitation ${lost.id} ${shellQuote(address)}`, true, address),
    ),
    ...added.map((address) =>
      toLack(lost, 'contact added', `apps add-contact ${lost.id} ${shellQuote(address)}`, false, address),
    ),
  ]
}

function compareRestrictions(lost: ApplicationRecord, restored: ApplicationRecord): Lack[] {
  const networks = compareNetworks(lost, 'networks', lost.networks, restored.networks)
  const { apis = {}, credentials = [] } = lost.withheld ?? {}
  const withheld = Object.entries(apis).filter(([api, { scopes }]) => {
    const kept = restored.withheld?.apis[api]
    // Reported as access that was taken away: its command withholds it again.
    const [had, has] = [lost.apis[api]?.scopes, restored.apis[api]?.scopes]
    const isGranted = has !== undefined && (!had || has.some((scope) => !had.includes(scope)))
    return !isGranted && !(kept && scopes.every((scope) => kept.scopes.includes(scope)))
  })
  const isHeld = (id: string): boolean => [...lost.keys, ...lost.secrets].some((each) => each.id === id)
  // The terms of a credential that both have are reported with it.
  const terms = credentials.filter(
    (each) =>
      !isHeld(each.credentialId) &&
      !restored.withheld?.credentials?.some((other) => toComparable(other) === toComparable(each)),
  )
  return [
    ...networks,
    ...withheld.map(([api, { scopes }]) =>
      toLack(lost, 'withheld from contacts', undefined, true, [api, ...scopes].join(' ')),
    ),
    ...terms.map(({ kind, credentialId }) => toLack(lost, `terms of an ended ${kind}`, undefined, true, credentialId)),
  ]
}

function compareOthers(lost: ApplicationRecord, restored: ApplicationRecord): Lack[] {
  const update = `apps update ${lost.id}`
  const { externalId, metadata, plan } = lost
  const limits = new Set([...Object.keys(lost.rateLimits ?? {}), ...Object.keys(restored.rateLimits ?? {})])
  const members: readonly (readonly [keyof ApplicationRecord, string, string | undefined])[] = [
    ['plan', 'plan', `apps plan ${lost.id} ${plan === undefined ? '--none' : shellQuote(plan)}`],
    ['name', 'name', `${update} --name ${shellQuote(lost.name)}`],
    ['language', 'language', `${update} --language ${lost.language ?? 'en'}`],
    ['metadata', 'metadata', `${update} --metadata ${shellQuote(JSON.stringify(metadata ?? null))}`],
    [
      'externalId',
      'external id',
      externalId === undefined ? `${update} --remove-external-id` : `${update} --external-id ${shellQuote(externalId)}`,
    ],
    ['acceptedTerms', 'accepted terms', undefined],
    ['accessRequests', 'requests for access', undefined],
  ]
  return [
    ...compareResourceServer(lost, restored),
    ...[...limits].flatMap((api) => compareLimit(api, lost, restored)),
    ...members
      .filter(([member]) => toComparable(lost[member] ?? null) !== toComparable(restored[member] ?? null))
      .map(([, what, redo]) => toLack(lost, what, redo, false)),
  ]
}

/** Reported as access that was taken away where the restored database still gives some. */
function compareResourceServer(lost: ApplicationRecord, restored: ApplicationRecord): Lack[] {
  const [had = [], has = []] = [lost.resourceServer, restored.resourceServer]
  if (toComparable(had) === toComparable(has)) return []
  const options = had.map((api) => `--resource-server ${api}`).join(' ') || '--remove-resource-server'
  const isWider = has.some((api) => !had.includes(api))
  return [toLack(lost, 'resource server', `apps update ${lost.id} ${options}`, isWider)]
}

function compareLimit(api: string, lost: ApplicationRecord, restored: ApplicationRecord): Lack[] {
  const [had, has] = [lost.rateLimits?.[api], restored.rateLimits?.[api]]
  // The id of a limit is another one each time that it is given.
  if (toComparable({ ...had, id: undefined }) === toComparable({ ...has, id: undefined })) return []
  const limit = had ? `${had.limit}/${had.window}` : 'none'
  const until = had?.until === undefined ? '' : ` --until ${new Date(had.until).toISOString()}`
  return [toLack(lost, 'limit', `apps limit ${lost.id} ${shellQuote(api)} ${limit}${until}`, false, `${api}: ${limit}`)]
}

function compareCredentials(
  kind: 'key' | 'secret',
  lost: ApplicationRecord,
  restored: ApplicationRecord,
  { now, backup, lost: end }: Times,
): Lack[] {
  const list = kind === 'key' ? 'keys' : 'secrets'
  const isLive = ({ expiresAt = Infinity }: CredentialRecord): boolean => expiresAt > now
  const [had, has] = [lost[list].filter(isLive), restored[list].filter(isLive)]
  const ended = has.filter(({ id, createdAt }) => createdAt <= end && !had.some((each) => each.id === id))
  const isReplaced = (name: string): boolean => had.some((each) => each.name === name)
  const isMadeAgain = ({ name }: CredentialRecord): boolean =>
    ended.some((each) => each.name === name) || has.some((each) => each.name === name && each.createdAt > end)
  const unknown = had.filter(
    (each) => each.createdAt > backup && !restored[list].some(({ id }) => id === each.id) && !isMadeAgain(each),
  )
  const others = has.flatMap((each) => had.filter(({ id }) => id === each.id).map((former) => [former, each] as const))
  return [
    ...ended.map(({ id, name, prefix }) => {
      const redo = isReplaced(name)
        ? `apps rotate-${kind} ${lost.id} --credential ${id} --overlap 0`
        : `apps end-credential ${lost.id} ${id}`
      return toLack(lost, `${kind} ended`, redo, true, `${id} ${name}, ${prefix}...`)
    }),
    // A rotation whose overlap lasts: it comes before the end of what it replaced, which the new one would inherit.
    ...unknown.filter(findReplaced).map((each) => describeUnknown(each)),
    ...others.flatMap(([former, each]) => compareTerms(kind, lost, former, each)),
    ...unknown.filter((each) => !findReplaced(each)).map((each) => describeUnknown(each)),
  ]

  function findReplaced({ name }: CredentialRecord): CredentialRecord | undefined {
    return has.find((each) => each.name === name)
  }

  function describeUnknown(each: CredentialRecord): Lack {
    const { id, name, prefix } = each
    const replaced = findReplaced(each)
    const { expiresAt = now } = had.find((former) => former.id === replaced?.id) ?? {}
    const redo = replaced
      ? `apps rotate-${kind} ${lost.id} --credential ${replaced.id} --overlap ${Math.ceil((expiresAt - now) / 1000)}`
      : `apps add-${kind} ${lost.id} --name ${shellQuote(name)}`
    return toLack(lost, `${kind} added`, redo, replaced !== undefined, `${id} ${name}, ${prefix}...`)
  }
}

function compareTerms(
  kind: 'key' | 'secret',
  lost: ApplicationRecord,
  former: CredentialRecord,
  credential: CredentialRecord,
): Lack[] {
  const { id, name, expiresAt = Infinity } = former
  const { expiresAt: restoredEnd = Infinity } = credential
  const time = expiresAt === Infinity ? 'never' : new Date(expiresAt).toISOString()
  const update = `apps update-credential ${lost.id} ${id}`
  const details = `${id} ${name}`
  return [
    ...(expiresAt === restoredEnd
      ? []
      : [toLack(lost, `${kind}'s end`, `${update} --expires ${time}`, expiresAt < restoredEnd, `${details}: ${time}`)]),
    ...compareNetworks(lost, `${kind}'s networks`, former.networks, credential.networks, id),
    ...(name === credential.name
      ? []
      : [toLack(lost, `${kind} renamed`, `${update} --name ${shellQuote(name)}`, false, details)]),
  ]
}

function compareNetworks(
  lost: ApplicationRecord,
  what: string,
  had: readonly string[] | undefined,
  has: readonly string[] | undefined,
  credential?: string,
): Lack[] {
  if (toComparable(had ?? []) === toComparable(has ?? [])) return []
  const networks = had?.join(',') ?? 'any'
  const target = credential === undefined ? '' : ` --credential ${credential}`
  const details = credential === undefined ? networks : `${credential}: ${networks}`
  return [toLack(lost, what, `apps networks ${lost.id} ${networks}${target}`, had !== undefined, details)]
}

/** The same text for equal values, whatever the order of their members; what is undefined counts as missing. */
export function toComparable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

function toLack({ id }: ApplicationRecord, what: string, redo: string | undefined, first: boolean, details?: string) {
  return { first, what, applicationId: id, ...(details !== undefined && { details }), ...(redo && { redo }) }
}
