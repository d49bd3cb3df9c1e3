import { PLATFORM_PARTS } from '../contracts/platform-parts.js'
import { MAX_WINDOW_SECONDS, type Limit } from '../contracts/api.js'
import { ConfigurationError } from '../contracts/errors.js'
import { isObject, ownMembers } from './own-members.js'
import { didYouMean } from './suggest.js'

/** Refuses an option that does not exist: a mistyped one would silently keep the default. `path` precedes the name. */
export function refuseUnknown(path: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    throw new ConfigurationError({
      option: path + name,
      problem: 'is not an option',
      fix: didYouMean(name, known).trim() || `There are: ${known.join(', ')}.`,
    })
  }
}

export function wrongOption(option: string, problem: string, fix: string): ConfigurationError {
  return new ConfigurationError({ option, problem, fix })
}

/** The error for an option with a wrong value; the value is shown, so it must not hold a secret. */
export function invalidOption(option: string, value: unknown, fix: string): ConfigurationError {
  return new ConfigurationError({ option, problem: `is ${describeValue(value)}`, fix })
}

/** An object that has only known members; none at all where it was left out. */
export function readGroup<Group extends object>(
  option: string,
  group: Group | undefined,
  known: readonly (keyof Group & string)[],
): Partial<Group> {
  if (group === undefined) return ownMembers({})
  if (!isObject(group)) {
    const fix = `Write an object with ${known.join(', ')}, or leave it out.`
    throw new ConfigurationError({ option, problem: `is ${describeKind(group)}`, fix })
  }
  refuseUnknown(`${option}.`, group, known)
  return ownMembers(group)
}

export function readLimit(option: string, limit: Limit | false): Limit | false {
  if (limit === false) return false
  if (!isObject(limit))
    throw invalidOption(option, limit, 'Write { limit: 100, window: 60 } (requests, seconds), or false.')
  refuseUnknown(`${option}.`, limit, ['limit', 'window'])
  return {
    limit: readWholeNumber(`${option}.limit`, ownMembers(limit).limit, 1),
    window: readWindow(`${option}.window`, ownMembers(limit).window),
  }
}

function readWindow(option: string, value: unknown): number {
  const window = readWholeNumber(option, value, 1)
  if (window <= MAX_WINDOW_SECONDS) return window
  throw invalidOption(option, window, `A window is at most ${MAX_WINDOW_SECONDS} seconds (a year).`)
}

export function readWholeNumber(option: string, value: unknown, minimum: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= minimum) return value as number
  throw invalidOption(option, value, `Write a whole number of at least ${minimum}.`)
}

/** A century: its end is still a valid `Date`, whatever the clock says. */
const MAX_DAYS = 36_500

export function readDays(option: string, value: unknown): number {
  const days = readWholeNumber(option, value, 1)
  if (days <= MAX_DAYS) return days
  throw invalidOption(option, days, `Write days: at most ${MAX_DAYS} (a century).`)
}

export function readBoolean(option: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw invalidOption(option, value, 'Write true or false.')
}

export function readOptionalFunction<F>(option: string, value: F | undefined): F | undefined {
  if (value === undefined || typeof value === 'function') return value
  throw invalidOption(option, value, 'Give it a function, or leave it out.')
}

/** JavaScript callers may pass anything, and guards of another process have no `core`. `call`: how the tool is called. */
export function readPlatform<Parts extends object>(auth: unknown, needed: keyof Parts, call: string): Parts {
  const parts: unknown = isObject(auth) ? Reflect.get(auth, PLATFORM_PARTS) : undefined
  if (isObject(parts) && Object.hasOwn(parts, needed)) return parts as Parts
  throw new ConfigurationError({
    problem: `${call.slice(0, call.indexOf('('))}() was given ${describeValue(auth, 'nothing')}, which is no platform`,
    fix: `Write ${call}, where auth is what createPlatformAuth() returned.`,
  })
}

/**
 * A value as an error message shows it: JSON where there is any, otherwise its type. A request is not shown, because it has
 * credentials. `absent` stands for undefined, where the sentence is not that an option "is missing".
 */
export function describeValue(value: unknown, absent = 'missing'): string {
  if (value === undefined) return absent
  if (isRequest(value)) return 'a request'
  // JSON has no NaN and no Infinity.
  if (typeof value === 'number') return String(value)
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    // A bigint, or an object that contains itself.
    return typeof value
  }
}

/** Whether the value is a request: Node's, or the one of a framework or a test. */
export const isRequest = (value: unknown): boolean =>
  isObject(value) && typeof value['method'] === 'string' && isObject(value['headers'])

/** The kind of a value that may hold a secret, and is therefore not shown. */
export function describeKind(value: unknown, absent = 'missing'): string {
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  const kind = isObject(value) ? 'an object' : String(value)
  return kind === 'undefined' ? absent : kind
}
