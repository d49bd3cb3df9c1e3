import { ownMembers } from './own-members.js'

interface Page<Item> {
  readonly items: readonly Item[]
  readonly next?: string | undefined
}

/** The pages of a list, each read when it is asked for. `start`: the `after` of the first one. */
export async function* readPages<Item>(
  readPage: (after: string | undefined) => Promise<Page<Item>>,
  start?: string,
): AsyncGenerator<readonly Item[]> {
  for (let after = start; ;) {
    const { items, next } = ownMembers(await readPage(after))
    yield items
    if (next === undefined) return
    after = next
  }
}
