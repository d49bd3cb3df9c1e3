interface Page<Item> {
  readonly items: readonly Item[]
  /** The `after` of the page that follows. */
  readonly next?: string | undefined
}

/** One page; or with `all` every page from there on. */
export async function pagesOf<Item>(
  { after, all }: { readonly after: string | undefined; readonly all: boolean },
  read: (after: string | undefined) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = []
  for (let from = after; ;) {
    const page = await read(from)
    items.push(...page.items)
    if (!all || page.next === undefined) return { items, next: page.next }
    from = page.next
  }
}
