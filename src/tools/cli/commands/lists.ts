import type { MaybePromise } from '../../../shared/lib/maybe-promise.js'
import { readPages } from '../../../shared/lib/own-members.js'
import type { ResultOf } from '../../operations/operation.js'
import type { CallName } from '../../operations/operator-calls.js'
import { command, option, type Command, type CommandContext, type OptionTable, type ResultPart } from '../command.js'
import { UsageError } from '../errors.js'
import { createTable } from '../format.js'
import type { GivenMembers } from './member-options.js'
import { describeCommand, findOperation, run, type SharedWords } from './operation-command.js'

export const LIST_OPTIONS = {
  after: option.text('ID', 'Starts behind the page before, which names this.'),
  limit: option.number('N', 'The size of a page, 1 to 1000; the default is 100.'),
  all: option.flag('Lists every page. With --json: one JSON document per line (NDJSON).'),
} as const satisfies OptionTable

export const EXPORT_OPTIONS = {
  format: option.text('FORMAT', 'Prints every entry as csv, or as ndjson: one JSON document per line.'),
} as const satisfies OptionTable

type ItemOf<Name extends CallName> = ResultOf<Name> extends { items: (infer Item)[] } ? Item : never
type Cells = readonly (string | number)[]

interface Shown<Item> {
  readonly headings: readonly string[]
  formatRow(item: Item): readonly string[]
  readonly empty: string
  readonly columns?: readonly string[]
  formatRows?(item: Item): MaybePromise<readonly Cells[]>
}

interface ListWords<Name extends CallName> extends SharedWords {
  readonly exports?: boolean
  list(input: GivenMembers): Shown<ItemOf<Name>>
  /** Runs if the first page has no items; throws if the query cannot be right. */
  whenEmpty?(input: GivenMembers, context: CommandContext): void
}

export function listCommand<const Name extends CallName>(operationName: Name, words: ListWords<Name>): Command {
  const options = { ...(words.exports && EXPORT_OPTIONS), ...LIST_OPTIONS }
  const { members, ...described } = describeCommand(findOperation(operationName), {
    ...words,
    without: ['after', 'limit'],
    options,
  })
  const { name } = described
  return command({
    ...described,
    async run(context) {
      const input = await members.read(context.values, context.parameters, name)
      const whenEmpty = (): void => words.whenEmpty?.(input, context)
      return runList(operationName, words.list(input), { name, input, context, whenEmpty })
    },
  })
}

/** With `all`, pages are read while they are printed, so memory is bounded. Larger pages then save time. */
const PAGE_SIZE_OF_ALL = 1000

export async function runList<const Name extends CallName>(
  operationName: Name,
  shown: Shown<ItemOf<Name>>,
  given: {
    readonly name: string
    readonly input: object
    readonly context: Pick<CommandContext, 'values' | 'platform'>
    readonly whenEmpty?: () => void
  },
) {
  const { name, input, context, whenEmpty } = given
  const operation = findOperation(operationName)
  const { after, limit, all, format } = context.values as {
    readonly after?: string
    readonly limit?: number
    readonly all?: boolean
    readonly format?: string
  }
  async function readPage(start: string | undefined, size: number | undefined): Promise<Page<ItemOf<Name>>> {
    const query = Object.entries({ after: start, limit: size }).filter(
      ([member, value]) => value !== undefined && Object.hasOwn(operation.input.shape, member),
    )
    const page = await run(operation, context.platform, { ...input, ...Object.fromEntries(query) })
    const { items } = page as Page<ItemOf<Name>>
    if (items.length === 0 && start === after) whenEmpty?.()
    return page as Page<ItemOf<Name>>
  }
  const size = format === undefined && limit !== undefined ? limit : PAGE_SIZE_OF_ALL
  const pages = readPages((next) => readPage(next, size), after)
  if (format !== undefined && format !== 'csv' && format !== 'ndjson')
    throw new UsageError(`--format is "${format}". Write csv or ndjson.`, name)
  const formatRows = createTable(shown.headings)
  const formatItems = (items: readonly ItemOf<Name>[]): string =>
    items.length === 0 ? shown.empty : formatRows(items.map((item) => shown.formatRow(item)))
  async function listLines(items: readonly ItemOf<Name>[]): Promise<readonly string[]> {
    if (format === 'csv') return formatCsv(items, shown)
    return format === 'ndjson' ? items.map((item) => JSON.stringify(item)) : [formatItems(items)]
  }
  async function* listParts(): AsyncGenerator<ResultPart> {
    if (format === 'csv') yield { items: [], formatText: () => formatLine(shown.columns ?? []) }
    for await (const items of pages) {
      const lines = await listLines(items)
      if (lines.length > 0) yield { items, formatText: () => lines.join('\n') }
    }
  }
  if (all || format !== undefined) return { parts: listParts() }
  const page = await readPage(after, limit)
  const { items, next, searched } = page
  const found = searched === undefined ? 'are' : 'may be'
  const more = next === undefined ? '' : `\n\nThere ${found} more: --after ${next}`
  return { json: page, text: formatItems(items) + more }
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next?: string | undefined
  readonly searched?: number | undefined
}

async function formatCsv<Item>(items: readonly Item[], { formatRows }: Shown<Item>): Promise<string[]> {
  const rows: Cells[] = []
  for (const item of items) rows.push(...((await formatRows?.(item)) ?? []))
  return rows.map(formatLine)
}

/** RFC 4180. */
function formatLine(cells: Cells): string {
  return cells.map((cell) => (typeof cell === 'number' ? String(cell) : formatCell(cell))).join(',')
}

/** A text that spreadsheets would read as a formula gets an apostrophe, as OWASP recommends: callers choose request ids. */
function formatCell(text: string): string {
  const safe = /^[=+\-@\uFF0B\uFF0D\uFF1D\uFF20\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
