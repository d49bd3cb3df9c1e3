import { fillHtml, html, type Html } from '../../shared/web/html.js'
import { renderCard, renderRows, renderTable } from '../../shared/web/parts.js'
import { renderDateTime, renderRelativeTime } from '../../shared/web/times.js'
import type { Visit } from './visit.js'

/** The time since or until, where that is the question, such as `3 days ago`; the exact time is its title. */
export function renderAge(at: Date, visit: Visit): Html {
  return renderRelativeTime(at, visit.now, visit)
}

/** A text with a time in place of `{time}` or `{age}`, and with other values. */
export function fillTime(text: string, at: Date, visit: Visit, values: Readonly<Record<string, Html | string>> = {}) {
  return fillHtml(text, { ...values, time: renderDateTime(at, visit), age: renderAge(at, visit) })
}

/** The title of an API; its name if the platform has none of that name any more. */
export function findTitle({ auth }: Visit, name: string): string {
  return auth.apis.find((api) => api.name === name)?.title ?? name
}

export function shortenKid(kid: string): string {
  return `${kid.slice(0, 8)}\u2026${kid.slice(-4)}`
}

export function renderApplicationLink(
  { root, texts }: Visit,
  { id, name }: { readonly id: string; readonly name: string },
): Html {
  const state = name === '' && html` class="soft"`
  return html`<a${state} href="${root}/applications/${encodeURIComponent(id)}">${name || texts.deletedName}</a>`
}

const NONE = html`<span class="none" aria-hidden="true">&ndash;</span>`

export type Cell = Html | string | number | false | undefined

/** A table; false without rows. `names` are those of its columns: with `#` they have numbers. A cell without a value has a dash. */
export function renderCells(
  { texts: { labels }, formats }: Visit,
  label: string,
  names: string,
  rows: readonly (readonly Cell[])[],
): Html | false {
  const listed = names.split(' ').map((name) => ({
    title: labels[name.replace('#', '') as keyof typeof labels],
    isNumber: name.startsWith('#'),
  }))
  const format = (cell: Cell) => (typeof cell === 'number' ? formats.count.format(cell) : cell || NONE)
  const cells = rows.map((row) => row.map(format))
  return rows.length > 0 && renderTable(label, listed, cells)
}

/** A row of a card: what it is about, the facts of it, and at the right what can be done. */
export function renderItem(title: Html | string, facts: readonly Cell[], end?: Html | false): Html {
  return html`<li class="row">
    <div>
      <h3>${title}</h3>
      <p class="facts">${facts.map((fact) => fact !== undefined && fact !== false && html`<span>${fact}</span> `)}</p>
    </div>
    ${end}
  </li> `
}

export function renderPlainCard(heading: string, content: Html): Html {
  return html`<div class="card">
    <h2 class="unseen">${heading}</h2>
    ${content}
  </div>`
}

/** A card of rows. `empty`: what stands where there are none. */
export function renderSection(
  title: Html | string,
  rows: readonly Html[],
  about: { readonly empty?: Html | string; readonly actions?: Html | false; readonly id?: string } = {},
): Html {
  return renderCard({ ...about, title }, renderRows(rows, about.empty ?? ''))
}

/**
 * Rows below the names of their columns as CSV (RFC 4180), with a byte order mark, by which spreadsheets know UTF-8. A cell that a spreadsheet would read as a formula
 * begins with an apostrophe.
 */
export function formatCsv(head: string, rows: readonly (readonly CsvCell[])[]): string {
  return `${String.fromCodePoint(0xfeff)}${[head.split(' '), ...rows].map((cells) => cells.map(formatCell).join(',')).join('\r\n')}\r\n`
}

type CsvCell = string | number | object | undefined

function formatCell(value: CsvCell): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
  const isFormula = typeof value === 'string' && /^\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20|%\t\r]/.test(text)
  // Where the list separator is another than the comma, a spreadsheet begins a cell after it.
  const safe = text.replaceAll(/(?<=;)(?=\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20|%])/g, "'")
  return `"${isFormula ? "'" : ''}${safe.replaceAll('"', '""')}"`
}
