import { isObject, ownMembers } from '../../shared/lib/own-members.js'

export type Members = Readonly<Record<string, unknown>>

/** Each reads a value of another process, and throws for one that it does not expect. */
export function readObject(value: unknown): Members {
  if (isObject(value)) return ownMembers(value)
  throw unexpected('an object')
}

export function readList<Value>(value: unknown, read: (each: unknown) => Value): readonly Value[] {
  if (Array.isArray(value)) return value.map(read)
  throw unexpected('a list')
}

export function readText(value: unknown): string {
  if (typeof value === 'string') return value
  throw unexpected('a text')
}

export function readNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw unexpected('a whole number')
}

export function readBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw unexpected('true or false')
}

export function readOptional<Value>(value: unknown, read: (value: unknown) => Value): Value | undefined {
  return value === undefined ? undefined : read(value)
}

/** Of the other side, whose values are not shown: they may be credentials. */
export class WrongValue extends Error {
  override readonly name = 'WrongValue'
}

function unexpected(what: string): Error {
  return new WrongValue(`There should be ${what}.`)
}
