/** What is wrong with a store, without the database's own words, and how to fix it. */
export interface StoreFault {
  readonly problem: string
  readonly fix: string
}

/** The fault that an error of a database driver or of Node stands for, by its code. */
export function findStoreFault(error: unknown): StoreFault | undefined {
  const { code, errcode, grant, path } = (error ?? {}) as Fault
  // SQLite's primary result code is the low byte.
  const fault = typeof errcode === 'number' ? FAULTS_BY_SQLITE_CODE[errcode & 0xff] : FAULTS_BY_CODE[String(code)]
  // What a store adds to the errors of its start.
  if (fault && typeof grant === 'string') return { ...fault, fix: grant }
  return fault && typeof path === 'string' ? { ...fault, fix: `${fault.fix} Its path is ${path}.` } : fault
}

interface Fault {
  readonly code?: unknown
  readonly errcode?: unknown
  readonly grant?: unknown
  readonly path?: unknown
}

const FULL: StoreFault = {
  problem: 'The disk of the store is full',
  fix: 'Free space on it, or enlarge it. Changes fail until then; guards and token requests are answered.',
}
const READ_ONLY: StoreFault = {
  problem: 'The store is read-only',
  fix: 'PostgreSQL: use the address of the primary. SQLite: the file and its folder must be writable by the server.',
}
const NO_RIGHTS: StoreFault = {
  problem: 'The store refuses this role',
  fix: 'Grant it SELECT, INSERT, UPDATE and DELETE on the tables platform_auth_*, and USAGE on their schema.',
}
const NO_FILE: StoreFault = {
  problem: 'The SQLite file cannot be opened',
  fix: 'Check the path, and the rights of the file and its folder.',
}
const DAMAGED: StoreFault = {
  problem: 'The SQLite file is damaged',
  fix: 'Stop the servers, keep a copy of the file and those beside it, and restore a backup.',
}
const LOCKED: StoreFault = {
  problem: 'Another process has locked the store',
  fix: 'End the long transaction, or the program that holds the lock.',
}
const POOLER: StoreFault = {
  problem: 'The pooler does not keep prepared statements',
  fix: 'Set listen: false in postgresStore({ pool, listen: false }), or connect without the pooler.',
}

/** Node's error codes and PostgreSQL's (SQLSTATE). */
const FAULTS_BY_CODE: Readonly<Record<string, StoreFault>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  '53100': FULL,
  EROFS: READ_ONLY,
  EACCES: NO_FILE,
  EPERM: NO_FILE,
  ENOENT: NO_FILE,
  ENOTDIR: NO_FILE,
  EISDIR: NO_FILE,
  '0A000': READ_ONLY,
  '25006': READ_ONLY,
  '42501': NO_RIGHTS,
  '3F000': NO_RIGHTS,
  '28000': {
    problem: 'The database refuses the login',
    fix: 'Let the role log in (LOGIN, pg_hba.conf), or correct the address.',
  },
  '55P03': LOCKED,
  '26000': POOLER,
  '42P05': POOLER,
  '28P01': { problem: 'The database rejects the password', fix: 'Check user and password of the address.' },
  '3D000': { problem: 'There is no such database', fix: 'Check the name of the database in the address.' },
  '53300': {
    problem: 'The database has no connection left',
    fix: 'Raise max_connections, or lower the sizes of the pools.',
  },
}

const FAULTS_BY_SQLITE_CODE: Readonly<Record<number, StoreFault>> = {
  5: LOCKED,
  6: LOCKED,
  8: READ_ONLY,
  11: DAMAGED,
  13: FULL,
  14: NO_FILE,
  26: DAMAGED,
}
