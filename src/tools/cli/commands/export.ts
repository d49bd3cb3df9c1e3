import { option, type CommandResult, type OptionTable, type OptionValues, type ResultPart } from '../command.js'
import { UsageError } from '../errors.js'
import type { MaybePromise } from '../../../shared/lib/maybe-promise.js'
import { listPages, PAGE_SIZE_OF_ALL, readPages, type List, type PAGING_OPTIONS } from './paging.js'

export const EXPORT_OPTIONS = {
  format: option.text('FORMAT', 'Prints every entry as csv, or as ndjson: one JSON document per line.'),
} as const satisfies OptionTable

type ListValues = OptionValues<typeof EXPORT_OPTIONS & typeof PAGING_OPTIONS>

/** Lists a page, or all pages; or exports every entry from `after` on in the chosen format. */
export async function listOrExport<Item>(
  command: string,
  { format, after, limit, all }: ListValues,
  list: List<Item> & Omit<ExportedList<Item>, 'pages'>,
): Promise<CommandResult> {
  const pages = readPages((next) => list.readPage({ after: next, limit: PAGE_SIZE_OF_ALL }), after)
  return exportList(format, command, { ...list, pages }) ?? listPages({ after, limit, all }, list)
}

export interface ExportedList<Item> {
  readonly pages: AsyncIterable<readonly Item[]>
  readonly columns: readonly string[]
  /** The lines of CSV for an item. Items are asked for one after another. */
  formatRows(item: Item): MaybePromise<readonly (readonly (string | number)[])[]>
}

/** Lists every entry in the chosen format; undefined if none was chosen. */
export function exportList<Item>(
  format: string | undefined,
  command: string,
  list: ExportedList<Item>,
): CommandResult | undefined {
  if (format === undefined) return undefined
  if (format === 'csv') return { parts: formatCsv(list) }
  if (format === 'ndjson') return { parts: formatNdjson(list.pages) }
  throw new UsageError(`--format is "${format}". Write csv or ndjson.`, command)
}

async function* formatNdjson<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<ResultPart> {
  for await (const items of pages) {
    if (items.length > 0) yield { items, formatText: () => items.map((item) => JSON.stringify(item)).join('\n') }
  }
}

async function* formatCsv<Item>({ pages, columns, formatRows }: ExportedList<Item>): AsyncGenerator<ResultPart> {
  yield { items: [], formatText: () => formatLine(columns) }
  for await (const items of pages) {
    const rows: (readonly (string | number)[])[] = []
    for (const item of items) rows.push(...(await formatRows(item)))
    if (rows.length > 0) yield { items, formatText: () => rows.map(formatLine).join('\n') }
  }
}

/** RFC 4180. */
function formatLine(cells: readonly (string | number)[]): string {
  return cells.map((cell) => (typeof cell === 'number' ? String(cell) : formatCell(cell))).join(',')
}

/** A text that spreadsheets would read as a formula gets an apostrophe, as OWASP recommends: callers choose request ids. */
function formatCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
