import type { IncomingMessage } from 'node:http'
import type { ReportOnlyOptions } from '../../shared/contracts/api.js'
import type { OnDenied } from '../options/options.js'
import type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './identity.js'
import type { OtherIssuersGuard } from './other-issuers.js'
import type { ScopesByMethod } from './requirement.js'

/** The options of every guard. */
export interface GuardOptions extends ReportOnlyOptions {
  /** Lets a request without a credential pass. A bad credential is still refused. */
  readonly optional?: boolean
  /** Replaces this guard's refusals; the platform's `onDenied` if left out. */
  readonly onDenied?: OnDenied
}

/** The options of a guard of one API. */
interface ApiGuardOptions<Scope extends string> extends GuardOptions {
  /** The access token or key needs all of these scopes, for every method or per method; none if left out. */
  readonly scopes?: readonly Scope[] | ScopesByMethod<Scope>
  /** The access token or key needs one of these scopes, besides all of `scopes`. */
  readonly anyScope?: readonly Scope[]
  /**
   * The units that a request counts toward the application's plan (`plans()`): a whole number from 0 to 1,000,000, or a function of the
   * request that returns one. 1 if left out.
   */
  readonly cost?: RequestCost
}

/** The options of a bearer guard. */
export interface BearerGuardOptions<
  Scope extends string = string,
  Metadata = Record<string, unknown>,
> extends ApiGuardOptions<Scope> {
  /** Decides about each request that meets everything else. It is not asked about requests without a credential. */
  readonly allow?: AllowRequest<AccessTokenInfo<Metadata>>
  /**
   * Your own guard, for bearer tokens of other issuers and for those that are not JWTs. The other options do not apply to
   * them, and `maybeAuthOf(req)` is undefined behind it.
   */
  readonly otherIssuers?: OtherIssuersGuard
}

/** The options of an API key guard. */
export interface ApiKeyGuardOptions<
  Scope extends string = string,
  Metadata = Record<string, unknown>,
> extends ApiGuardOptions<Scope> {
  /** Decides about each request that meets everything else. It is not asked about requests without a credential. */
  readonly allow?: AllowRequest<ApiKeyInfo<Metadata>>
}

/** The options of `verifyAccessToken()` and `verifyApiKey()`. */
export interface VerifyOptions {
  /**
   * The request to which the credential belongs. Guards and verifiers count it once for each application toward the `requests`
   * limit of the API, and toward its plan. Without it, each call counts.
   */
  readonly req?: object | undefined
  /** As a guard's `cost`; a function needs `req`, with which it is called. 1 if left out. */
  readonly cost?: RequestCost | undefined
}

/** The units of a request toward the application's plan: 0 to 1,000,000, or a function of the request. */
export type RequestCost =
  | number
  | {
      // A method, because its parameter may be narrower: the function can take Express's Request.
      cost(req: IncomingMessage): number
    }['cost']

/**
 * Decides whether this caller may make this request: true or false, or a refusal of your own; or a promise of one within 5
 * seconds. Other results and errors are answered with 500 or 503 and never reach the route.
 *
 * @example
 * ```ts
 * import type { Request } from 'express'
 * import type { AllowRequest } from 'express-platform-auth'
 *
 * const isOwner: AllowRequest = ({ application }, req: Request) =>
 *   req.params['owner'] === application.id || { status: 404, error: 'not_found', description: 'There is no such order' }
 * ```
 */
export type AllowRequest<Info = AuthInfo> = {
  // A method, because its parameters may be narrower: the function can take Express's Request.
  allow(auth: Info, req: IncomingMessage): AllowAnswer | PromiseLike<AllowAnswer>
}['allow']

type AllowAnswer = boolean | OwnDenial

/** A refusal by a guard's `allow`. Members that are left out are as for `false`. A `Denial` is one too. */
export interface OwnDenial {
  /** A status from 400 to 599; 403 if left out. */
  readonly status?: number
  /** The `error` member of the answer; `access_denied` if left out. */
  readonly error?: string
  /** The `error_description` member of the answer. Only ASCII is sent (RFC 6749 5.2). */
  readonly description?: string
  /** Replaces or adds headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
}
