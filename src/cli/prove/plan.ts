import type { Api } from '../../index.js'
import { API_KEY_CHECKS } from './api-keys.js'
import { GUARD_CACHING_CHECKS, TOKEN_CACHING_CHECKS } from './caching.js'
import type { Check } from './check.js'
import { CORS_CHECKS } from './cors.js'
import { CREDENTIAL_CHECKS } from './credentials.js'
import { BEARER_GUARD_CHECKS } from './guards.js'
import { GUARD_INSTANCE_CHECKS, INSTANCE_CHECKS, KEY_SET_INSTANCE_CHECKS } from './instances.js'
import { INTROSPECTION_CHECKS } from './introspection.js'
import { ADDRESS_CHECKS, LIMIT_CHECKS } from './limits.js'
import { KEY_SET_CHECKS, METADATA_CHECKS } from './metadata.js'
import { GUARDED_PATH_CHECKS, PATH_CHECKS } from './paths.js'
import {
  KEY_REVOCATION_CHECKS,
  SECRET_REVOCATION_CHECKS,
  SUSPENSION_CHECKS,
  TOKEN_REVOCATION_CHECKS,
} from './revocation.js'
import { TOKEN_BODY_CHECKS } from './token-bodies.js'
import { TOKEN_BASICS, TOKEN_ENDPOINT_CHECKS } from './token-endpoint.js'

/** One check of one API. */
export interface PlannedCheck {
  readonly subject: string
  readonly api: Api
  readonly check: Check
  /** Whether it needs a guarded route of the API. */
  readonly needsRoute: boolean
}

/** A subject: its checks, and the APIs that they are made for. */
interface Subject {
  readonly name: string
  readonly apis: (apis: Apis) => readonly Api[]
  readonly checks: readonly Check[]
  readonly needsRoute?: true
}

interface Apis {
  readonly all: readonly Api[]
  readonly oauth2: readonly Api[]
  readonly keys: readonly Api[]
  /** Whether the API has a guarded route. */
  readonly isRouted: (api: Api) => boolean
}

const first = <Item>(items: readonly Item[]): readonly Item[] => items.slice(0, 1)
const firstOAuth2 = ({ oauth2 }: Apis): readonly Api[] => first(oauth2)

/** Chooses one API for requests of the caller: with a guarded route, if there is one. */
const findReachable = ({ all, oauth2, isRouted }: Apis): readonly Api[] => {
  const routed = all.filter(isRouted)
  return first(routed.length > 0 ? routed : oauth2)
}

/** The subjects in the order in which they run. The last ones replace and end the credentials. */
const SUBJECTS: readonly Subject[] = [
  { name: 'key set', apis: ({ all }) => first(all), checks: [...KEY_SET_CHECKS, ...KEY_SET_INSTANCE_CHECKS] },
  { name: 'limits', apis: ({ all }) => first(all), checks: ADDRESS_CHECKS },
  { name: 'token endpoint', apis: ({ oauth2 }) => oauth2, checks: TOKEN_BASICS },
  { name: 'token endpoint', apis: firstOAuth2, checks: [...TOKEN_ENDPOINT_CHECKS, ...TOKEN_BODY_CHECKS] },
  { name: 'credentials', apis: firstOAuth2, checks: CREDENTIAL_CHECKS },
  { name: 'instances', apis: firstOAuth2, checks: INSTANCE_CHECKS },
  { name: 'metadata', apis: ({ oauth2 }) => oauth2, checks: METADATA_CHECKS },
  { name: 'introspection', apis: firstOAuth2, checks: INTROSPECTION_CHECKS },
  { name: 'paths', apis: firstOAuth2, checks: PATH_CHECKS },
  { name: 'cors', apis: firstOAuth2, checks: CORS_CHECKS },
  { name: 'caching', apis: firstOAuth2, checks: TOKEN_CACHING_CHECKS },
  { name: 'bearer guards', apis: ({ oauth2 }) => oauth2, checks: BEARER_GUARD_CHECKS, needsRoute: true },
  { name: 'API key guards', apis: ({ keys }) => keys, checks: API_KEY_CHECKS, needsRoute: true },
  {
    name: 'guards',
    apis: ({ all }) => all,
    checks: [...GUARD_CACHING_CHECKS, ...GUARDED_PATH_CHECKS, ...GUARD_INSTANCE_CHECKS],
    needsRoute: true,
  },
  { name: 'limits', apis: firstOAuth2, checks: LIMIT_CHECKS },
  { name: 'revocation', apis: ({ oauth2 }) => oauth2, checks: TOKEN_REVOCATION_CHECKS, needsRoute: true },
  { name: 'revocation', apis: firstOAuth2, checks: SECRET_REVOCATION_CHECKS },
  {
    name: 'revocation',
    apis: ({ keys, isRouted }) => first(keys.filter(isRouted)),
    checks: KEY_REVOCATION_CHECKS,
    needsRoute: true,
  },
  { name: 'revocation', apis: findReachable, checks: SUSPENSION_CHECKS },
]

/** Lists every check in the order in which they run. Checks that need a route are listed for APIs without one, too. */
export function planChecks(all: readonly Api[], routes: ReadonlyMap<string, string>): PlannedCheck[] {
  const apis: Apis = {
    all,
    oauth2: all.filter(({ scheme }) => scheme === 'oauth2'),
    keys: all.filter(({ scheme }) => scheme === 'apiKey'),
    isRouted: ({ name }) => routes.has(name),
  }
  return SUBJECTS.flatMap(({ name, apis: select, checks, needsRoute = false }) =>
    select(apis).flatMap((api) => checks.map((check) => ({ subject: name, api, check, needsRoute }))),
  )
}
