import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { endRefusal } from '../../core/http/refused-upload.js'
import { setHeaders } from '../../core/http/respond.js'
import { ApplicationError, ConfigurationError, OAuthError, StoreUnavailableError, type Denial } from '../../index.js'
import { retryAfter } from '../../shared/contracts/denial.js'

/** A refusal of a request to management (RFC 9457). `code` is that of `ApplicationError` or of the guard, or one of those below. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ProblemCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail)
    this.code = code
    this.status = STATUS[code]
    this.headers = headers
  }
}

type ProblemCode = keyof typeof STATUS

export const STATUS = {
  application_not_found: 404,
  credential_not_found: 404,
  signing_key_not_found: 404,
  invalid_argument: 400,
  unknown_api: 400,
  unknown_scope: 400,
  invalid_state: 409,
  conflict: 409,
  api_closed: 409,
  not_granted: 409,
  too_many_credentials: 409,
  too_many_contacts: 409,
  not_configured: 409,
  invalid_request: 400,
  unauthorized: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  access_denied: 403,
  network_not_allowed: 403,
  cost_above_limit: 403,
  protected_application: 403,
  not_offered: 404,
  method_not_allowed: 405,
  version_changed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  quota_exceeded: 429,
  store_unavailable: 503,
  temporarily_unavailable: 503,
  unexpected: 500,
} as const satisfies Readonly<Record<ApplicationError['code'], number>> & Readonly<Record<string, number>>

/** Titles of problems, by status; those of RFC 9110 where Node has older ones. */
const TITLES: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ApplicationError) return new Problem(error.code, error.message)
  if (error instanceof ConfigurationError) return new Problem('not_configured', error.message)
  if (error instanceof StoreUnavailableError) {
    const unknown = error.outcome === 'unknown' ? ' The change may have been made: check before you repeat it.' : ''
    return new Problem('store_unavailable', `The store is unavailable, try again later.${unknown}`, retryAfter(1))
  }
  if (error instanceof OAuthError && error.status < 500)
    return new Problem(BODY_CODES[error.status] ?? 'invalid_request', error.description)
  return new Problem('unexpected', 'The server met an unexpected condition.')
}

export function toGuardProblem({ error, description, headers }: Denial): Problem {
  return new Problem(Object.hasOwn(STATUS, error) ? (error as ProblemCode) : 'unexpected', description, headers)
}

const BODY_CODES: Readonly<Record<number, ProblemCode>> = { 413: 'body_too_large', 415: 'unsupported_media_type' }

export function sendProblem(req: IncomingMessage, res: ServerResponse, problem: Problem): void {
  const { status, code, message, headers } = problem
  if (res.headersSent) return void res.destroy()
  const body = JSON.stringify({ title: TITLES[status], status, code, detail: message })
  res.statusCode = status
  setHeaders(res, { ...headers, 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' })
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Length', Buffer.byteLength(body))
  endRefusal(req, res, body)
}
