import type { ApiSettings } from '../options/settings.js'
import type { RateLimits } from '../rate-limits/create.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { AccessToken } from '../tokens/verify-access-token.js'
import type { AuthInfo } from './auth-info.js'
import { createIdentify } from './authenticate.js'
import type { Guard } from './guard.js'
import { apiNamed, readGuardArguments, type GuardArguments } from './guard-options.js'
import { createGuards } from './guards.js'
import { createVerifiers } from './verify.js'

type GuardsOptions = Omit<Parameters<typeof createGuards>[0], 'identify' | 'requestLimits'>
type IdentifyOptions = Parameters<typeof createIdentify>[0]

interface ResourceServerOptions extends GuardsOptions, IdentifyOptions {
  readonly apis: ReadonlyMap<string, ApiSettings>
  readonly rateLimits: Pick<RateLimits, 'create'>
}

/** The calls of `auth` that protect APIs. Their arguments are checked here; `PlatformAuth` has the types. */
export interface ResourceServer {
  requireBearer(...args: GuardArguments): Guard
  requireApiKey(...args: GuardArguments): Guard
  verifyAccessToken(api: string, token: string): Promise<AuthInfo>
  verifyApiKey(api: string, key: string): Promise<AuthInfo>
  /** The access token with the scopes that a guard of the API would grant; undefined where the guard would refuse it. */
  findActiveToken(api: ApiSettings, token: string): Promise<AccessToken | undefined>
}

export function createResourceServer({ apis, rateLimits, ...options }: ResourceServerOptions): ResourceServer {
  const identify = createIdentify(options)
  const requestLimits = createRequestLimits(apis, rateLimits)
  const guards = createGuards({ ...options, identify, requestLimits })
  const verifiers = createVerifiers({ identify, requestLimits, available: options.available })

  return {
    requireBearer(...args) {
      const { api, options: guardOptions } = readGuardArguments(apis, 'oauth2', args)
      return guards.bearer(api, guardOptions)
    },
    requireApiKey(...args) {
      const { api, options: guardOptions } = readGuardArguments(apis, 'apiKey', args)
      return guards.apiKey(api, guardOptions)
    },
    async verifyAccessToken(name, token) {
      return verifiers.accessToken(apiNamed(apis, name, 'oauth2', 'verifyAccessToken'), token)
    },
    async verifyApiKey(name, key) {
      return verifiers.apiKey(apiNamed(apis, name, 'apiKey', 'verifyApiKey'), key)
    },
    async findActiveToken(api, token) {
      const identity = await identify.byAccessToken(api, token)
      if (typeof identity === 'string' || !identity.token) return undefined
      return { ...identity.token, scopes: identity.scopes }
    },
  }
}

/** The `requests` limit of each API that has one. */
function createRequestLimits(
  apis: ReadonlyMap<string, ApiSettings>,
  rateLimits: Pick<RateLimits, 'create'>,
): ReadonlyMap<ApiSettings, RateLimit> {
  const limits = new Map<ApiSettings, RateLimit>()
  for (const api of apis.values()) {
    const limit = rateLimits.create(`requests:${api.name}`, api.rateLimit, { policy: api.name })
    if (limit) limits.set(api, limit)
  }
  return limits
}
