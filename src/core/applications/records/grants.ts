import type { Api } from '../../../shared/contracts/api.js'
import { ApplicationError, invalidArgument, invalidState } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord, CredentialRecord, GrantedApis } from '../../../shared/contracts/application-record.js'
import { isObject, ownMembers } from '../../../shared/lib/own-members.js'
import type { AddCredentialOptions, ApiGrants } from '../call-options.js'
import { isLive, type CredentialKind } from '../credentials/credentials.js'
import type { Applications } from '../applications-api.js'
import { createChange, type CallParts } from '../call-parts.js'
import { decideAccess } from '../decisions/decided-requests.js'
import { describeLimit, joinLimits, readApplicationLimit } from './application-limits.js'
import { refuseDeleted } from './status.js'
import { withhold } from './withheld.js'

/** The scopes at an API; undefined without access. Own members only: a polluted `Object.prototype` grants nothing. */
export function findGrant({ apis }: ApplicationRecord, { name }: { readonly name: string }) {
  return Object.hasOwn(apis, name) ? apis[name] : undefined
}

export type Apis<Each extends Api = Api> = ReadonlyMap<string, Each>

type ListGrantableScopes<Each extends Api> = (api: Each) => readonly string[]
const listAllScopes = (api: Api): readonly string[] => Object.keys(api.scopes)

/** Validates `apis` of `create` and `register`; throws with code `unknown_api`, `unknown_scope` or `invalid_argument`. */
export function readGrants<Each extends Api>(
  apis: Apis<Each>,
  grants: ApiGrants | undefined,
  listGrantable: ListGrantableScopes<Each> = listAllScopes,
): ApplicationRecord['apis'] {
  if (typeof grants !== 'object' || grants === null || (Array.isArray(grants) && !grants.every(isString)))
    throw invalidArgument('apis must be a list of names, or an object such as { orders: { scopes: [...] } }.')
  const entries: (readonly [string, unknown])[] = Array.isArray(grants)
    ? (grants as readonly string[]).map((name) => [name, {}])
    : Object.entries(grants)
  if (entries.length === 0) throw invalidArgument('apis is empty. Name at least one API.')
  return Object.fromEntries(
    entries.map(([name, grant]) => [name, { scopes: readScopes(apis, name, readGrant(name, grant), listGrantable) }]),
  )
}

/** Strict, because a grant without `scopes` means all scopes: a mistyped member must not grant them. */
function readGrant(name: string, grant: unknown): readonly string[] | undefined {
  if (isObject(grant) && Object.keys(grant).every((key) => key === 'scopes'))
    return ownMembers(grant as { scopes?: readonly string[] }).scopes
  throw invalidArgument(`apis.${name} must be { scopes: [...] }, or {} for all its scopes.`)
}

/** The scopes to grant at an API, in the API's order: all grantable ones if none are named. */
function readScopes<Each extends Api>(
  apis: Apis<Each> | undefined,
  name: string,
  scopes: readonly string[] | undefined,
  listGrantable: ListGrantableScopes<Each> = listAllScopes,
): readonly string[] {
  const grantable = listGrantable(findApi(apis, name))
  if (scopes === undefined) return grantable
  if (!Array.isArray(scopes) || !scopes.every(isString))
    throw invalidArgument(`scopes of "${name}" must be a list of names.`)
  const unknown = scopes.find((scope) => !grantable.includes(scope))
  if (unknown !== undefined)
    throw new ApplicationError(
      'unknown_scope',
      `The API "${name}" has no scope "${unknown}" to grant. ${grantable.length > 0 ? `There are: ${grantable.join(', ')}.` : 'It has none.'}`,
    )
  return grantable.filter((scope) => scopes.includes(scope))
}

function findApi<Each extends Api>(apis: Apis<Each> | undefined, name: string): Each {
  const api = apis?.get(name)
  if (api) return api
  const known = apis ? ` There are: ${[...apis.keys()].join(', ')}.` : ''
  throw new ApplicationError('unknown_api', `There is no API "${name}".${known}`)
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

export function isUsableAt({ apis }: CredentialRecord, { name }: { readonly name: string }): boolean {
  return apis === undefined || Object.hasOwn(apis, name)
}

/** A credential's access to an API: its restriction, without what its application is not granted now. */
export function restrictScopes(
  { apis }: CredentialRecord,
  { name }: { readonly name: string },
  granted: readonly string[],
): readonly string[] {
  if (apis === undefined) return granted
  const restricted = Object.hasOwn(apis, name) ? apis[name]!.scopes : []
  return granted.filter((scope) => restricted.includes(scope))
}

/** The scopes of a key at a key API at which it may be used. At an API without scopes nothing is allocated. */
export function listKeyScopes(api: Api, key: Pick<CredentialRecord, 'apis'>, granted: readonly string[]) {
  if (!declaresScopes(api)) return NO_SCOPES
  const restriction = key.apis && listGrantedScopes(api, key.apis[api.name]!.scopes)
  const isKept = (scope: string): boolean =>
    Object.hasOwn(api.scopes, scope) && (restriction === undefined || restriction.includes(scope))
  const scopes = listGrantedScopes(api, granted)
  return scopes.every(isKept) ? scopes : scopes.filter(isKept)
}

/** The scopes that a grant means. The provider says what an empty one means, which may be older than the scopes. */
export function listGrantedScopes(
  { defaultScopes = NO_SCOPES }: Pick<Api, 'defaultScopes'>,
  granted: readonly string[],
): readonly string[] {
  return granted.length === 0 ? defaultScopes : granted
}

const NO_SCOPES: readonly string[] = []

/** A loop is used: `Object.keys()` would allocate a list for each request. */
function declaresScopes({ scopes }: Api): boolean {
  for (const scope in scopes) if (Object.hasOwn(scopes, scope)) return true
  return false
}

/** Validates a restriction as far as that is possible without the application. */
export function readRestriction(
  apis: ReadonlyMap<string, Api>,
  kind: CredentialKind,
  { apis: given, scopes }: Pick<AddCredentialOptions, 'apis' | 'scopes'>,
): Restrict {
  if (given === undefined && scopes === undefined) return () => undefined
  const checked = given === undefined ? undefined : readGrants(apis, given)
  const named = scopes === undefined ? given! : withScopes(given, scopes)
  const restriction = scopes === undefined ? checked! : readGrants(apis, named)
  if (kind === 'secret' && !Object.keys(restriction).some((api) => apis.get(api)?.scheme === 'oauth2'))
    throw invalidArgument('apis names no oauth2 API, and others are called with keys only.')
  return (application) => narrow(application, restriction, (api) => hasScopes(named, api))
}

/** The restriction for an application; throws with code `not_granted` if it names more than the application may do. */
type Restrict = (application: ApplicationRecord) => GrantedApis | undefined

function withScopes(apis: ApiGrants | undefined, scopes: readonly string[]): ApiGrants {
  const names: readonly string[] = Array.isArray(apis) ? (apis as readonly string[]) : Object.keys(Object(apis))
  const [name] = names
  if (names.length === 1 && !hasScopes(apis, name!)) return { [name!]: { scopes } }
  throw invalidArgument(
    'scopes needs apis with one name, such as apis: ["orders"]. For more than one write apis: { orders: { scopes: [...] } }.',
  )
}

/** Whether the restriction names the scopes of an API, and does not mean all that the application has there. */
function hasScopes(apis: ApiGrants | undefined, name: string): boolean {
  if (typeof apis !== 'object' || Array.isArray(apis) || !Object.hasOwn(apis, name)) return false
  const grant: unknown = (apis as Readonly<Record<string, unknown>>)[name]
  return isObject(grant) && ownMembers(grant as { scopes?: unknown }).scopes !== undefined
}

function narrow(application: ApplicationRecord, restriction: GrantedApis, namesScopes: (api: string) => boolean) {
  const entries = Object.entries(restriction).map(([name, { scopes }]) => {
    const grant = findGrant(application, { name })
    if (!grant) throw createNotGrantedError(application, `"${name}"`, Object.keys(application.apis))
    const missing = scopes.find((scope) => !grant.scopes.includes(scope))
    if (missing !== undefined && namesScopes(name))
      throw createNotGrantedError(application, `"${missing}" at "${name}"`, grant.scopes)
    return [name, { scopes: scopes.filter((scope) => grant.scopes.includes(scope)) }] as const
  })
  return Object.fromEntries(entries)
}

function createNotGrantedError({ id }: ApplicationRecord, what: string, granted: readonly string[]): ApplicationError {
  const has = granted.length > 0 ? `It has: ${granted.join(', ')}.` : 'It has none.'
  return new ApplicationError(
    'not_granted',
    `Application ${id} does not have ${what}, and a credential can only have less than its application. ${has}`,
  )
}

export function isResourceServerOf(
  { resourceServer }: Pick<ApplicationRecord, 'resourceServer'>,
  { name }: { readonly name: string },
): boolean {
  return resourceServer?.includes(name) === true
}

/** Validates `resourceServer` of `create` and `update`; undefined for null. Throws with code `invalid_argument` or `unknown_api`. */
export function readResourceServer(apis: ReadonlyMap<string, Api> | undefined, given: unknown) {
  if (given === undefined || given === null) return undefined
  if (!Array.isArray(given) || given.length === 0 || !given.every((each) => typeof each === 'string'))
    throw invalidArgument("resourceServer must list names of APIs, such as ['orders'], or be null.")
  return [...new Set(given.map((name: string) => findApi(apis, name).name))]
}

/** A resource server always has what it authenticates with. Throws with code `invalid_state`. */
export function refuseWithoutSecret({ id, secrets }: ApplicationRecord, now: number): void {
  if (secrets.some((each) => isLive(each, now))) return
  throw invalidState(
    `Application ${id} has no secret, with which a resource server authenticates: addSecret() gives it one.`,
  )
}

export function createGrants(
  options: Omit<CallParts, 'store'> & {
    /** Undefined without the platform's options: then `allow` rejects, and `disallow` accepts only APIs that the application may use. */
    readonly apis: Apis | undefined
  },
): Pick<Applications, 'allow' | 'disallow'> {
  const { apis, now } = options
  const change = createChange(options)
  return {
    async allow(id, api, { scopes, rateLimit, by } = {}) {
      const given = readScopes(apis, api, scopes)
      const limit = rateLimit === undefined ? undefined : readApplicationLimit('rateLimit', rateLimit, now())
      return change(id, 'application.accessChanged', by, (current) => {
        refuseDeleted(current, 'allow')
        // A limit that is set later must not grant scopes.
        const kept = limit !== undefined && scopes === undefined ? findGrant(current, { name: api })?.scopes : undefined
        const granted = kept ?? given
        return {
          changed: {
            apis: { ...current.apis, [api]: { scopes: granted } },
            withheld: withhold(current, api, granted),
            ...(limit !== undefined && { rateLimits: joinLimits(current, { [api]: limit }) }),
            ...decideAccess(current, api, { outcome: 'approved', at: now(), by }),
          },
          details: { allowed: api, scopes: granted, ...(limit !== undefined && { rateLimit: describeLimit(limit) }) },
        }
      })
    },
    disallow: (id, api, { by } = {}) =>
      change(id, 'application.accessChanged', by, (current) => {
        refuseDeleted(current, 'disallow')
        if (!findGrant(current, { name: api })) findApi(apis, api)
        const { [api]: _, ...rest } = current.apis
        const changed = {
          apis: rest,
          withheld: withhold(current, api, undefined),
          rateLimits: joinLimits(current, { [api]: null }),
        }
        return { changed, details: { disallowed: api } }
      }),
  }
}
