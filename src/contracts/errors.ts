/** Every error code that is sent, with its HTTP status. */
export const STATUS_BY_ERROR = {
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
  too_many_requests: 429,
  server_error: 500,
  temporarily_unavailable: 503,
} as const

/** The `error` member of a refusal (RFC 6749 5.2, RFC 6750 3.1, RFC 8707 2). */
export type ErrorCode = keyof typeof STATUS_BY_ERROR

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

/** The header of a 429 or 503 (RFC 9110 10.2.3). Every `Retry-After` is made here: by rate-limits/rate-limit and http/respond. */
export function retryAfter(seconds: number): { readonly 'Retry-After': string } {
  return { 'Retry-After': String(seconds) }
}

interface OAuthErrorOptions {
  /** Replaces the code's status, for a wrong method, size or media type. */
  readonly status?: 405 | 413 | 415
  readonly headers?: Denial['headers']
  /** For the log; never sent. */
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
export class OAuthError extends Error implements Denial {
  override readonly name = 'OAuthError'
  /** The code of RFC 6749 5.2 or RFC 6750 3.1, such as `invalid_token`. */
  readonly error: ErrorCode
  /** For the client's developers; the same text as `message`. */
  readonly description: string
  /** The HTTP status. */
  readonly status: number
  /** All headers of the refusal, as in `Denial`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(error: ErrorCode, description: string, options: OAuthErrorOptions = {}) {
    // Without a prototype: a polluted Object.prototype must not become the status or the headers of an answer.
    const { status, headers = {}, cause } = Object.assign(Object.create(null) as OAuthErrorOptions, options)
    super(description, { cause })
    this.error = error
    this.description = description
    this.status = status ?? STATUS_BY_ERROR[error]
    this.headers = { ...COMMON_HEADERS, ...headers }
  }

  /** The same string as `error`, under the name that Node's errors use. */
  get code(): ErrorCode {
    return this.error
  }
}

/** What is wrong with a configuration, in the parts from which a message or a report is built. */
export interface ConfigurationProblem {
  /** The option, such as `cors.origin`. Undefined where a call is at fault, or the store. */
  readonly option?: string | undefined
  /** What is wrong, without a full stop: what follows the option's name (`is 5`), or a sentence where there is none. */
  readonly problem: string
  /** What to do about it, in full sentences. */
  readonly fix: string
}

/** `ErrorOptions` of lib es2022, which hosts with an older `lib` do not have. */
interface CauseOptions {
  readonly cause?: unknown
}

/** What is wrong and what to do, in one line. */
export function describeWithFix({ option, problem, fix }: ConfigurationProblem): string {
  return option === undefined ? `${problem}. ${fix}` : `${option} ${problem}. ${fix}`
}

/**
 * A wrong option or call, found at start-up. The message is built from the parts.
 *
 * @example
 * ```ts
 * import { ConfigurationError, createPlatformAuth } from 'express-platform-auth'
 *
 * try {
 *   createPlatformAuth({ baseUrl: 'api.example.com', apis: {} })
 * } catch (error) {
 *   if (error instanceof ConfigurationError) console.error(error.option, error.problem, error.fix)
 * }
 * ```
 */
export class ConfigurationError extends Error implements ConfigurationProblem {
  static {
    recognizeAcrossCopies(this, 'ConfigurationError')
  }

  override readonly name = 'ConfigurationError'
  readonly code = 'invalid_configuration'
  readonly option: string | undefined
  readonly problem: string
  readonly fix: string

  constructor(problem: ConfigurationProblem, options?: CauseOptions) {
    super(describeWithFix(problem), options)
    this.option = problem.option
    this.problem = problem.problem
    this.fix = problem.fix
  }
}

/** Why a call of `auth.applications` or `auth.signingKeys` was refused. */
export type ApplicationErrorCode =
  | 'application_not_found'
  | 'invalid_argument'
  | 'unknown_api'
  | 'unknown_scope'
  | 'invalid_state'
  | 'api_closed'
  | 'credential_not_found'
  | 'too_many_credentials'
  | 'too_many_contacts'
  | 'not_granted'
  | 'signing_key_not_found'
  | 'conflict'

/**
 * A call of `auth.applications` or `auth.signingKeys` that was refused; `code` says why.
 *
 * @example
 * ```ts
 * import { ApplicationError, type PlatformAuth } from 'express-platform-auth'
 *
 * async function suspend(auth: PlatformAuth, id: string): Promise<boolean> {
 *   try {
 *     await auth.applications.suspend(id, { by: 'support' })
 *     return true
 *   } catch (error) {
 *     if (error instanceof ApplicationError && error.code === 'application_not_found') return false
 *     throw error
 *   }
 * }
 * ```
 */
export class ApplicationError extends Error {
  override readonly name = 'ApplicationError'
  readonly code: ApplicationErrorCode

  constructor(code: ApplicationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

interface StoreUnavailableOptions {
  readonly cause?: unknown
  readonly outcome?: 'unknown' | undefined
}

/**
 * The store did not answer. On the wire: 503 `temporarily_unavailable`.
 *
 * @example
 * ```ts
 * import { StoreUnavailableError, type PlatformAuth } from 'express-platform-auth'
 *
 * async function rotate(auth: PlatformAuth, id: string): Promise<string | undefined> {
 *   try {
 *     return (await auth.applications.rotateSecret(id, { overlap: 3600 })).credentials.clientSecret
 *   } catch (error) {
 *     if (!(error instanceof StoreUnavailableError)) throw error
 *     // 'unknown': the rotation may have been made. Look at `secrets` of `auth.applications.get(id)`.
 *     return undefined
 *   }
 * }
 * ```
 */
export class StoreUnavailableError extends Error {
  static {
    recognizeAcrossCopies(this, 'StoreUnavailableError')
  }

  override readonly name = 'StoreUnavailableError'
  readonly code = 'store_unavailable'
  /** `unknown` if the change may have been made: check before you repeat it. Undefined if nothing was changed. */
  readonly outcome: 'unknown' | undefined

  constructor(message: string, options: StoreUnavailableOptions = {}) {
    super(message, options)
    this.outcome = options.outcome
  }
}

/** A store that can't be used, however long one waits: its schema is another version's, or its driver is not installed. */
export class StoreIncompatibleError extends Error implements ConfigurationProblem {
  static {
    recognizeAcrossCopies(this, 'StoreIncompatibleError')
  }

  override readonly name = 'StoreIncompatibleError'
  readonly code: 'schema_too_new' | 'schema_too_old' | 'driver_missing'
  readonly option = undefined
  readonly problem: string
  readonly fix: string

  constructor(
    code: StoreIncompatibleError['code'],
    problem: Pick<ConfigurationProblem, 'problem' | 'fix'>,
    options?: CauseOptions,
  ) {
    super(describeWithFix(problem), options)
    this.code = code
    this.problem = problem.problem
    this.fix = problem.fix
  }
}

/**
 * Makes `instanceof` true for errors of another copy of the package too: an app may load the ES modules while its store or
 * its options module loads CommonJS.
 */
function recognizeAcrossCopies(type: new (...args: never[]) => Error, name: string): void {
  const brand = Symbol.for(`express-platform-auth.${name}`)
  Object.defineProperty(type.prototype, brand, { value: true })
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, error: unknown): boolean {
      // A subclass inherits this function and is recognized by its prototype, as usual.
      if (this !== type) return Function.prototype[Symbol.hasInstance].call(this, error)
      return typeof error === 'object' && error !== null && brand in error
    },
  })
}
