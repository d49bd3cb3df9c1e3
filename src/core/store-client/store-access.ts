import { dirname, resolve } from 'node:path'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { describeStoreFault } from './store-fault.js'

/** Members of an error that may be told. The stores of this package add an absolute `path`, or the `grant`. */
interface Fault {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly syscall?: unknown
  readonly path?: unknown
  /** SQL that gives the role what it lacks. */
  readonly grant?: unknown
  readonly cause?: unknown
}

/** A start that waiting does not cure: a right, a path, an address. For the log and `ready()` only. */
export function findAccessProblem(error: unknown): ConfigurationError | undefined {
  const fix = findFix(error)
  const problem = `The store cannot be used: ${describeStoreFault(error)}`
  return fix === undefined ? undefined : new ConfigurationError({ problem, fix }, { cause: error })
}

function findFix(error: unknown): string | undefined {
  const fault = Object(error) as Fault
  if (fault.cause !== undefined) return findFix(fault.cause)
  const { code, errcode } = fault
  // SQLite's primary result code is the low byte.
  const describe = typeof errcode === 'number' ? FIXES_BY_SQLITE_CODE[errcode & 0xff] : FIXES_BY_CODE[String(code)]
  return describe?.(fault)
}

type DescribeFix = (fault: Fault) => string | undefined

function allowFile({ path }: Fault): string {
  const user = process.getuid ? ` (user id ${process.getuid()})` : ''
  return `Let this process${user} read and write ${nameFile(path)} and the folder in which it is: SQLite creates files beside it.`
}

const useWritableDisk: DescribeFix = ({ path }) =>
  `Its file system is read-only: mount it for writing, or give a path elsewhere. The path is ${nameFile(path)}.`
const correctPath: DescribeFix = ({ path }) => `Correct the path. It is ${nameFile(path)}.`
/** Undefined for the socket of a database that has not been started yet. */
const createFolder: DescribeFix = ({ path, syscall }) =>
  syscall === 'connect' ? undefined : `Create the folder ${nameFile(path, dirname)}, or correct the path.`
const grantRights: DescribeFix = ({ grant }) => (typeof grant === 'string' ? grant : GRANT_ALL)
const restoreFile: DescribeFix = ({ path }) =>
  `${nameFile(path)} is damaged, or no SQLite file: correct the path, or restore a backup.`

function nameFile(path: unknown, read: (path: string) => string = (text) => text): string {
  return typeof path === 'string' ? read(resolve(path)) : 'of the option store'
}

const GRANT_ALL =
  'Grant its role CONNECT on the database, USAGE and CREATE on the schema, and SELECT, INSERT, UPDATE and DELETE on the tables platform_auth_*.'

const FIXES_BY_CODE: Readonly<Record<string, DescribeFix>> = {
  EACCES: allowFile,
  EPERM: allowFile,
  EROFS: useWritableDisk,
  ENOENT: createFolder,
  ENOTDIR: correctPath,
  EISDIR: correctPath,
  ELOOP: correctPath,
  ENAMETOOLONG: correctPath,
  '28000': () => 'Let the role log in (LOGIN, pg_hba.conf), or correct the address.',
  '28P01': () => 'Correct user and password of the address.',
  '3D000': () => 'Create the database, or correct its name in the address.',
  '3F000': grantRights,
  '42501': grantRights,
}

const FIXES_BY_SQLITE_CODE: Readonly<Record<number, DescribeFix>> = {
  8: allowFile,
  11: restoreFile,
  14: allowFile,
  26: restoreFile,
}
