import { types } from 'node:util'
import { ApplicationError, type ApplicationErrorCode } from '../contracts/errors.js'
import { isObject } from '../lib/is-object.js'
import { copyPlainObject, ownMembers } from '../lib/own-members.js'

/** Returns an argument as the call is to get it. Throws `ApplicationError` for one of the wrong kind. */
type ReadArgument = (value: unknown, call: string) => unknown

const any: ReadArgument = copyPlainObject

/** A value that is not text finds nothing. It is refused here: stores compare texts, and PostgreSQL fails for U+0000. */
function id(code: ApplicationErrorCode, name: string): ReadArgument {
  return (value, call) => {
    if (isText(value)) return value
    throw new ApplicationError(code, `${call}() needs the id of ${name}: it was given ${describeKind(value)}.`)
  }
}

const application = id('application_not_found', 'an application')
const credential = id('credential_not_found', 'a credential')
const signingKey = id('signing_key_not_found', 'a signing key (kid)')
const apiName = id('unknown_api', 'an API (its name)')
/** The argument of calls that find nothing for an unknown id, instead of rejecting. */
const filter = id('invalid_argument', 'an application')
const optionalFilter: ReadArgument = (value, call) => (value === undefined ? undefined : filter(value, call))

/** Options that must be given, of which these members are text. A list, a date or a promise is none. */
function members(...texts: readonly string[]): ReadArgument {
  return (value, call) => {
    if (!isObject(value) || types.isDate(value) || types.isPromise(value) || types.isMap(value) || types.isSet(value))
      throw invalid(`${call}() needs an object with its options: it was given ${describeKind(value)}.`)
    const given = copyPlainObject(value) as Readonly<Record<string, unknown>>
    refuseWrong(given, ['by', ...texts], isText, 'text')
    refuseWrong(given, ['immediately', 'retry'], (member) => typeof member === 'boolean', 'true or false')
    refuseWrong(given, ['onRefused'], (member) => typeof member === 'function', 'a function')
    return given
  }
}

function refuseWrong(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  isRight: (member: unknown) => boolean,
  kind: string,
): void {
  const wrong = names.find((name) => given[name] !== undefined && !isRight(given[name]))
  if (wrong !== undefined) throw invalid(`${wrong} must be ${kind}: it is ${describeKind(given[wrong])}.`)
}

/** Empty if they are left out: the object of a default value would inherit from a polluted `Object.prototype`. */
function options(...texts: readonly string[]): ReadArgument {
  const read = members(...texts)
  return (value, call) => (value === undefined ? ownMembers({}) : read(value, call))
}

/** The parameters of the public calls. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, readonly ReadArgument[]>>>> = {
  applications: {
    // Resolves undefined for an id of the wrong kind too.
    get: [any],
    list: [options('after', 'api')],
    register: [members()],
    create: [members()],
    import: [any, options()],
    approve: [application, options('api')],
    deny: [application, options('api')],
    update: [application, members()],
    suspend: [application, options()],
    resume: [application, options()],
    delete: [application, options()],
    revokeTokens: [application, options()],
    allow: [application, apiName, options()],
    disallow: [application, apiName, options()],
    requestAccess: [application, members('api')],
    addContact: [application, any, options()],
    removeContact: [application, any, options()],
    inviteContact: [application, any, options()],
    cancelInvitation: [application, any, options()],
    addKey: [application, members()],
    addSecret: [application, members()],
    updateCredential: [application, credential, members()],
    endCredential: [application, credential, options()],
    rotateKey: [application, options()],
    rotateSecret: [application, options()],
    recover: [application, members()],
  },
  audit: { list: [options('after', 'applicationId', 'type')] },
  outbox: { retry: [optionalFilter], cancel: [application, options()], status: [] },
  portal: { link: [members('applicationId')], signOut: [any] },
  sessionSecret: { replace: [options()] },
  signingKeys: { list: [], rotate: [options()], revoke: [signingKey, options()] },
  usage: { list: [options('after', 'applicationId', 'api')] },
  refusals: { list: [filter] },
  reportOnly: { list: [options('after', 'applicationId', 'api')] },
  platform: { ready: [options()], health: [], close: [] },
}

/**
 * The calls, which reject for an argument of the wrong kind before they do anything: a mistake of the host must not look like
 * an outage of its store. Of options they get the own members.
 */
export function withCheckedArguments<Calls extends object>(group: string, calls: Calls): Calls {
  const check = (name: string, call: unknown): unknown => {
    if (typeof call !== 'function') return call
    const parameters = PARAMETERS[group]![name]!
    return async (...args: readonly unknown[]): Promise<unknown> =>
      Reflect.apply(
        call,
        calls,
        parameters.map((read, i) => read(args[i], name)),
      ) as unknown
  }
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, check(name, call)])) as Calls
}

/** Text that every store can look for. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

function invalid(problem: string): ApplicationError {
  return new ApplicationError('invalid_argument', problem)
}

/** Describes an argument, but never its value, which may have a secret. */
function describeKind(value: unknown): string {
  if (typeof value === 'string') return value.includes('\0') ? 'text with U+0000' : 'text'
  if (Array.isArray(value)) return 'a list'
  if (types.isPromise(value)) return 'a promise: await it'
  if (value === undefined || value === null || typeof value === 'boolean') return String(value)
  return `a value of type ${typeof value}`
}
