import type { Api, Limit } from '../contracts/api.js'
import type { EmitEarly } from '../contracts/events.js'
import type { ReportOnlySettings } from '../options/read-report-only.js'
import type { RateLimits } from '../rate-limits/create.js'
import type { AccessToken } from '../tokens/verify-access-token.js'
import type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './auth-info.js'
import { authOf } from './auth-of.js'
import { createAuthenticator } from './authenticate.js'
import type { DocumentGuard } from './document-guard.js'
import type { Guard } from './guard.js'
import type { VerifyOptions } from './guard-options.js'
import {
  readRequest,
  findApi,
  readAnyGuardOptions,
  readApiKeyArguments,
  readBearerArguments,
  readDocumentArguments,
  refuseRequest,
  type GuardArguments,
} from './guard-arguments.js'
import { createGuards } from './guards.js'
import { createOutcomes } from './outcomes.js'
import { createRequestCounter, type RequestCounter } from './request-counter.js'
import { createRefusalReporter, type RefusalReporterOptions } from './report-only.js'
import { Identity } from './identity.js'
import { createVerifiers } from './verify.js'

type GuardsOptions = Omit<
  Parameters<typeof createGuards>[0],
  'authenticator' | 'requestLimits' | 'reportOnlyOf' | 'reporter' | 'outcomes' | 'now'
> &
  Omit<RefusalReporterOptions, 'outcomes' | 'now'>
type AuthenticatorOptions = Parameters<typeof createAuthenticator>[0]

/** An API with the other parts that its guards need. */
interface LimitedApi extends Api {
  readonly rateLimit: Limit | false
  readonly reportOnly: ReportOnlySettings
}

interface ResourceServerOptions extends GuardsOptions, AuthenticatorOptions {
  readonly apis: ReadonlyMap<string, LimitedApi>
  readonly rateLimits: Pick<RateLimits, 'create'>
  readonly emit: EmitEarly
}

/** The calls of `auth` that protect APIs. Their arguments are checked here; `PlatformAuth` has the types. */
export interface ResourceServer {
  requireBearer(...args: GuardArguments): Guard
  requireApiKey(...args: GuardArguments): Guard
  requireAny(guards: unknown, options?: unknown): Guard
  guardsFromDocument(api: unknown, document: unknown, options?: unknown): DocumentGuard
  /** `authOf()`, with the type that `PlatformAuth` gives it. */
  of(req: object, api?: string): AuthInfo
  verifyAccessToken(api: string, token: string, options?: VerifyOptions): Promise<AccessTokenInfo>
  verifyApiKey(api: string, key: string, options?: VerifyOptions): Promise<ApiKeyInfo>
  /** The access token with the scopes that a guard of the API would grant; undefined if the guard would refuse it. */
  findActiveToken(api: Api, token: string): Promise<AccessToken | undefined>
}

export function createResourceServer({ apis, rateLimits, ...options }: ResourceServerOptions): ResourceServer {
  const authenticator = createAuthenticator(options)
  const requestLimits = createRequestLimits(apis, rateLimits)
  const outcomes = createOutcomes(options.emit)
  const reporter = createRefusalReporter({ ...options, outcomes })
  const reportOnlyOf = new Map([...apis.values()].map(({ name, reportOnly }) => [name, reportOnly]))
  const guards = createGuards({ ...options, apis, authenticator, requestLimits, reportOnlyOf, reporter, outcomes })
  const verifiers = createVerifiers({ authenticator, requestLimits, available: options.available })

  return {
    requireBearer(...args) {
      const { api, options: guardOptions } = readBearerArguments(apis, args)
      return guards.bearer(api, guardOptions)
    },
    requireApiKey(...args) {
      const { api, options: guardOptions } = readApiKeyArguments(apis, args)
      return guards.apiKey(api, guardOptions)
    },
    requireAny(...args) {
      refuseRequest('requireAny', args)
      return guards.any(args[0], readAnyGuardOptions(args[1]))
    },
    guardsFromDocument(name, document, guardOptions) {
      const {
        api,
        operations,
        options: documentOptions,
        repeated,
      } = readDocumentArguments(apis, name, document, guardOptions)
      return guards.document(api, operations, documentOptions, repeated)
    },
    of: authOf,
    async verifyAccessToken(name, token, verifyOptions) {
      const req = readRequest('verifyAccessToken', verifyOptions)
      return verifiers.accessToken(findApi(apis, name, 'oauth2', 'verifyAccessToken'), token, req)
    },
    async verifyApiKey(name, key, verifyOptions) {
      const req = readRequest('verifyApiKey', verifyOptions)
      return verifiers.apiKey(findApi(apis, name, 'apiKey', 'verifyApiKey'), key, req)
    },
    async findActiveToken(api, token) {
      const identity = await authenticator.byAccessToken(api, token)
      if (!(identity instanceof Identity) || !identity.token) return undefined
      return { ...identity.token, scopes: identity.scopes }
    },
  }
}

/** The `requests` limit of each API that has one. */
function createRequestLimits(
  apis: ReadonlyMap<string, LimitedApi>,
  rateLimits: Pick<RateLimits, 'create'>,
): ReadonlyMap<Api, RequestCounter> {
  const limits = new Map<Api, RequestCounter>()
  for (const api of apis.values()) {
    const limit = rateLimits.create(`requests:${api.name}`, api.rateLimit, { policy: api.name })
    if (limit) limits.set(api, createRequestCounter(api, limit))
  }
  return limits
}
