import type { Change, ChangesPage } from '../../contracts/store.js'
import { createEverythingPage, MAX_FEED_CHANGES, parseCursor } from '../sql/cursor.js'

export function createMemoryFeed() {
  const changes: Change[] = []
  const watchers = new Set<() => void>()
  let end = 0

  function publish(change: Change): void {
    end += 1
    changes.push(Object.freeze(change))
    if (changes.length > MAX_FEED_CHANGES) changes.shift()
    // In a microtask, so that the call that made the change resolves first.
    for (const wake of watchers) queueMicrotask(wake)
  }

  function readSince(cursor: string | undefined): ChangesPage {
    if (cursor === undefined) return { cursor: String(end), changes: [] }
    const missed = end - (parseCursor(cursor) ?? Infinity)
    if (missed < 0 || missed > changes.length) return createEverythingPage(String(end))
    return { cursor: String(end), changes: changes.slice(changes.length - missed) }
  }

  function watch(wake: () => void): () => void {
    const watcher = (): void => wake()
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  }

  return { publish, readSince, watch }
}
