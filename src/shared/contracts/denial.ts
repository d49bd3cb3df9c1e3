import { recognizeAcrossCopies } from './errors.js'

/** Every error code that is sent, with its HTTP status. */
const STATUS_BY_ERROR = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  unauthorized_client: 400,
  invalid_scope: 400,
  invalid_target: 400,
  unauthorized: 401,
  invalid_client: 401,
  invalid_token: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  access_denied: 403,
  network_not_allowed: 403,
  cost_above_limit: 403,
  too_many_requests: 429,
  quota_exceeded: 429,
  server_error: 500,
  temporarily_unavailable: 503,
} as const

/** The `error` member of a refusal (RFC 6749 5.2, RFC 6750 3.1, RFC 8707 2). */
export type ErrorCode = keyof typeof STATUS_BY_ERROR

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(STATUS_BY_ERROR, text)
}

/** A refusal, as it is sent. A plain object, because creating an Error with its stack is slow. */
export interface Denial {
  /** The HTTP status. */
  readonly status: number
  /** The `error` member of the JSON answer: one of these, or what a guard's `allow` answered. */
  readonly error: ErrorCode | (string & Record<never, never>)
  /** The `error_description` member of the JSON answer, for the client's developers. */
  readonly description: string
  /**
   * All headers of the refusal: `Content-Type` (of the JSON answer), `Cache-Control`, `X-Content-Type-Options`, and where they
   * apply `WWW-Authenticate`, `Retry-After` and `Allow`.
   */
  readonly headers: Readonly<Record<string, string>>
}

/** A refusal as central error handlers expect it: an error of one request, which they may change. */
export interface DenialError extends Denial, Error {
  /** The same number as `status`, under the other name that error handlers of Express apps read. */
  readonly statusCode: number
  /** Whether an error handler may show `message`: below 500, as http-errors has it. */
  readonly expose: boolean
}

/** The headers of every refusal. */
const COMMON_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const

/** A `Denial` with the status of its code. Frozen, because one created at start-up is passed to every `onDenied`. */
export function createDenial(error: ErrorCode, description: string, headers: Denial['headers'] = {}): Denial {
  return createOwnDenial(STATUS_BY_ERROR[error], error, description, headers)
}

/** A `Denial` with a code of the host. */
export function createOwnDenial(
  status: number,
  error: Denial['error'],
  description: string,
  headers: Denial['headers'],
): Denial {
  return Object.freeze({ status, error, description, headers: Object.freeze({ ...COMMON_HEADERS, ...headers }) })
}

/** The header of a 429 or 503 (RFC 9110 10.2.3). Every `Retry-After` is made by this function. */
export function retryAfter(seconds: number): { readonly 'Retry-After': string } {
  return { 'Retry-After': String(seconds) }
}

/** The cause of a 429, for the log: what has set the limit. */
export class LimitCause {
  /** The path of an option, or what else an operator can change. */
  readonly setBy: string

  constructor(setBy: string) {
    this.setBy = setBy
  }
}

/** The cause of a 503 that is another's outage, not the store's: a sentence for the log, which no caller gets. */
export class OutageCause extends Error {}

interface OAuthErrorOptions {
  /** Replaces the code's status, for a wrong method, size or media type. */
  readonly status?: 405 | 413 | 415
  readonly headers?: Denial['headers']
  /** The cause for the log; never sent. */
  readonly cause?: unknown
}

/**
 * A refusal as RFC 6749 5.2 and RFC 6750 3.1 define it. `verifyAccessToken()` and `verifyApiKey()` reject with it.
 *
 * @example
 * ```ts
 * import { OAuthError } from 'express-platform-auth'
 *
 * function closeCodeFor(error: unknown): number {
 *   return error instanceof OAuthError && error.status === 503 ? 1013 : 1008
 * }
 * ```
 */
export class OAuthError extends Error implements DenialError {
  static {
    recognizeAcrossCopies(this, 'OAuthError')
  }

  override readonly name = 'OAuthError'
  /** The code of RFC 6749 5.2 or RFC 6750 3.1, such as `invalid_token`. */
  readonly error: ErrorCode
  /** A text for the client's developers; the same as `message`. */
  readonly description: string
  /** The HTTP status. */
  readonly status: number
  /** All headers of the refusal, as in `Denial`. */
  readonly headers: Readonly<Record<string, string>>
  /** The same number as `status`, under the other name that error handlers of Express apps read. */
  readonly statusCode: number
  /** Whether an error handler may show `message`: below 500, as http-errors has it. */
  readonly expose: boolean
  /** The same string as `error`, under the name that Node's errors use. */
  readonly code: ErrorCode

  constructor(error: ErrorCode, description: string, options: OAuthErrorOptions = {}) {
    // The members have no prototype: a polluted Object.prototype must not become the status or the headers of an answer.
    const { status, headers = {}, cause } = Object.assign(Object.create(null) as OAuthErrorOptions, options)
    super(description, { cause })
    this.error = error
    this.description = description
    this.status = status ?? STATUS_BY_ERROR[error]
    this.headers = { ...COMMON_HEADERS, ...headers }
    // These are members, not getters: many central handlers write `error.statusCode = error.statusCode || 500`.
    this.statusCode = this.status
    this.expose = this.status < 500
    this.code = error
  }
}

/** A refusal as an error that central error handlers understand: one of its own for each request. */
export function toOAuthError({ status, error, description, headers }: Denial, cause?: unknown): OAuthError {
  // A guard's own `allow` may have chosen another code and status.
  return new OAuthError(error as ErrorCode, description, {
    status: status as 405,
    headers,
    cause,
  })
}

/**
 * An error of one request, for `onDenied` and for refusals that come in floods: an `OAuthError` with the members that the constructor
 * sets. The constructor of Error is not called, because recording a stack of 20 functions took 24 to 42 us, and all of this 1.3 to 2.2.
 * So `stack` is one line, and `util.types.isNativeError()` is false.
 */
export function createDenialError({ status, error, description, headers }: Denial, cause?: unknown): OAuthError {
  const made = Object.create(OAuthError.prototype) as { -readonly [Name in keyof OAuthError]: OAuthError[Name] }
  // Not enumerable, as in every error.
  Object.defineProperty(made, 'stack', { value: `OAuthError: ${description}`, writable: true, configurable: true })
  Object.defineProperty(made, 'message', { value: description, writable: true, configurable: true })
  if (cause !== undefined) Object.defineProperty(made, 'cause', { value: cause, writable: true, configurable: true })
  made.name = 'OAuthError'
  made.error = error as ErrorCode
  made.description = description
  made.status = status
  made.headers = { ...headers }
  made.statusCode = status
  made.expose = status < 500
  made.code = error as ErrorCode
  return made
}
