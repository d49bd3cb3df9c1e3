import type { Change, ChangesPage } from '../../contracts/store.js'

/** How many changes the feed keeps. */
const KEPT = 10_000

export function memoryFeed() {
  const changes: Change[] = []
  const watchers = new Set<() => void>()
  let end = 0

  function publish(change: Change): void {
    end += 1
    changes.push(Object.freeze(change))
    if (changes.length > KEPT) changes.shift()
    // Not in this tick: the caller hears of its change first.
    for (const wake of watchers) queueMicrotask(wake)
  }

  function since(cursor: string | undefined): ChangesPage {
    if (cursor === undefined) return { cursor: String(end), changes: [] }
    const missed = end - Number(cursor)
    const known = missed >= 0 && missed <= changes.length
    return { cursor: String(end), changes: known ? changes.slice(changes.length - missed) : [{ kind: 'everything' }] }
  }

  function watch(wake: () => void): () => void {
    const watcher = () => wake()
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  }

  return { publish, since, watch }
}
