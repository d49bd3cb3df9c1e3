import type { ChangesPage } from '../../shared/contracts/store.js'

/** How many changes a feed keeps; a database may keep a few more. */
export const MAX_FEED_CHANGES = 10_000

/**
 * The number in an audit id or a cursor of the change feed; undefined for a text that no store issues. Strict, so that
 * every store answers a malformed cursor in the same way: `Number()` reads '' as 0, and `parseInt()` reads '1abc' as 1.
 */
export function parseCursor(cursor: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(cursor) ? Number(cursor) : undefined
}

/** A position in the change feed: the number of the last change that was read, and its random value. */
export interface FeedPosition {
  readonly seq: number
  /** After a restore, the same number may be another change's. Empty before the first change. */
  readonly nonce: string
}

const FEED_START: FeedPosition = { seq: 0, nonce: '' }

export function formatFeedCursor({ seq, nonce }: FeedPosition = FEED_START): string {
  return nonce === '' ? String(seq) : `${seq}.${nonce}`
}

/** Undefined for a text that no store issues. */
export function parseFeedCursor(cursor: string): FeedPosition | undefined {
  const [, number = '', nonce = ''] = /^(\d+)(?:\.([\da-f-]+))?$/.exec(cursor) ?? []
  const seq = parseCursor(number)
  return seq === undefined ? undefined : { seq, nonce }
}

/** The answer to a cursor that the feed does not have: anything before `end` may have changed. */
export function createEverythingPage(end: string): ChangesPage {
  return { cursor: end, changes: [{ kind: 'everything' }] }
}
