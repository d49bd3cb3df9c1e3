/**
 * Why a store does not answer, for `auth.health()`, which apps may publish: without addresses, paths or the database's own
 * message. Those are in the log.
 */
export function describeStoreFault(problem: unknown): string {
  const { code, errcode, cause, replayedUntil } = (problem ?? {}) as StoreFault
  // The innermost cause with a known code is the most specific one.
  const inner = cause === undefined ? UNKNOWN : describeStoreFault(cause)
  if (inner !== UNKNOWN) return inner
  if (isReplicaFault(problem)) return replayedUntil ? `${REPLICA} made since ${replayedUntil}` : REPLICA
  const known = typeof errcode === 'number' ? FAULTS_BY_SQLITE_CODE[errcode & 0xff] : FAULTS_BY_CODE[String(code)]
  return known ?? UNKNOWN
}

interface StoreFault {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly cause?: unknown
  /** Of a replica: an ISO 8601 time, or empty. */
  readonly replayedUntil?: string
}

/** Whether the store does not know what it lacks, and says so with this code. */
export function isReplicaFault(problem: unknown): boolean {
  return (problem as { code?: unknown } | undefined)?.code === 'replica'
}

/**
 * Whether no retry can help: the code of the store (or of the platform) has a mistake, or a module cannot be loaded. A
 * `TypeError` with a cause is none: `fetch()` rejects with one when the network fails.
 */
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

const UNKNOWN = 'the log has the reason'
const REPLICA = 'it is a replica, and may lack changes'
const FULL = 'its disk is full'
const READ_ONLY = 'it is read-only'
const LOCKED = 'another process has locked it'
const DAMAGED = 'its file is damaged'
const UNRESPONSIVE = 'it does not answer in time'
const REFUSED = 'it refuses connections'
const LOST = 'the connection was lost'
const STARTING = 'it is starting or shutting down'
const TERMINATED = 'its connections were terminated'
const TABLE_LOCK = 'a lock on its tables keeps calls waiting'
const UNKNOWN_HOST = 'its host name cannot be resolved'
const UNREACHABLE_HOST = 'its host is unreachable'

const NOT_ALLOWED = 'the process may not open its file'
const NO_FOLDER = 'its folder does not exist'
const NO_FILE = 'its path leads to no file'
const NO_RIGHTS = 'its role lacks a right'
const MISSING_TABLE = 'a table is missing'

/** Node's error codes and PostgreSQL's (SQLSTATE). */
const FAULTS_BY_CODE: Readonly<Record<string, string>> = {
  ETIMEDOUT: UNRESPONSIVE,
  ECONNREFUSED: REFUSED,
  ECONNRESET: LOST,
  EPIPE: LOST,
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  EHOSTUNREACH: UNREACHABLE_HOST,
  ENETUNREACH: UNREACHABLE_HOST,
  ENOSPC: FULL,
  EROFS: READ_ONLY,
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  ENOENT: NO_FOLDER,
  ENOTDIR: NO_FILE,
  EISDIR: NO_FILE,
  ESTALE: 'its file was deleted or replaced',
  // A replica: "Cannot set transaction read-write mode during recovery".
  '0A000': READ_ONLY,
  '25006': READ_ONLY,
  '28000': 'it refuses the login',
  '28P01': 'it rejects the password',
  '3D000': 'there is no such database',
  '3F000': 'it has no schema that the role may use',
  '42501': NO_RIGHTS,
  '42P01': MISSING_TABLE,
  '53100': FULL,
  '53300': 'it has no connection left',
  '55P03': TABLE_LOCK,
  '57014': UNRESPONSIVE,
  '57P01': TERMINATED,
  '57P05': TERMINATED,
  '57P02': STARTING,
  '57P03': STARTING,
}

/** SQLite's primary result codes. */
const FAULTS_BY_SQLITE_CODE: Readonly<Record<number, string>> = {
  5: LOCKED,
  6: LOCKED,
  8: READ_ONLY,
  10: 'its disk fails',
  11: DAMAGED,
  13: FULL,
  14: 'its file cannot be opened',
  26: DAMAGED,
}
