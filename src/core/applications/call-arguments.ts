import { types } from 'node:util'
import { ApplicationError, invalidArgument, type ApplicationErrorCode } from '../../shared/contracts/errors.js'
import { copyPlainObject, isObject, ownMembers } from '../../shared/lib/own-members.js'
import { didYouMean } from '../../shared/lib/suggest.js'

export type ReadArgument = (value: unknown, call: string) => unknown

/** Whatever it is: the call itself reads it. */
export const any: ReadArgument = copyPlainObject

/** A value that is not text finds nothing. It is refused here: stores compare texts, and PostgreSQL fails for U+0000. */
function id(code: ApplicationErrorCode, name: string): ReadArgument {
  return (value, call) => {
    if (isText(value)) return value
    throw new ApplicationError(code, `${call}() needs the id of ${name}: it was given ${describeKind(value)}.`)
  }
}

export const application = id('application_not_found', 'an application')
export const credential = id('credential_not_found', 'a credential')
export const signingKey = id('signing_key_not_found', 'a signing key (kid)')
export const apiName = id('unknown_api', 'an API (its name)')
/** The argument of calls that find nothing for an unknown id, instead of rejecting. */
export const filter = id('invalid_argument', 'an application')
export const optionalFilter: ReadArgument = (value, call) => (value === undefined ? undefined : filter(value, call))

/** What a member of options is checked for here. `own`: the call itself reads it, and knows what it may be. */
type Kind = keyof typeof KINDS | 'own'

const KINDS = {
  text: { isRight: isText, described: 'text' },
  boolean: { isRight: (member: unknown) => typeof member === 'boolean', described: 'true or false' },
  function: { isRight: (member: unknown) => typeof member === 'function', described: 'a function' },
} as const

/** Each member that the options may have: one that is missing does not compile. */
type Members<Options> = { readonly [Name in keyof Options]-?: Kind }

/** Options that must be given. A list, a date or a promise is none. */
export function members<Options>(known: NoInfer<Members<Options>>): ReadArgument {
  const kinds = Object.entries<Kind>(known)
  const names = kinds.map(([name]) => name)
  return (value, call) => {
    if (!isObject(value) || types.isDate(value) || types.isPromise(value) || types.isMap(value) || types.isSet(value))
      throw invalidArgument(`${call}() needs an object with its options: it was given ${describeKind(value)}.`)
    const given = copyPlainObject(value) as Readonly<Record<string, unknown>>
    refuseUnknown(given, names, call)
    for (const [name, kind] of kinds) {
      if (kind === 'own' || given[name] === undefined || KINDS[kind].isRight(given[name])) continue
      throw invalidArgument(`${name} must be ${KINDS[kind].described}: it is ${describeKind(given[name])}.`)
    }
    return given
  }
}

/** A mistyped member would be ignored: `{ overlp: 0 }` would keep a secret alive, and `{ scops }` would grant every scope. */
function refuseUnknown(given: object, known: readonly string[], call: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const fix = didYouMean(unknown, known) || (known.length > 0 ? ` There are: ${known.join(', ')}.` : '')
  throw invalidArgument(`There is no option ${JSON.stringify(unknown.slice(0, MAX_SHOWN))} of ${call}().${fix}`)
}

/** Characters of a name that does not exist: more would be data in the wrong place. */
const MAX_SHOWN = 40

/** Empty if they are left out: the object of a default value would inherit from a polluted `Object.prototype`. */
export function options<Options>(known: NoInfer<Members<Options>>): ReadArgument {
  const read = members<Options>(known)
  return (value, call) => (value === undefined ? ownMembers({}) : read(value, call))
}

/** The parameters of calls, of each one by its name. A call without them does not compile. */
export type CallParameters<Calls> = {
  readonly [
    Name in keyof Calls as Calls[Name] extends (...args: never[]) => unknown ? Name : never
  ]: readonly ReadArgument[]
}

/** Rejects before the call does anything: a mistake of the host must not look like an outage of its store. */
export function withCheckedArguments<Calls extends object>(
  parameters: NoInfer<CallParameters<Calls>>,
  calls: Calls,
  run: (call: () => Promise<unknown>) => Promise<unknown> = (call) => call(),
): Calls {
  const readers: Readonly<Record<string, readonly ReadArgument[]>> = parameters
  const check = (name: string, call: unknown): unknown => {
    if (typeof call !== 'function') return call
    return async (...args: readonly unknown[]): Promise<unknown> => {
      const checked = readers[name]!.map((read, i) => read(args[i], name))
      return run(async () => Reflect.apply(call, calls, checked) as unknown)
    }
  }
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, check(name, call)])) as Calls
}

/** Text that every store can look for. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

/** Describes an argument, but never its value, which may have a secret. */
function describeKind(value: unknown): string {
  if (typeof value === 'string') return value.includes('\0') ? 'text with U+0000' : 'text'
  if (Array.isArray(value)) return 'a list'
  if (types.isPromise(value)) return 'a promise: await it'
  if (value === undefined) return 'nothing'
  if (value === null || typeof value === 'boolean') return String(value)
  return `a value of type ${typeof value}`
}
