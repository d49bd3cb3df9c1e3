import type { OptionTable } from '../command.js'

/** The options of a command that lists page by page. */
export const PAGING_OPTIONS = {
  after: { kind: 'text', placeholder: 'ID', description: 'Starts after this id, the last one of the page before.' },
  limit: { kind: 'number', placeholder: 'N', description: 'The size of a page, 1 to 1000; the default is 100.' },
  all: { kind: 'flag', description: 'Lists every page.' },
} as const satisfies OptionTable

interface Page<Item> {
  readonly items: readonly Item[]
  /** The `after` of the next page; undefined on the last one. */
  readonly next?: string | undefined
}

/** The page after `after`; with `all`, the items of every page from there on. */
export async function listPages<Item>(
  { after, all }: { readonly after: string | undefined; readonly all: boolean },
  readPage: (after: string | undefined) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = []
  for (let pageAfter = after; ;) {
    const page = await readPage(pageAfter)
    items.push(...page.items)
    if (!all || page.next === undefined) return { items, next: page.next }
    pageAfter = page.next
  }
}

/** The last lines of a list: how to read the next page, if there is one. */
export function formatNextPage(next: string | undefined): string {
  return next === undefined ? '' : `\n\nThere are more: --after ${next}`
}
