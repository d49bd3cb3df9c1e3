import type { ServerResponse } from 'node:http'
import type { ApiSettings } from '../options/settings.js'
import { hasDuplicateHeader } from '../http/request.js'
import type { OnDenied } from '../options/options.js'
import { apiKeyStrategy } from './api-key-strategy.js'
import { bearerStrategy } from './bearer-strategy.js'
import { readBearer } from '../http/bearer.js'
import { guardMaker, type Guard, type GuardMakerOptions } from './guard.js'
import type { Identify } from './authenticate.js'
import { privatePassport } from './passport-adapter.js'
import { apiKeyRefusals, bearerRefusals } from './error-responses.js'

/** What every guard can be told. */
export interface GuardOptions {
  /** Lets a request without credential pass; a bad credential is refused all the same. */
  readonly optional?: boolean
  /** Replaces this guard's answers; the platform's `onDenied` if left out. */
  readonly onDenied?: OnDenied
}

/** What a bearer guard can be told. */
export interface BearerGuardOptions<Scope extends string = string> extends GuardOptions {
  /** The access token needs all of them; none if left out. */
  readonly scopes?: readonly Scope[]
}

/** Makes guards for one platform. */
export interface Guards {
  bearer(api: ApiSettings, options: BearerGuardOptions): Guard
  apiKey(api: ApiSettings, options: GuardOptions): Guard
}

interface GuardsOptions extends GuardMakerOptions {
  readonly identify: Identify
  readonly onDenied: OnDenied | undefined
}

export function createGuards({ identify, onDenied: platformOnDenied, ...options }: GuardsOptions): Guards {
  const guard = guardMaker(options)
  const authenticateBearer = privatePassport(bearerStrategy(identify))
  const authenticateApiKey = privatePassport(apiKeyStrategy(identify))

  return {
    bearer(api, { scopes = [], optional = false, onDenied = platformOnDenied }) {
      return guard({
        api,
        scopes,
        optional,
        onDenied,
        refusals: bearerRefusals(api, scopes),
        authenticate: authenticateBearer,
        readCredential(req) {
          if (hasDuplicateHeader(req, 'authorization')) return 'twoCredentials'
          const { authorization } = req.headers
          const reading = readBearer(authorization)
          if (reading === undefined) return 'noCredential'
          return reading ? { authorization: reading } : 'malformed'
        },
      })
    },
    apiKey(api, { optional = false, onDenied = platformOnDenied }) {
      return guard({
        api,
        scopes: [],
        optional,
        onDenied,
        refusals: apiKeyRefusals(api),
        authenticate: authenticateApiKey,
        readCredential(req) {
          if (hasDuplicateHeader(req, 'x-api-key')) return 'twoCredentials'
          const key = req.headers['x-api-key']
          return typeof key === 'string' && key !== '' ? { 'x-api-key': key } : 'noCredential'
        },
        prepare: keepFromSharedCaches,
      })
    },
  }
}

/** RFC 9111 3.5 keeps answers to `Authorization` out of shared caches, and knows nothing of `X-Api-Key`. */
function keepFromSharedCaches(res: ServerResponse): void {
  const vary = res.getHeader('Vary')
  res.setHeader('Vary', vary === undefined ? 'X-Api-Key' : `${String(vary)}, X-Api-Key`)
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'private')
}
