import type { ApplicationRecord, GrantedApis, OperatorTerms } from '../../../shared/contracts/application-record.js'
import { intersectNetworks } from '../../../shared/lib/networks.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { isLive, LISTS, type CredentialKind } from './credentials.js'

export type Terms = Pick<OperatorTerms, 'apis' | 'networks' | 'endsAt'>
export type GivenTerms = { readonly [Name in keyof Terms]: Terms[Name] | undefined }

/**
 * The most that a new credential may be used for: what operators have left of the credentials of its kind, or if there never were
 * any, of the other kind. The live ones count, and those that are gone once none is live. Where credentials allow different APIs
 * from different networks, it is for the first APIs that have networks in common. Undefined if nothing is left that it could be for.
 */
export function findAllowedTerms(
  record: ApplicationRecord,
  options: {
    readonly kind: CredentialKind
    /** The restriction that it is to have; undefined: none. */
    readonly apis: GrantedApis | undefined
    /** Whether a contact makes it. Operators may make the first secret of an application whose keys are for other APIs. */
    readonly isByContact: boolean
  },
  now: number,
): Terms | undefined {
  const { kind, apis: requested, isByContact } = options
  const inUse = listTermsInUse(record, kind, isByContact, now)
  if (inUse.every(isUnlimited) || inUse.some((each) => each.isLive && each.use === undefined && isUnlimited(each)))
    return ownMembers({})
  let networks: readonly string[] | undefined
  let endsAt = Infinity

  function admit(terms: readonly Terms[]): boolean {
    const common = intersectNetworks(networks, uniteNetworks(terms))
    if (terms.length === 0 || common?.length === 0) return false
    networks = common
    endsAt = Math.min(endsAt, Math.max(...terms.map((each) => each.endsAt ?? Infinity)))
    return true
  }

  function admitScopes(terms: readonly Terms[], api: string): readonly string[] | undefined {
    const scopes = requested?.[api]?.scopes ?? listScopes(terms, api, record)
    const admitted = scopes.filter((scope) => admit(terms.filter((each) => hasScope(each, api, scope))))
    // No scopes may mean the default scopes, so an API that lost all of them is left out.
    return scopes.length > 0 && admitted.length === 0 ? undefined : admitted
  }

  const isOpen = requested === undefined && admit(listTerms(inUse, ANY_OTHER))
  const apis: Record<string, { readonly scopes: readonly string[] }> = {}
  for (const api of requested ? Object.keys(requested) : listApis(record)) {
    const terms = listTerms(inUse, api)
    if (!admit(terms)) continue
    const scopes = admitScopes(terms, api)
    if (scopes) apis[api] = { scopes }
  }
  if (!isOpen && Object.keys(apis).length === 0) return undefined
  return toTerms({ apis: isOpen ? undefined : apis, networks, endsAt: endsAt < Infinity ? endsAt : undefined })
}

function isUnlimited({ apis, networks, endsAt }: TermsInUse): boolean {
  return apis === undefined && networks === undefined && endsAt === undefined
}

interface TermsInUse extends Omit<Terms, 'apis'> {
  readonly apis?: GrantedApis | undefined
  /** The APIs for which it works: a contact may have chosen fewer than `apis`. */
  readonly use: GrantedApis | undefined
  readonly isLive: boolean
}

function listTermsInUse(record: ApplicationRecord, kind: CredentialKind, isByContact: boolean, now: number) {
  const own = listKind(record, kind, now)
  if (own.length > 0) return own
  const others = listKind(record, kind === 'key' ? 'secret' : 'key', now)
  return isByContact ? others : others.map((each) => ownMembers({ ...each, use: undefined, apis: undefined }))
}

function listKind(record: ApplicationRecord, kind: CredentialKind, now: number): TermsInUse[] {
  const given = (record.withheld?.credentials ?? []).filter((each) => each.kind === kind)
  const live = listNewest(record, kind, now).map((credential): TermsInUse => {
    const terms = given.find(({ credentialId }) => credentialId === credential.id)
    return ownMembers({ ...terms, use: credential.apis, isLive: true })
  })
  const gone = given.filter(({ credentialId }) => !record[LISTS[kind]].some(({ id }) => id === credentialId))
  const expired = given.filter(({ credentialId }) =>
    record[LISTS[kind]].some((each) => each.id === credentialId && !isLive(each, now)),
  )
  const others = [...gone, ...expired]
  return [...live, ...others.map((terms): TermsInUse => ownMembers({ ...terms, use: terms.apis, isLive: false }))]
}

/** The newest live credential of each name: one that was replaced ends by itself. One without APIs only says who the client is. */
export function listNewest(record: ApplicationRecord, kind: CredentialKind, now: number) {
  const live = record[LISTS[kind]].filter((each) => isLive(each, now))
  const newest = live.filter(({ name }, index) => live.findIndex((each) => each.name === name) === index)
  return newest.filter(({ apis }) => apis === undefined || Object.keys(apis).length > 0)
}

/** The terms that count at an API: of the live credentials that work there, otherwise of those that are gone. */
function listTerms(inUse: readonly TermsInUse[], api: ApiName): readonly Terms[] {
  const live = inUse.filter((each) => each.isLive)
  const working = live.filter(({ use }) => covers(use, api))
  if (working.length > 0) return working.map(toTerms)
  const open = live.filter(({ apis }) => covers(apis, api))
  // Operators have left only credentials for other APIs.
  if (live.length > 0 && open.length === 0) return []
  const gone = inUse.filter((each) => !each.isLive && covers(each.apis, api))
  return (gone.length > 0 ? gone : open).map(toTerms)
}

/** Without members for what is not limited, and without a prototype, which might have them. */
export function toTerms(given: GivenTerms): Terms {
  const { apis, networks, endsAt } = ownMembers(given)
  return ownMembers({ ...(apis && { apis }), ...(networks && { networks }), ...(endsAt !== undefined && { endsAt }) })
}

/** Stands for APIs that the application may get. */
const ANY_OTHER = Symbol('any other API')
type ApiName = string | typeof ANY_OTHER

function covers(apis: GrantedApis | undefined, api: ApiName): boolean {
  return apis === undefined || (typeof api === 'string' && Object.hasOwn(apis, api))
}

function hasScope({ apis }: Terms, api: string, scope: string): boolean {
  return apis === undefined || apis[api]?.scopes.includes(scope) === true
}

function listApis({ apis, withheld }: ApplicationRecord): Set<string> {
  const given = (withheld?.credentials ?? []).flatMap((each) => Object.keys(each.apis ?? {}))
  return new Set([...Object.keys(apis), ...given])
}

function listScopes(terms: readonly Terms[], api: string, { apis }: ApplicationRecord): readonly string[] {
  const granted = Object.hasOwn(apis, api) ? apis[api]!.scopes : []
  return [...new Set(terms.flatMap((each) => (each.apis ? (each.apis[api]?.scopes ?? []) : granted)))]
}

/** Undefined for any network. */
function uniteNetworks(terms: readonly Terms[]): readonly string[] | undefined {
  if (terms.some(({ networks }) => networks === undefined)) return undefined
  return [...new Set(terms.flatMap(({ networks }) => networks!))]
}
