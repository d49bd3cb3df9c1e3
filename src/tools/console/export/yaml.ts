import { INVISIBLE } from '../../../shared/lib/visible-text.js'

/** The YAML of a JSON value, in block style: the same value for parsers of YAML 1.2 and 1.1. Longer texts are blocks of lines. */
export function stringifyYaml(value: unknown): string {
  const lines: string[] = []
  writeValue(value, '', '', lines)
  return `${lines.join('\n')}\n`
}

function writeValue(value: unknown, prefix: string, indent: string, lines: string[]): void {
  if (Array.isArray(value) && value.length > 0) return writeList(value, prefix, indent, lines)
  if (isMapping(value)) return writeMapping(value, prefix, indent, lines)
  if (typeof value === 'string' && isBlock(value)) return writeBlock(value, prefix, indent, lines)
  // YAML 1.1 reads a number with an exponent only if it has a point.
  const scalar = typeof value === 'string' ? formatText(value) : JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e')
  lines.push(prefix + scalar)
}

function writeList(list: readonly unknown[], prefix: string, indent: string, lines: string[]): void {
  let first = continueLine(prefix, indent, lines)
  for (const item of list) {
    writeValue(item, `${first}- `, `${indent}  `, lines)
    first = indent
  }
}

function writeMapping(mapping: object, prefix: string, indent: string, lines: string[]): void {
  let first = continueLine(prefix, indent, lines)
  for (const [name, value] of Object.entries(mapping)) {
    if (value === undefined) continue
    const key = formatText(name)
    // The specification lets a key without a question mark have 1024 characters.
    const before = key.length < MAX_KEY_LENGTH ? `${first}${key}:` : `${first}? ${key}\n${indent}:`
    if (isMapping(value)) writeMapping(value, before, `${indent}  `, lines)
    else writeValue(value, Array.isArray(value) && value.length > 0 ? before : `${before} `, `${indent}  `, lines)
    first = indent
  }
}

const MAX_KEY_LENGTH = 1000

/** A collection in a list begins on the line of its hyphen, one in a mapping on the next line. */
function continueLine(prefix: string, indent: string, lines: string[]): string {
  if (prefix === '' || prefix.endsWith('- ')) return prefix
  lines.push(prefix)
  return indent
}

/** The last character of the indicator says whether the text ends with a line break. */
function writeBlock(text: string, prefix: string, indent: string, lines: string[]): void {
  const ends = text.endsWith('\n')
  lines.push(`${prefix}|${ends ? '' : '-'}`)
  for (const line of (ends ? text.slice(0, -1) : text).split('\n'))
    lines.push(line === '' ? '' : `${indent === '' ? '  ' : indent}${line}`)
}

/** Several lines of printable characters. The first one shows the indentation, so it does not begin with a space. */
function isBlock(text: string): boolean {
  return /^[^\s]/.test(text) && /\n[^]/.test(text) && !/\s\n$|[^\S\n]\n|[^\S\n]$/.test(text) && !UNPRINTABLE.test(text)
}

const UNPRINTABLE = new RegExp(
  String.raw`${INVISIBLE.source}|(?!\n)\p{Cc}|[\xA0\u2028\u2029\p{Surrogate}\uFFFE\uFFFF]`,
  'u',
)

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

/** A plain scalar if every parser reads it as that text, otherwise a JSON string, which YAML has too. */
function formatText(text: string): string {
  if (PLAIN.test(text) && !OTHER_TYPES.test(text)) return text
  return JSON.stringify(text).replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0)!.toString(16)
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
}

const UNSEEN = new RegExp(String.raw`${INVISIBLE.source}|[\u007F-\u00A0\u2028\u2029\uFFFE\uFFFF]`, 'gu')

const PLAIN = /^[A-Za-z_$/](?:[\w $/{}().;+*'&=?~@,-]*[\w$/{}().;+*'&=?~@-])?$/
const OTHER_TYPES = /^(?:true|false|null|yes|no|on|off|y|n)$/i
