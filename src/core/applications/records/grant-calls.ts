import type { Applications } from '../applications-api.js'
import { createChange, type CallParts } from '../call-parts.js'
import { decideAccess } from '../decisions/decided-requests.js'
import { describeLimit, joinLimits, readApplicationLimit } from './application-limits.js'
import { findApi, findGrant, readScopes, type Apis } from './grants.js'
import { refuseDeleted } from './status.js'
import { withhold } from './withheld.js'

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
