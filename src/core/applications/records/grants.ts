import type { Api } from '../../../shared/contracts/api.js'
import { ApplicationError, invalidArgument } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { isObject } from '../../../shared/lib/is-object.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { toApplication } from './application-info.js'
import type { ApiGrants } from '../call-options.js'
import type { Applications } from '../applications-api.js'
import { decideAccess } from '../decisions/decided-requests.js'
import { refuseDeleted } from './status.js'
import { describeLimit, joinLimits, readApplicationLimit } from './application-limits.js'
import { withhold } from './withheld.js'
import type { CallParts } from '../call-parts.js'

/** The scopes at an API; undefined without access. Own members only: a polluted `Object.prototype` grants nothing. */
export function findGrant(
  { apis }: ApplicationRecord,
  { name }: { readonly name: string },
): ApplicationRecord['apis'][string] | undefined {
  return Object.hasOwn(apis, name) ? apis[name] : undefined
}

interface GrantsOptions extends Omit<CallParts, 'store'> {
  /** Undefined without the platform's options: then `allow` rejects, and `disallow` accepts only APIs that the application may use. */
  readonly apis: Apis | undefined
}

type Apis<Each extends Api = Api> = ReadonlyMap<string, Each>

export function createGrants({ apis, writer, opened, now }: GrantsOptions): Pick<Applications, 'allow' | 'disallow'> {
  return {
    async allow(id, api, { scopes, rateLimit, by } = {}) {
      const given = readScopes(apis, api, scopes)
      const limit = rateLimit === undefined ? undefined : readApplicationLimit('rateLimit', rateLimit, now())
      await opened()
      const { record } = await writer.change(id, { type: 'application.accessChanged', by }, (current) => {
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
      return toApplication(record, now())
    },
    async disallow(id, api, { by } = {}) {
      await opened()
      const { record } = await writer.change(id, { type: 'application.accessChanged', by }, (current) => {
        refuseDeleted(current, 'disallow')
        if (!findGrant(current, { name: api })) findApi(apis, api)
        const { [api]: _, ...rest } = current.apis
        const changed = {
          apis: rest,
          withheld: withhold(current, api, undefined),
          rateLimits: joinLimits(current, { [api]: null }),
        }
        return { changed, details: { disallowed: api } }
      })
      return toApplication(record, now())
    },
  }
}

/** The scopes of an API that may be granted. */
type ListGrantableScopes<Each extends Api> = (api: Each) => readonly string[]
const listAllScopes = (api: Api): readonly string[] => Object.keys(api.scopes)

/** Validates `apis` of `create` and `register`; throws with code `unknown_api`, `unknown_scope` or `invalid_argument`. */
export function readGrants<Each extends Api>(
  apis: Apis<Each>,
  grants: ApiGrants | undefined,
  listGrantable: ListGrantableScopes<Each> = listAllScopes,
): ApplicationRecord['apis'] {
  if (typeof grants !== 'object' || grants === null || (Array.isArray(grants) && !grants.every(isString))) {
    throw invalidArgument('apis must be a list of names, or an object such as { orders: { scopes: [...] } }.')
  }
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
  if (unknown !== undefined) {
    throw new ApplicationError(
      'unknown_scope',
      `The API "${name}" has no scope "${unknown}" to grant. ${grantable.length > 0 ? `There are: ${grantable.join(', ')}.` : 'It has none.'}`,
    )
  }
  return grantable.filter((scope) => scopes.includes(scope))
}

/** Throws with code `unknown_api`. */
export function findApi<Each extends Api>(apis: Apis<Each> | undefined, name: string): Each {
  const api = apis?.get(name)
  if (api) return api
  const known = apis ? ` There are: ${[...apis.keys()].join(', ')}.` : ''
  throw new ApplicationError('unknown_api', `There is no API "${name}".${known}`)
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
