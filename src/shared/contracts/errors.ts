/** A problem of a configuration, in the parts from which a message or a report is built. */
export interface ConfigurationProblem {
  /** The option, such as `cors.origin`. Undefined where a call is at fault, or the store. */
  readonly option?: string | undefined
  /** The problem without a full stop: the words after the option's name (`is 5`), or a sentence if there is no option. */
  readonly problem: string
  /** The fix, in full sentences. */
  readonly fix: string
}

/** `ErrorOptions` of lib es2022, which hosts with an older `lib` do not have. */
interface CauseOptions {
  readonly cause?: unknown
}

/** A text with one full stop at its end, whether it had one or not. */
export function toSentence(text: string): string {
  return text.trim().replace(/(?<=[^.?!])$/, '.')
}

export function describeWithFix({ option, problem, fix }: ConfigurationProblem): string {
  return `${toSentence(option === undefined ? problem : `${option} ${problem}`)} ${fix}`
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

/** The reason why a call of `auth.applications` or `auth.signingKeys` was refused. */
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
  static {
    recognizeAcrossCopies(this, 'ApplicationError')
  }

  override readonly name = 'ApplicationError'
  readonly code: ApplicationErrorCode

  constructor(code: ApplicationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export function invalidArgument(message: string): ApplicationError {
  return new ApplicationError('invalid_argument', message)
}

export function invalidState(message: string): ApplicationError {
  return new ApplicationError('invalid_state', message)
}

/** The error for an argument `after` of a list that is none. */
export function invalidCursor(): ApplicationError {
  return invalidArgument('after must be the `next` of the page before.')
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

  constructor(message: string, options: { readonly cause?: unknown; readonly outcome?: 'unknown' | undefined } = {}) {
    super(message, options)
    this.outcome = options.outcome
  }
}

/** A secret was not compared, because others were compared first. For the caller the same as an outage; for limits a failure. */
export class NoTurnError extends StoreUnavailableError {
  static {
    recognizeAcrossCopies(this, 'NoTurnError')
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
 * Makes `instanceof` true for errors of another copy of the package too: an app may load the ES modules while its store, its
 * features or its options module load CommonJS.
 */
export function recognizeAcrossCopies(type: new (...args: never[]) => Error, name: string): void {
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
