import type { Language } from '../../shared/contracts/application-record.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { getFormats } from '../../shared/web/formats.js'
import { fillIn } from '../../shared/lib/fill-in.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderCard, renderRows } from '../../shared/web/parts.js'
import type { OperatorTexts } from './texts/en.js'

/** The time since or until, such as `3 days ago`, with the exact time as its title. */
export function renderTime(at: Date, { language, now }: { readonly language: Language; readonly now: number }): Html {
  const { relative, dateTime } = getFormats(language)
  const distance = at.getTime() - now
  const unit = UNITS.find(([, length]) => Math.abs(distance) >= length)
  const text = unit ? relative.format(Math.trunc(distance / unit[1]), unit[0]) : relative.format(0, 'second')
  return html`<time datetime="${at.toISOString()}" title="${dateTime.format(at)} UTC">${text}</time>`
}

/** A text with a time in place of `{time}`, and with other values. */
export function fillTime(
  text: string,
  at: Date,
  visit: Parameters<typeof renderTime>[1],
  values: Readonly<Record<string, string>> = {},
): Html {
  return html`${fillIn<string | Html>(text, { ...values, time: renderTime(at, visit) })}`
}

const UNITS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Columns of a table by their names; those with `#` have numbers. */
export function nameColumns({ columns }: OperatorTexts, names: string) {
  return names.split(' ').map((name) => ({
    title: columns[name.replace('#', '') as keyof typeof columns],
    isNumber: name.startsWith('#'),
  }))
}

type Fact = Html | string | false | undefined

/** A row of a card: what it is about, the facts of it, and at the right what can be done. */
export function renderItem(title: Html | string, facts: readonly Fact[], end?: Html | false): Html {
  return html`<li class="row">
    <div>
      <h3>${title}</h3>
      <p class="facts-line">
        ${facts.map((fact) => fact !== undefined && fact !== false && html`<span>${fact}</span> `)}
      </p>
    </div>
    ${end}
  </li> `
}

/** A card of rows. `empty`: what stands where there are none. */
export function renderSection(
  title: Html | string,
  rows: readonly Html[],
  {
    empty = '',
    actions,
    end,
  }: { readonly empty?: Html | string; readonly actions?: Html | false; readonly end?: Html | false },
): Html {
  return renderCard({ title, level: 2, actions }, html`${renderRows(rows, empty)} ${end}`)
}

/**
 * Rows below the names of their columns as CSV (RFC 4180), with a byte order mark, by which spreadsheets know UTF-8. A cell that a spreadsheet would read as a formula
 * begins with an apostrophe.
 */
export function formatCsv(head: string, rows: readonly (readonly CsvCell[])[]): string {
  return `${BYTE_ORDER_MARK}${[head.split(' '), ...rows].map((cells) => cells.map(formatCell).join(',')).join('\r\n')}\r\n`
}

type CsvCell = string | number | object | undefined

const BYTE_ORDER_MARK = String.fromCodePoint(0xfeff)

function formatCell(value: CsvCell): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
  const isFormula = typeof value === 'string' && /^\s*[=+\-@|%\t\r]/.test(text)
  // Where the list separator is another than the comma, a spreadsheet begins a cell after it.
  const safe = text.replaceAll(/(?<=;)(?=\s*[=+\-@|%])/g, "'")
  return `"${isFormula ? "'" : ''}${safe.replaceAll('"', '""')}"`
}
