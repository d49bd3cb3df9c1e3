import type { Api } from '../../../index.js'
import { GUARD_CACHING_CHECKS, TOKEN_CACHING_CHECKS } from './caching.js'
import type { Check } from './check.js'
import { CORS_CHECKS } from './cors.js'
import { BEARER_GUARD_CHECKS, KEY_GUARD_CHECKS } from './guards.js'
import { GUARD_INSTANCE_CHECKS, INSTANCE_CHECKS, KEY_SET_INSTANCE_CHECKS } from './instances.js'
import { ADDRESS_CHECKS, LIMIT_CHECKS } from './limits.js'
import { KEY_SET_CHECKS, METADATA_CHECKS } from './metadata.js'
import { KEY_REVOCATION_CHECK, SECRET_REVOCATION_CHECK, TOKEN_REVOCATION_CHECK } from './revocation.js'
import { isManagement, MANAGEMENT_CHECKS, RESOURCE_SERVER_CHECKS } from './services.js'
import { OTHER_ENDPOINT_CHECKS, TOKEN_CHECKS, TOKEN_REQUEST_CHECKS, PATH_CHECKS } from './token-endpoint.js'

export interface PlannedCheck {
  readonly api: Api
  readonly check: Check
  readonly needsRoute: boolean
}

/**
 * Lists every check in the order in which they run; the last ones end credentials. Only what something in front of the app, its
 * mount or the choice of instances can break is a check: the package's own tests show that the app answers as docs/http.md says.
 * Checks that need a route are listed for APIs without one, too.
 */
export function planChecks(
  all: readonly Api[],
  routes: ReadonlyMap<string, string>,
  services: boolean,
): readonly PlannedCheck[] {
  const plan = (apis: readonly Api[], ...checks: (readonly Check[])[]): readonly PlannedCheck[] =>
    apis.flatMap((api) => checks.flat().map((check) => ({ api, check, needsRoute: false })))
  const planRouted = (apis: readonly Api[], ...checks: (readonly Check[])[]): readonly PlannedCheck[] =>
    plan(apis, ...checks).map((planned) => ({ ...planned, needsRoute: true }))
  const oauth2 = all.filter(({ scheme }) => scheme === 'oauth2')
  const keys = all.filter(({ scheme }) => scheme === 'apiKey')
  const [firstOAuth2, routedKeys] = [oauth2.slice(0, 1), keys.filter(({ name }) => routes.has(name))]
  return [
    ...plan(all.slice(0, 1), KEY_SET_CHECKS, KEY_SET_INSTANCE_CHECKS, ADDRESS_CHECKS),
    ...plan(oauth2, TOKEN_CHECKS),
    ...plan(firstOAuth2, TOKEN_REQUEST_CHECKS, OTHER_ENDPOINT_CHECKS, INSTANCE_CHECKS),
    ...plan(oauth2, METADATA_CHECKS),
    ...plan(firstOAuth2, PATH_CHECKS, CORS_CHECKS, TOKEN_CACHING_CHECKS),
    ...planRouted(oauth2, BEARER_GUARD_CHECKS),
    ...planRouted(keys, KEY_GUARD_CHECKS),
    ...planRouted(all, GUARD_CACHING_CHECKS, GUARD_INSTANCE_CHECKS),
    ...plan(services ? [...firstOAuth2, ...keys.slice(0, 1)] : [], RESOURCE_SERVER_CHECKS),
    ...plan(all.filter(isManagement), MANAGEMENT_CHECKS),
    ...plan(firstOAuth2, LIMIT_CHECKS),
    ...planRouted(oauth2, [TOKEN_REVOCATION_CHECK]),
    ...plan(firstOAuth2, [SECRET_REVOCATION_CHECK]),
    ...planRouted(routedKeys.slice(0, 1), [KEY_REVOCATION_CHECK]),
  ]
}
