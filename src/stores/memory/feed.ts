import { randomUUID } from 'node:crypto'
import type { Change, ChangesPage } from '../../shared/contracts/store.js'
import { createEverythingPage, formatFeedCursor, MAX_FEED_CHANGES, parseFeedCursor } from '../sql/feed.js'

export function createMemoryFeed() {
  const changes: Change[] = []
  const watchers = new Set<() => void>()
  /** One random value serves the whole feed: a store in memory is never restored. */
  const nonce = randomUUID()
  let end = 0

  function publish(change: Change): void {
    end += 1
    changes.push(Object.freeze(change))
    if (changes.length > MAX_FEED_CHANGES) changes.shift()
    // Watchers run in a microtask, so that the call that made the change resolves first.
    for (const wake of watchers) queueMicrotask(wake)
  }

  function readSince(cursor: string | undefined): ChangesPage {
    const endCursor = formatFeedCursor({ seq: end, nonce })
    if (cursor === undefined) return { cursor: endCursor, changes: [] }
    const start = parseFeedCursor(cursor)
    const missed = start?.nonce === nonce ? end - start.seq : -1
    if (missed < 0 || missed > changes.length) return createEverythingPage(endCursor)
    return { cursor: endCursor, changes: changes.slice(changes.length - missed) }
  }

  function watch(wake: () => void): () => void {
    const watcher = (): void => wake()
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  }

  return { publish, readSince, watch }
}
