import type { JsonObject } from '../../../shared/openapi/document.js'
import { readNumber, readText } from './read-schema.js'

export function createScalar(schema: JsonObject, type: string | undefined, nth: number): unknown {
  if (type === 'boolean') return [true, false][nth]
  if (type === 'integer' || type === 'number') return createNumber(schema, type === 'integer', nth)
  return type === 'string' ? createText(schema, nth) : undefined
}

/** The bound itself is tried first, then the multiples that are nearest to it, or to 0. */
function createNumber(schema: JsonObject, isInteger: boolean, nth: number): number | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const least = readNumber(minimum, -Infinity)
  const most = readNumber(maximum, Infinity)
  // OpenAPI 3.0 has an exclusive bound as a word beside the other.
  const above = exclusiveMinimum === true ? least : readNumber(exclusiveMinimum, -Infinity)
  const below = exclusiveMaximum === true ? most : readNumber(exclusiveMaximum, Infinity)
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

function createText(schema: JsonObject, nth: number): string {
  const { format, contentEncoding } = schema
  const least = Math.min(readNumber(schema['minLength'], 0), MAX_LENGTH)
  const most = readNumber(schema['maxLength'], Infinity)
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

interface Piece {
  readonly texts: readonly string[]
  readonly min: number
  readonly max: number
}

/** A pattern, and a text that is made of it, may be so long. */
const MAX_LENGTH = 1000

/**
 * A text that matches a simple pattern: literals, classes, groups, alternatives and repetitions. Undefined for patterns with
 * look-around, references or what is longer. Nothing is matched here, so no pattern takes long. Packages that do this for any pattern are
 * larger than the console.
 */
function createMatching(
  pattern: string,
  { least, most, nth }: { readonly least: number; readonly most: number; readonly nth: number },
): string | undefined {
  if (pattern.length > MAX_LENGTH) return undefined
  let at = 0
  let isSimple = true
  const alternatives = readAlternatives().map((pieces) => write(pieces, { least, most, nth }))
  return isSimple && at === pattern.length ? alternatives.find((text) => text !== undefined) : undefined

  function readAlternatives(): Piece[][] {
    const alternatives: Piece[][] = [[]]
    while (isSimple && at < pattern.length && pattern[at] !== ')') {
      if (pattern[at] === '|') {
        alternatives.push([])
        at++
      } else if (/[\^$]/.test(pattern[at]!)) at++
      else alternatives.at(-1)!.push({ texts: readTexts(), ...readRepetition() })
    }
    return alternatives
  }

  function readTexts(): readonly string[] {
    const character = take()
    if (character === '.') return LETTERS
    if (character === '\\') return readEscape()
    if (character === '[') return readClass()
    if (character !== '(') return [character]
    const [kind = ''] = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(pattern.slice(at, at + 50)) ?? []
    if (/[=!]$/.test(kind)) isSimple = false
    at += kind.length
    const texts = readAlternatives().flatMap((pieces) => write(pieces, { least: 0, most: MAX_LENGTH, nth: 0 }) ?? [])
    if (take() !== ')') isSimple = false
    return texts
  }

  function readClass(): readonly string[] {
    const isNegated = pattern[at] === '^'
    if (isNegated) at++
    const texts: string[] = []
    while (isSimple && pattern[at] !== ']') {
      const first = pattern[at] === '\\' ? (at++, readEscape()) : [take()]
      if (pattern[at] === '-' && pattern[at + 1] !== ']' && first.length === 1) {
        at++
        const last = pattern[at] === '\\' ? (at++, readEscape()) : [take()]
        texts.push(...listBetween(first[0]!, last[0]!))
      } else texts.push(...first)
    }
    at++
    return isNegated ? [...LETTERS, '-', ' '].filter((text) => !texts.includes(text)) : texts
  }

  function readEscape(): readonly string[] {
    const character = take()
    const code = /^x[\da-f]{2}|^u[\da-f]{4}/i.exec(pattern.slice(at - 1, at + 4))?.[0]
    if (code !== undefined) {
      at += code.length - 1
      return [String.fromCharCode(Number.parseInt(code.slice(1), 16))]
    }
    if (Object.hasOwn(ESCAPES, character)) return ESCAPES[character]!
    if (/[\da-z]/i.test(character)) isSimple = false
    return [character]
  }

  function readRepetition(): Omit<Piece, 'texts'> {
    const [given = '', braces, from = '', to] =
      /^(?:[*+?]|(\{(\d+)(?:(?:,(\d*)))?\}))\??/.exec(pattern.slice(at, at + 30)) ?? []
    at += given.length
    if (braces !== undefined)
      return { min: Number(from), max: to === undefined ? Number(from) : to === '' ? Infinity : Number(to) }
    const [sign] = given
    return { min: sign === '*' || sign === '?' ? 0 : 1, max: sign === '*' || sign === '+' ? Infinity : 1 }
  }

  function take(): string {
    if (at >= pattern.length) isSimple = false
    return pattern[at++] ?? ''
  }
}

function write(
  pieces: readonly Piece[],
  { least, most, nth }: { readonly least: number; readonly most: number; readonly nth: number },
): string | undefined {
  const chosen = pieces.map(({ texts }) => texts[nth % texts.length])
  if (chosen.includes(undefined) || pieces.some(({ min }) => min > MAX_LENGTH)) return undefined
  const counts = pieces.map(({ min }) => min)
  const measure = (): number => chosen.reduce((sum, text, at) => sum + text!.length * counts[at]!, 0)
  for (const [at, { max }] of pieces.entries()) {
    const missing = Math.ceil((least - measure()) / (chosen[at]!.length || 1))
    counts[at] = Math.min(max, counts[at]! + Math.max(0, missing))
  }
  const length = measure()
  if (length > most || length > MAX_LENGTH) return undefined
  return chosen.map((text, at) => text!.repeat(counts[at]!)).join('')
}

function listBetween(first: string, last: string): string[] {
  const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)]
  const length = Math.min(Math.max(0, to - from + 1), MAX_LENGTH)
  return Array.from({ length }, (_, at) => String.fromCharCode(from + at))
}

const DIGITS = listBetween('0', '9')
const LETTERS = [...listBetween('a', 'z'), ...listBetween('A', 'Z'), ...DIGITS]

const ESCAPES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: [...LETTERS, '_'],
  s: [' '],
  D: LETTERS.slice(0, 52),
  W: ['-', ' '],
  S: LETTERS,
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
}
