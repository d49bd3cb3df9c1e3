import { findStoreFault } from './store-faults.js'

/** Why a store does not answer, for `auth.health()`, which apps may publish: the log has addresses and messages. */
export function describeStoreFault(problem: unknown): string {
  const { cause, replayedUntil } = (problem ?? {}) as Problem
  // The innermost cause with a known code is the most specific one.
  const inner = cause === undefined ? UNKNOWN_STORE_FAULT : describeStoreFault(cause)
  if (inner !== UNKNOWN_STORE_FAULT) return inner
  if (isReplicaFault(problem)) return replayedUntil ? `${REPLICA} made since ${replayedUntil}` : REPLICA
  return findStoreFault(problem)?.state ?? UNKNOWN_STORE_FAULT
}

interface Problem {
  readonly cause?: unknown
  /** The time of the last change that a replica has, in ISO 8601, or empty. */
  readonly replayedUntil?: string
}

/** Whether the store does not know what it lacks, and says so with this code. */
export function isReplicaFault(problem: unknown): boolean {
  return (problem as { code?: unknown } | undefined)?.code === 'replica'
}

/** Whether no retry can help: a mistake in code, or a missing module. A `TypeError` with a cause is fetch()'s. */
export function isPermanentFault(problem: unknown): boolean {
  const { name, code, cause } = Object(problem) as { name?: unknown; code?: unknown; cause?: unknown }
  if (cause !== undefined) return isPermanentFault(cause)
  // Compared by name: under Jest, Node's own errors are not instances of the test's TypeError.
  return MISTAKES.has(name) || UNLOADABLE_MODULE.has(code)
}

/** Whether the database itself has given up a call, because it took too long or waited for a lock. */
export function isTimeoutFault(problem: unknown): boolean {
  const { code } = Object(problem) as { code?: unknown }
  return code === '57014' || code === '55P03'
}

/** Whether only some calls can meet this fault: one of the database's tables is locked or missing, or a right to it. */
export function isPartialFault(problem: unknown): boolean {
  const { code } = Object(problem) as { code?: unknown }
  return isTimeoutFault(problem) || code === '42P01' || code === '42501'
}

const MISTAKES: ReadonlySet<unknown> = new Set(['ReferenceError', 'TypeError'])
const UNLOADABLE_MODULE: ReadonlySet<unknown> = new Set([
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_DLOPEN_FAILED',
])

/** The state of a store whose fault has no known code. */
export const UNKNOWN_STORE_FAULT = 'the log has the reason'
const REPLICA = 'it is a replica, and may lack changes'
