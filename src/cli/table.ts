/** Rows below their headings, each column as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return columns([headings.map((heading) => heading.toUpperCase()), ...rows])
}

/** Rows of cells, aligned, with two spaces between them and `indent` before. */
export function columns(rows: readonly (readonly string[])[], indent = ''): string {
  const cells = rows.map((row) => row.map(visible))
  const widths: number[] = []
  for (const row of cells) row.forEach((cell, place) => (widths[place] = Math.max(widths[place] ?? 0, widthOf(cell))))
  const line = (row: readonly string[]): string =>
    indent + row.map((cell, place) => cell + ' '.repeat(widths[place]! - widthOf(cell))).join('  ')
  return cells.map((row) => line(row).trimEnd()).join('\n')
}

/** An instant to the second: `2025-11-20 15:23:01Z`; a dash where there is none. */
export function instant(date: Date | number | undefined): string {
  if (date === undefined) return '-'
  return `${new Date(date).toISOString().slice(0, 19).replace('T', ' ')}Z`
}

/** Text in lines of at most `width` columns, each after the first behind `indent`. */
export function fold(text: string, indent = '', width = 100): string {
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

/** Names come from strangers: what would move the cursor or turn the line around is shown as a mark instead. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}

/** Columns of a terminal: the scripts of East Asia and emoji take two. */
function widthOf(text: string): number {
  let width = 0
  for (const { segment } of SEGMENTER.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

const SEGMENTER = new Intl.Segmenter()
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u{3000}-\u{303F}\u{FF01}-\u{FF60}]/u
