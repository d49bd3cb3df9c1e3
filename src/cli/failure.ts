import {
  ApplicationError,
  ConfigurationError,
  StoreIncompatibleError,
  StoreUnavailableError,
  type ApplicationErrorCode,
} from '../index.js'
import { PROGRAM } from './program.js'

/** What a process ends with. */
export const EXIT = { done: 0, failed: 1, usage: 2, findings: 3, unreachable: 4 } as const

/** A command line that can't be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  /** The command whose `--help` tells more; empty for the whole. */
  readonly about: string

  constructor(message: string, about = '') {
    super(message)
    this.about = about
  }
}

/** Something that can't be done; the message says why, and the cure. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** What went wrong, for the one who reads stderr, and what the process ends with. */
export function failureOf(error: unknown): { readonly message: string; readonly exitCode: number } {
  if (error instanceof UsageError) {
    const help = [PROGRAM, error.about, '--help'].filter(Boolean).join(' ')
    return { message: `${error.message}\nSee: ${help}`, exitCode: EXIT.usage }
  }
  if (error instanceof StoreUnavailableError) {
    const message = `The store is out of reach: ${reasonOf(rootOf(error))}\nSee that the database runs, and that its address is right.`
    return { message, exitCode: EXIT.unreachable }
  }
  if (error instanceof ApplicationError) {
    const cure = CURES[error.code]
    return { message: cure ? `${error.message}\n${cure}` : error.message, exitCode: EXIT.failed }
  }
  if (error instanceof RefusedError || error instanceof ConfigurationError || error instanceof StoreIncompatibleError) {
    return { message: reasonOf(error), exitCode: EXIT.failed }
  }
  return { message: `Failed unexpectedly: ${reasonOf(error)}\nDEBUG=1 shows where.`, exitCode: EXIT.failed }
}

/** What the messages, which speak to programmers, leave unsaid here. */
const CURES: { readonly [Code in ApplicationErrorCode]?: string } = {
  application_not_found: `See which there are: ${PROGRAM} apps list`,
  signing_key_not_found: `See which there are: ${PROGRAM} keys list`,
  api_closed: `Here: ${PROGRAM} apps create`,
}

/** The first of the causes. */
export function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error
}

/** An error in one line. Databases' errors may come without a message, or several in one. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return error.message || (typeof code === 'string' ? code : error.name)
}
