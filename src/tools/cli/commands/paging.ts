import { option, type CommandResult, type OptionTable, type ResultPart } from '../command.js'
import { createTable } from '../format.js'

export const PAGING_OPTIONS = {
  after: option.text('ID', 'Starts behind the page before, which names this.'),
  limit: option.number('N', 'The size of a page, 1 to 1000; the default is 100.'),
  all: option.flag('Lists every page. With --json: one JSON document per line (NDJSON).'),
} as const satisfies OptionTable

interface PageQuery {
  readonly after: string | undefined
  readonly limit: number | undefined
}

interface Page<Item> {
  readonly items: readonly Item[]
  /** The `after` of the next page; undefined on the last one. */
  readonly next?: string | undefined
}

export interface List<Item> {
  readPage(query: PageQuery): Promise<Page<Item>>
  readonly headings: readonly string[]
  formatRow(item: Item): readonly string[]
  readonly empty: string
}

/** With `all`, pages are read while they are printed, so memory is bounded. Larger pages then save time. */
export const PAGE_SIZE_OF_ALL = 1000

/** The page after `after`; with `all`, every page from there on. */
export async function listPages<Item>(
  { after, limit, all }: PageQuery & { readonly all: boolean },
  list: List<Item>,
): Promise<CommandResult> {
  if (all) return { parts: readAll({ after, limit: limit ?? PAGE_SIZE_OF_ALL }, list) }
  const { items, next } = await list.readPage({ after, limit })
  const more = next === undefined ? '' : `\n\nThere are more: --after ${next}`
  return { json: { items, next }, text: formatItems(items, list, createTable(list.headings)) + more }
}

async function* readAll<Item>({ after, limit }: PageQuery, list: List<Item>): AsyncGenerator<ResultPart> {
  const formatRows = createTable(list.headings)
  for await (const items of readPages((next) => list.readPage({ after: next, limit }), after))
    yield { items, formatText: () => formatItems(items, list, formatRows) }
}

/** The items of every page from `start` on, page by page. */
export async function* readPages<Item>(
  readPage: (after: string | undefined) => Promise<Page<Item>>,
  start?: string,
): AsyncGenerator<readonly Item[]> {
  for (let after = start; ;) {
    const { items, next } = await readPage(after)
    yield items
    if (next === undefined) return
    after = next
  }
}

function formatItems<Item>(
  items: readonly Item[],
  { formatRow, empty }: List<Item>,
  formatRows: ReturnType<typeof createTable>,
): string {
  return items.length === 0 ? empty : formatRows(items.map(formatRow))
}
