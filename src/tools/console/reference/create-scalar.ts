import type { JsonObject } from '../../../shared/openapi/document.js'
import { createMatching } from './create-matching.js'
import { readText } from './resolve.js'

/** A boolean, number or text that is valid by a schema; `nth`: the number of different ones before it. */
export function createScalar(schema: JsonObject, type: string | undefined, nth: number): unknown {
  if (type === 'boolean') return [true, false][nth]
  if (type === 'integer' || type === 'number') return createNumber(schema, type === 'integer', nth)
  return type === 'string' ? createText(schema, nth) : undefined
}

/** The bound itself is tried first, then the multiples that are nearest to it, or to 0. */
function createNumber(schema: JsonObject, isInteger: boolean, nth: number): number | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const least = readBound(minimum, -Infinity)
  const most = readBound(maximum, Infinity)
  // OpenAPI 3.0 has an exclusive bound as a word beside the other.
  const above = exclusiveMinimum === true ? least : readBound(exclusiveMinimum, -Infinity)
  const below = exclusiveMaximum === true ? most : readBound(exclusiveMaximum, Infinity)
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1
  const low = Math.max(least, above)
  const high = Math.min(most, below)
  const start = low > 0 ? Math.ceil(low / step) : high < 0 ? Math.floor(high / step) : 0
  const isAllowed = (value: number): boolean => {
    // Validators divide: 0.29 is no multiple of 0.01 for them.
    const isMultiple = multipleOf === undefined || Number.isInteger(value / step)
    const isInside = value >= least && value <= most && value > above && value < below
    return isInside && isMultiple && (!isInteger || Number.isInteger(value))
  }
  const multiples = Array.from({ length: MAX_STEPS + nth }, (_, at) => [start + at, start - at]).flat()
  const tried = [0, low, ...multiples.map((each) => each * step), (low + high) / 2].map((value) =>
    Number(value.toPrecision(15)),
  )
  return [...new Set(tried.filter(isAllowed))][nth]
}

/** A number that is a multiple of a fraction and an integer can be far from the first. */
const MAX_STEPS = 200

function readBound(given: unknown, otherwise: number): number {
  return typeof given === 'number' ? given : otherwise
}

/** Longer texts are not made up. */
const MAX_LENGTH = 1000

function createText(schema: JsonObject, nth: number): string {
  const { format, contentEncoding } = schema
  const least = Math.min(readBound(schema['minLength'], 0), MAX_LENGTH)
  const most = readBound(schema['maxLength'], Infinity)
  const pattern = readText(schema['pattern'])
  const name = contentEncoding === 'base64' ? 'byte' : typeof format === 'string' ? format : ''
  const formatted = Object.hasOwn(FORMATS, name) ? FORMATS[name]!.map((write) => write(nth)) : []
  const end = nth === 0 ? '' : String(nth + 1)
  const plain = `${'string'.slice(0, Math.max(0, most - end.length))}${end}`.padEnd(least, 'x')
  const fits = [...formatted, plain].filter((text) => text.length >= least && text.length <= most)
  if (pattern === undefined) return fits[0] ?? plain
  return (
    fits.find((text) => matches(pattern, text)) ?? createMatching(pattern, { least, most, nth }) ?? fits[0] ?? plain
  )
}

/** With three repetitions, a text that does not match takes time that grows with the fourth power of its length. */
const MAX_TRIED_LENGTH = 40

/** Whether a text matches; not asked where that could take long to try. */
function matches(pattern: string, text: string): boolean {
  const variable = pattern.match(/[*+?]|\{\d+,/g) ?? []
  if (variable.length > 3 || text.length > MAX_TRIED_LENGTH || /\||\)[*+?{]/.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}

const writeDay = (nth: number): string => `2026-01-${String(31 - (nth % 31)).padStart(2, '0')}`
const writeUri = (nth: number): string => `https://example.com${nth === 0 ? '' : `/${nth + 1}`}`
const suffix = (nth: number): string => (nth === 0 ? '' : String(nth + 1))

/** What is written in a format, and a shorter form. */
const FORMATS: Readonly<Record<string, readonly ((nth: number) => string)[]>> = {
  date: [writeDay],
  'date-time': [(nth) => `${writeDay(nth)}T12:00:00Z`],
  time: [(nth) => `12:00:${String(nth % 60).padStart(2, '0')}Z`],
  duration: [(nth) => `P${nth + 1}D`],
  email: [(nth) => `name${suffix(nth)}@example.com`, (nth) => `a${suffix(nth)}@b.co`],
  hostname: [(nth) => `example${suffix(nth)}.com`, (nth) => `a${suffix(nth)}.co`],
  ipv4: [(nth) => `192.0.2.${nth + 1}`],
  ipv6: [(nth) => `2001:db8::${nth + 1}`],
  uri: [writeUri, (nth) => `a:${nth + 1}`],
  url: [writeUri],
  'uri-reference': [(nth) => `/name${suffix(nth)}`],
  'json-pointer': [(nth) => `/name${suffix(nth)}`],
  regex: [(nth) => `^string${suffix(nth)}`],
  uuid: [
    (nth) =>
      `3fa85f64-5717-4562-b3fc-2c963f66afa6`.replace(/\w{3}$/, (end) => (Number.parseInt(end, 16) + nth).toString(16)),
  ],
  byte: [(nth) => btoa(`string${suffix(nth)}`), () => 'YQ==', () => ''],
}
