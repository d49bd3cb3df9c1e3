import { ConfigurationError, type ConfigurationProblem } from '../../shared/contracts/errors.js'
import type { PlatformAuthOptions } from './platform-auth-options.js'
import { readOptions } from './read-options.js'

/** The result of `checkOptions()`. */
export interface OptionsReport {
  /** The error that `createPlatformAuth()` would throw. Options after the wrong one have not been checked. */
  readonly error: ConfigurationError | undefined
  /** The warnings that `createPlatformAuth()` would log: options that are valid, and unsafe in production. */
  readonly warnings: readonly ConfigurationProblem[]
}

/**
 * Validates options as `createPlatformAuth()` does, without opening the store. Some checks depend on `NODE_ENV`.
 *
 * @example
 * ```ts
 * import { checkOptions, type PlatformAuthOptions } from 'express-platform-auth'
 *
 * export function listProblems(options: PlatformAuthOptions): string[] {
 *   const { error, warnings } = checkOptions(options)
 *   return [...warnings, ...(error ? [error] : [])].map(({ option, problem, fix }) => `${option} ${problem}. ${fix}`)
 * }
 * ```
 */
export function checkOptions(options: PlatformAuthOptions): OptionsReport {
  const warnings: ConfigurationProblem[] = []
  try {
    readOptions(options, (warning) => warnings.push(warning))
    return { error: undefined, warnings }
  } catch (error) {
    if (error instanceof ConfigurationError) return { error, warnings }
    throw error
  }
}
