import type { Api, Limit } from '../../shared/contracts/api.js'
import type { EmitEarly } from '../../shared/contracts/events.js'
import type { ReportOnlySettings } from '../options/read-report-only.js'
import type { PlanLimits } from '../rate-limits/rate-limit.js'
import type { RateLimits } from '../rate-limits/rate-limits.js'
import type { AccessToken } from '../tokens/verified-token.js'
import type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './auth-info.js'
import type { createAuthenticator } from './authenticate.js'
import type { GuardParts } from './guard-parts.js'
import type { Guard } from './guard-config.js'
import type { VerifyOptions } from './guard-options.js'
import type { GuardArguments } from './guard-arguments.js'
import type { createGuards } from './guards.js'
import type { RefusalReporterOptions } from './report-only.js'

type GuardsOptions = Omit<
  Parameters<typeof createGuards>[0],
  'authenticator' | 'requestLimits' | 'reportOnlyOf' | 'reporter' | 'outcomes' | 'decisions' | 'now'
> &
  Omit<RefusalReporterOptions, 'outcomes' | 'now'>

type AuthenticatorOptions = Parameters<typeof createAuthenticator>[0]

/** An API with the other parts that its guards need. */
export interface LimitedApi extends Api {
  readonly rateLimit: Limit | false
  readonly reportOnly: ReportOnlySettings
}

export interface ResourceServerOptions extends Omit<GuardsOptions, 'readCost'>, AuthenticatorOptions {
  readonly apis: ReadonlyMap<string, LimitedApi>
  readonly rateLimits: Pick<RateLimits, 'create'>
  /** What limits by plans; undefined if nothing does. */
  readonly plans: PlanLimits | undefined
  readonly emit: EmitEarly
}

/** The calls of `auth` that protect APIs. Their arguments are checked here; `GuardsApi` has the types. */
export interface ResourceServer {
  requireBearer(...args: GuardArguments): Guard
  requireApiKey(...args: GuardArguments): Guard
  requireAny(guards: unknown, options?: unknown): Guard
  /** `authOf()`, with the type that `PlatformAuth` gives it. */
  of(req: object, api?: string): AuthInfo
  verifyAccessToken(api: string, token: string, options?: VerifyOptions): Promise<AccessTokenInfo>
  verifyApiKey(api: string, key: string, options?: VerifyOptions): Promise<ApiKeyInfo>
  /** The access token with the scopes that a guard of the API would grant; undefined if the guard would refuse it. */
  findActiveToken(api: Api, token: string): Promise<AccessToken | undefined>
  /** For tools that make guards. */
  readonly guardParts: GuardParts
}
