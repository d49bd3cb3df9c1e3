import { ApplicationError } from '../../shared/contracts/errors.js'
import { isObject } from '../../shared/lib/is-object.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { didYouMean } from '../../shared/lib/suggest.js'

/**
 * The own members, without those that are null: exports of databases write null for what is left out. A member that does
 * not exist is an error: a mistyped restriction or end must not be ignored.
 */
export function readMembers(what: string, value: unknown, known: readonly string[]): object {
  if (!isObject(value) || Array.isArray(value)) throw invalid(`${what} must be a JSON object.`)
  const unknown = Object.keys(value)
    .find((name) => !known.includes(name))
    ?.slice(0, MAX_SHOWN_LENGTH)
  if (unknown === undefined)
    return ownMembers(Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)))
  throw invalid(`${what} has no member "${unknown}".${didYouMean(unknown, known)}`)
}

/** Names in a file may be of any length. */
const MAX_SHOWN_LENGTH = 50

/** A time in ISO 8601, or a `Date`, in milliseconds since 1970. */
export function readInstant(member: string, value: unknown): number {
  const isText = typeof value === 'string' && ISO_8601.test(value)
  const at = value instanceof Date ? value.getTime() : isText ? Date.parse(value) : NaN
  if (Number.isSafeInteger(at) && at >= 0) return at
  throw invalid(`${member} must be a time such as "2027-01-31T12:00:00Z".`)
}

/** A date without a time is midnight UTC. A time needs a zone: that of the machine may be another one than the file's. */
const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** The error of a wrong line. The message never quotes a credential. */
export function invalid(message: string): ApplicationError {
  return new ApplicationError('invalid_argument', message)
}
