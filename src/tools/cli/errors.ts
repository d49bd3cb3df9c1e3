import { ApplicationError, ConfigurationError, StoreIncompatibleError, StoreUnavailableError } from '../../index.js'
import { findStoreFault } from '../../core/store-client/store-faults.js'

export const PROGRAM = 'express-platform-auth'

export const EXIT_CODES = { done: 0, failed: 1, usage: 2, problemFound: 3, storeUnavailable: 4 } as const

export const ENVIRONMENT_VARIABLES = { db: 'EXPRESS_PLATFORM_AUTH_DB', config: 'EXPRESS_PLATFORM_AUTH_CONFIG' } as const

export const EXAMPLE_ID = 'app_0123456789abcdef0123456789abcdef'

export interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}

export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly helpTopic: string

  constructor(message: string, helpTopic = '') {
    super(message)
    this.helpTopic = helpTopic
  }
}

export class CommandError extends Error {
  override readonly name = 'CommandError'
}

export function describeFailure(error: unknown): { readonly message: string; readonly exitCode: number } {
  if (error instanceof UsageError) {
    const help = [PROGRAM, error.helpTopic, '--help'].filter(Boolean).join(' ')
    return { message: `${error.message}\nSee: ${help}`, exitCode: EXIT_CODES.usage }
  }
  if (error instanceof StoreUnavailableError) {
    const { problem, fix } = describeUnavailableStore(error)
    const warning = error.outcome === 'unknown' ? ['The change may have been made: check before you repeat it.'] : []
    return { message: [problem, fix, ...warning].join('\n'), exitCode: EXIT_CODES.storeUnavailable }
  }
  if (error instanceof ApplicationError) {
    const fix = FIXES[error.code]
    return { message: fix ? `${error.message}\n${fix}` : error.message, exitCode: EXIT_CODES.failed }
  }
  if (error instanceof CommandError || error instanceof ConfigurationError || error instanceof StoreIncompatibleError)
    return { message: describeError(error), exitCode: EXIT_CODES.failed }
  const message = `Unexpected error: ${describeError(error)}\nDEBUG=1 adds the stack trace.`
  return { message, exitCode: EXIT_CODES.failed }
}

/** The fix on the command line; the messages of the library are written for programmers. */
const FIXES: { readonly [Code in ApplicationError['code']]?: string } = {
  application_not_found: `To list them: ${PROGRAM} apps list`,
  signing_key_not_found: `To list them: ${PROGRAM} signing-keys list`,
  api_closed: `To create an application for it: ${PROGRAM} apps create`,
}

export function describeUnavailableStore(error: unknown): { readonly problem: string; readonly fix: string } {
  const cause = findRootCause(error)
  const { problem = UNREACHABLE.problem, fix = UNREACHABLE.fix } = findStoreFault(cause) ?? UNREACHABLE
  return { problem: `${problem}: ${describeError(cause)}`, fix }
}

const UNREACHABLE = {
  problem: 'The store is unavailable',
  fix: 'Check that the database runs, and that its address is right.',
}

export function describeRootCause(error: unknown): string {
  return describeError(findRootCause(error))
}

function findRootCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? findRootCause(error.cause) : error
}

/** An error in one line. A database driver's error may have an empty message, or be an `AggregateError`. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return error.message || (typeof code === 'string' ? code : error.name)
}
