/**
 * What keeps a store from answering, in words that an operator may show to anybody: addresses, paths and the database's own
 * message are for the log.
 */
export function describeStoreFault(problem: unknown): string {
  // The innermost cause that is known says what happened.
  const { code, errcode, cause } = (problem ?? {}) as { code?: unknown; errcode?: unknown; cause?: unknown }
  if (cause !== undefined) {
    const inner = describeStoreFault(cause)
    if (inner !== UNKNOWN) return inner
  }
  const word = typeof errcode === 'number' ? SQLITE[errcode & 0xff] : CODES[String(code)]
  return word ?? UNKNOWN
}

const UNKNOWN = 'the log says why'
const FULL = 'its disk is full'
const READ_ONLY = 'it is read-only'
const LOCKED = 'it is locked by somebody else'
const DAMAGED = 'its file is damaged'
const SILENT = 'it does not answer in time'
const REFUSED = 'it refuses connections'
const LOST = 'the connection was lost'
const STARTING = 'it is starting or shutting down'

/** Node's codes, and PostgreSQL's (SQLSTATE). */
const CODES: Readonly<Record<string, string>> = {
  ETIMEDOUT: SILENT,
  ECONNREFUSED: REFUSED,
  ECONNRESET: LOST,
  EPIPE: LOST,
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name is not known',
  EHOSTUNREACH: 'its host is out of reach',
  ENETUNREACH: 'its host is out of reach',
  ENOSPC: FULL,
  EROFS: READ_ONLY,
  ESTALE: 'its file was deleted or replaced',
  // "Cannot set transaction read-write mode during recovery": a replica's word for it.
  '0A000': READ_ONLY,
  '25006': READ_ONLY,
  '28P01': 'it refuses the password',
  '53100': FULL,
  '53300': 'it has no connection left',
  '55P03': LOCKED,
  '57014': SILENT,
  '57P01': STARTING,
  '57P02': STARTING,
  '57P03': STARTING,
}

/** SQLite's primary result codes. */
const SQLITE: Readonly<Record<number, string>> = {
  5: LOCKED,
  6: LOCKED,
  8: READ_ONLY,
  10: 'its disk fails',
  11: DAMAGED,
  13: FULL,
  14: 'its file can not be opened',
  26: DAMAGED,
}
