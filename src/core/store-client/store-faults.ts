import { dirname, resolve } from 'node:path'
import { ConfigurationError } from '../../shared/contracts/errors.js'
/** The fault of a store, without the database's own words, addresses and paths, which are in the log. */
export interface StoreFault {
  /** A part of a sentence about the store, for `auth.health()`, which apps may publish. */
  readonly state: string
  /** The same for the command line, with what to do; undefined where only the database can be asked. */
  readonly problem?: string
  readonly fix?: string
  /** For a start that waiting does not cure: a right, a path, an address. Only the log and `ready()` show it. */
  readonly fixStart?: (problem: Problem) => string | undefined
}

/** Members of an error that may be told. The stores of this package add an absolute `path`, or the `grant`. */
interface Problem {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly syscall?: unknown
  readonly path?: unknown
  /** SQL that gives the role what it lacks. */
  readonly grant?: unknown
  readonly cause?: unknown
  /** The time of the last change that a replica has, in ISO 8601, or empty. */
  readonly replayedUntil?: string
  /** Why the platform that a service asks cannot be used, as a part of a sentence that may be told. */
  readonly platformState?: string
}

/** The state of a store whose fault has no known code. */
export const UNKNOWN_STORE_FAULT = 'the log has the reason'
const LET_LOG_IN = 'Let the role log in (LOGIN, pg_hba.conf), or correct the address.'

const FULL: StoreFault = {
  state: 'its disk is full',
  problem: 'The disk of the store is full',
  fix: 'Free space on it, or enlarge it. Changes fail until then; guards and token requests are answered.',
}
const READ_ONLY: StoreFault = {
  state: 'it is read-only',
  problem: 'The store is read-only',
  fix: 'PostgreSQL: use the address of the primary. SQLite: the file and its folder must be writable by the server.',
}
const LOCKED: StoreFault = {
  state: 'another process has locked it',
  problem: 'Another process has locked the store',
  fix: 'End the long transaction, or the program that holds the lock.',
}
const DAMAGED: StoreFault = {
  state: 'its file is damaged',
  problem: 'The SQLite file is damaged',
  fix: 'Stop the servers, keep a copy of the file and those beside it, and restore a backup.',
  fixStart: restoreFile,
}
const POOLER: StoreFault = {
  state: UNKNOWN_STORE_FAULT,
  problem: 'The pooler does not keep prepared statements',
  fix: 'Set listen: false in postgresStore({ pool, listen: false }), or connect without the pooler.',
}
const UNRESPONSIVE: StoreFault = { state: 'it does not answer in time' }
const TERMINATED: StoreFault = { state: 'its connections were terminated' }
const STARTING: StoreFault = { state: 'it is starting or shutting down' }

function noFile(state: string, fixStart: NonNullable<StoreFault['fixStart']>): StoreFault {
  return {
    state,
    fixStart,
    problem: 'The SQLite file cannot be opened',
    fix: 'Check the path, and the rights of the file and its folder.',
  }
}

function noRights(state: string): StoreFault {
  return {
    state,
    problem: 'The store refuses this role',
    fix: 'Grant it SELECT, INSERT, UPDATE and DELETE on the tables platform_auth_*, and USAGE on their schema.',
    fixStart: grantRights,
  }
}

/** Node's error codes and PostgreSQL's (SQLSTATE). */
const FAULTS_BY_CODE: Readonly<Record<string, StoreFault>> = {
  ETIMEDOUT: UNRESPONSIVE,
  ECONNREFUSED: { state: 'it refuses connections' },
  ECONNRESET: { state: 'the connection was lost' },
  EPIPE: { state: 'the connection was lost' },
  ENOTFOUND: { state: 'its host name cannot be resolved' },
  EAI_AGAIN: { state: 'its host name cannot be resolved' },
  EHOSTUNREACH: { state: 'its host is unreachable' },
  ENETUNREACH: { state: 'its host is unreachable' },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: { ...READ_ONLY, fixStart: useWritableDisk },
  EACCES: noFile('the process may not open its file', allowFile),
  EPERM: noFile('the process may not open its file', allowFile),
  ENOENT: noFile('its folder does not exist', createFolder),
  ENOTDIR: noFile('its path leads to no file', correctPath),
  EISDIR: noFile('its path leads to no file', correctPath),
  ELOOP: { state: UNKNOWN_STORE_FAULT, fixStart: correctPath },
  ENAMETOOLONG: { state: UNKNOWN_STORE_FAULT, fixStart: correctPath },
  ESTALE: { state: 'its file was deleted or replaced' },
  // A replica: "Cannot set transaction read-write mode during recovery".
  '0A000': READ_ONLY,
  '25006': READ_ONLY,
  '26000': POOLER,
  '42P05': POOLER,
  '28000': {
    state: 'it refuses the login',
    problem: 'The database refuses the login',
    fix: LET_LOG_IN,
    fixStart: () => LET_LOG_IN,
  },
  '28P01': {
    state: 'it rejects the password',
    problem: 'The database rejects the password',
    fix: 'Check user and password of the address.',
    fixStart: () => 'Correct user and password of the address.',
  },
  '3D000': {
    state: 'there is no such database',
    problem: 'There is no such database',
    fix: 'Check the name of the database in the address.',
    fixStart: () => 'Create the database, or correct its name in the address.',
  },
  '3F000': noRights('it has no schema that the role may use'),
  '42501': noRights('its role lacks a right'),
  '42P01': { state: 'a table is missing' },
  '53100': FULL,
  '53300': {
    state: 'it has no connection left',
    problem: 'The database has no connection left',
    fix: 'Raise max_connections, or lower the sizes of the pools.',
  },
  '55P03': { ...LOCKED, state: 'a lock on its tables keeps calls waiting' },
  '57014': UNRESPONSIVE,
  '57P01': TERMINATED,
  '57P05': TERMINATED,
  '57P02': STARTING,
  '57P03': STARTING,
}

/** SQLite's primary result codes. */
const FAULTS_BY_SQLITE_CODE: Readonly<Record<number, StoreFault>> = {
  5: LOCKED,
  6: LOCKED,
  8: { ...READ_ONLY, fixStart: allowFile },
  10: { state: 'its disk fails' },
  11: DAMAGED,
  13: FULL,
  14: noFile('its file cannot be opened', allowFile),
  26: DAMAGED,
}

/** The fault that an error of a database driver or of Node stands for, by its code. */
export function findStoreFault(error: unknown): StoreFault | undefined {
  const { grant, path } = (error ?? {}) as Problem
  const fault = lookUp(error)
  if (fault?.fix === undefined) return fault
  // These are codes that a store adds to the errors of its start.
  if (typeof grant === 'string') return { ...fault, fix: grant }
  return typeof path === 'string' ? { ...fault, fix: `${fault.fix} Its path is ${path}.` } : fault
}

function lookUp(error: unknown): StoreFault | undefined {
  const { code, errcode } = (error ?? {}) as Problem
  // SQLite's primary result code is the low byte.
  return typeof errcode === 'number' ? FAULTS_BY_SQLITE_CODE[errcode & 0xff] : FAULTS_BY_CODE[String(code)]
}

/** Why a store does not answer, for `auth.health()`, which apps may publish: the log has addresses and messages. */
export function describeStoreFault(problem: unknown): string {
  const { cause, replayedUntil, platformState } = (problem ?? {}) as Problem
  // The innermost cause with a known code is the most specific one.
  const inner = cause === undefined ? UNKNOWN_STORE_FAULT : describeStoreFault(cause)
  if (inner !== UNKNOWN_STORE_FAULT) return inner
  if (isReplicaFault(problem)) return replayedUntil ? `${REPLICA} made since ${replayedUntil}` : REPLICA
  return platformState ?? findStoreFault(problem)?.state ?? UNKNOWN_STORE_FAULT
}

export function isReplicaFault(problem: unknown): boolean {
  return (problem as Problem | undefined)?.code === 'replica'
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
  const { code } = Object(problem) as Problem
  return code === '57014' || code === '55P03'
}

/** Whether only some calls can meet this fault: one of the database's tables is locked or missing, or a right to it. */
export function isPartialFault(problem: unknown): boolean {
  const { code } = Object(problem) as Problem
  return isTimeoutFault(problem) || code === '42P01' || code === '42501'
}

const MISTAKES: ReadonlySet<unknown> = new Set(['ReferenceError', 'TypeError'])
const UNLOADABLE_MODULE: ReadonlySet<unknown> = new Set([
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_DLOPEN_FAILED',
])

const REPLICA = 'it is a replica, and may lack changes'

/** A start that waiting does not cure: a right, a path, an address. For the log and `ready()` only. */
export function findAccessProblem(error: unknown): ConfigurationError | undefined {
  const fix = findFix(error)
  const problem = `The store cannot be used: ${describeStoreFault(error)}`
  return fix === undefined ? undefined : new ConfigurationError({ problem, fix }, { cause: error })
}

function findFix(error: unknown): string | undefined {
  const problem = Object(error) as Problem
  return problem.cause === undefined ? lookUp(error)?.fixStart?.(problem) : findFix(problem.cause)
}

function allowFile({ path }: Problem): string {
  const user = process.getuid ? ` (user id ${process.getuid()})` : ''
  return `Let this process${user} read and write ${nameFile(path)} and the folder in which it is: SQLite creates files beside it.`
}

function useWritableDisk({ path }: Problem): string {
  return `Its file system is read-only: mount it for writing, or give a path elsewhere. The path is ${nameFile(path)}.`
}

function correctPath({ path }: Problem): string {
  return `Correct the path. It is ${nameFile(path)}.`
}

/** Undefined for the socket of a database that has not been started yet. */
function createFolder({ path, syscall }: Problem): string | undefined {
  return syscall === 'connect' ? undefined : `Create the folder ${nameFile(path, dirname)}, or correct the path.`
}

function grantRights({ grant }: Problem): string {
  return typeof grant === 'string' ? grant : GRANT_ALL
}

function restoreFile({ path }: Problem): string {
  return `${nameFile(path)} is damaged, or no SQLite file: correct the path, or restore a backup.`
}

function nameFile(path: unknown, read: (path: string) => string = (text) => text): string {
  return typeof path === 'string' ? read(resolve(path)) : 'of the option store'
}

const GRANT_ALL =
  'Grant its role CONNECT on the database, USAGE and CREATE on the schema, and SELECT, INSERT, UPDATE and DELETE on the tables platform_auth_*.'
