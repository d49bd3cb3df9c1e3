import type { Limit } from '../contracts/api.js'
import { ConfigurationError } from '../contracts/errors.js'

/** Refuses an option that does not exist: a misspelt one would otherwise be a default that nobody chose. */
export function refuseUnknown(path: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const meant = known.find((each) => closeTo(name.toLowerCase(), each.toLowerCase()))
    const cure = meant ? `Did you mean "${meant}"?` : `There are: ${known.join(', ')}.`
    throw new ConfigurationError(`${path}${name} is not an option. ${cure}`)
  }
}

/** At most two letters apart, as typing errors are. */
function closeTo(a: string, b: string): boolean {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]! <= 2
}

/** A limit with both its numbers, or false. */
export function readLimit(name: string, limit: Limit | false): Limit | false {
  if (limit === false) return false
  if (!isObject(limit))
    throw new ConfigurationError(
      `${name} is ${show(limit)}. Write { limit: 100, window: 60 } (requests, seconds), or false.`,
    )
  refuseUnknown(`${name}.`, limit, ['limit', 'window'])
  return { limit: wholeNumber(`${name}.limit`, limit.limit, 1), window: readWindow(`${name}.window`, limit.window) }
}

/** Node's timers hold 2^31 milliseconds. */
function readWindow(name: string, value: unknown): number {
  const window = wholeNumber(name, value, 1)
  if (window <= 2_147_483) return window
  throw new ConfigurationError(`${name} is ${window}. A window is at most 2147483 seconds (24 days).`)
}

export function wholeNumber(name: string, value: unknown, least: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    throw new ConfigurationError(`${name} is ${show(value)}. Write a whole number of at least ${least}.`)
  }
  return value as number
}

export function readFlag(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new ConfigurationError(`${name} is ${show(value)}. Write true or false.`)
  return value
}

export function optionalFunction<F>(name: string, value: F | undefined): F | undefined {
  if (value !== undefined && typeof value !== 'function')
    throw new ConfigurationError(`${name} is ${show(value)}. Give it a function, or leave it out.`)
  return value
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function show(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'number') return String(value)
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    // A bigint, or something that holds itself.
    return typeof value
  }
}
