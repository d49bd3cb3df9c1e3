import { CommandError } from './errors.js'

/** Formats a table part by part: first the title, and headings in capital letters. A column is as wide as its widest cell so far. */
export function createTable(headings: readonly string[], title = ''): (rows: readonly (readonly string[])[]) => string {
  const widths: number[] = []
  let isFirst = true
  return function formatRows(rows) {
    if (!isFirst) return alignColumns(rows, '', widths)
    isFirst = false
    return title + alignColumns([headings.map((heading) => heading.toUpperCase()), ...rows], '', widths)
  }
}

export function alignColumns(rows: readonly (readonly string[])[], indent = '', widths: number[] = []): string {
  const cells = rows.map((row) => row.map(replaceControlCharacters))
  for (const row of cells)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, measureWidth(cell))))
  const formatRow = (row: readonly string[]): string =>
    indent + row.map((cell, column) => cell + ' '.repeat(widths[column]! - measureWidth(cell))).join('  ')
  return cells.map((row) => formatRow(row).trimEnd()).join('\n')
}

/** A time to the second in UTC, such as `2025-11-20 15:23:01Z`; a dash if it is undefined. */
export function formatTime(time: Date | number | undefined): string {
  if (time === undefined) return '-'
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** A date, whose start in UTC is meant, or a time with its offset: one without would be that of this machine. */
export function parseTime(option: string, text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
  const time = new Date(text)
  if (isTime && !Number.isNaN(time.getTime())) return time
  throw new CommandError(`${option} ${text} is no date, such as 2027-01-31, and no time, such as 2027-01-31T12:00:00Z.`)
}

/** Wraps text between words into lines of at most `width` columns; every line but the first starts with `indent`. */
export function wrapText(text: string, indent = '', width = 100): string {
  let line = ''
  const lines: string[] = []
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length >= width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${indent}`)
}

/** Shows characters that move the cursor, hide or turn text as U+FFFD: strangers choose what operators read. */
export function replaceControlCharacters(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}

export function toPlainLine(text: string): string {
  return replaceControlCharacters(text.replaceAll(/\s+/g, ' '))
}

/** The columns that a text takes on a terminal: two for each East Asian wide character and emoji. */
function measureWidth(text: string): number {
  // Segmenting a million rows would take minutes.
  if (PRINTABLE_ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of SEGMENTER.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

const PRINTABLE_ASCII = /^[ -~]*$/
const SEGMENTER = new Intl.Segmenter()
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u{3000}-\u{303F}\u{FF01}-\u{FF60}]/u
