import { isObject } from './is-object.js'

/** A value as an error message shows it: JSON where there is any, otherwise its type. A request is not shown, because it has credentials. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing'
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
export function describeKind(value: unknown): string {
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}
