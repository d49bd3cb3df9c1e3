import type { IncomingMessage } from 'node:http'
import type { AuthInfo } from './auth-info.js'

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
