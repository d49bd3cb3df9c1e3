import type { Change, ChangesPage } from '../../shared/contracts/store.js'

/** How many changes a feed keeps; a database may keep a few more. */
export const MAX_FEED_CHANGES = 10_000

/** Strict, so that every store answers a malformed cursor alike: `Number()` reads '' as 0, `parseInt()` '1abc' as 1. */
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

export interface ChangeRow {
  readonly seq: number
  readonly nonce: string
  readonly kind: Change['kind']
  readonly id: string | null
  readonly expires_at: number | null
}

/** A kind that this version does not know may concern anything, so it is read as `everything`. */
function parseChange({ kind, id, expires_at: expiresAt }: ChangeRow): Change {
  if (kind === 'application' && id !== null) return { kind, id }
  if (kind === 'accessTokenRevoked' && id !== null && expiresAt !== null) return { kind, id, expiresAt }
  const isKnown = kind === 'signingKeys' || kind === 'sessionSecret' || kind === 'processes'
  return isKnown ? { kind } : { kind: 'everything' }
}

/** The changes after `start`, from the feed's rows from `start` on; undefined if the feed does not have all of them. */
export function createChangesPage(start: FeedPosition, rows: readonly ChangeRow[]): ChangesPage | undefined {
  const [first] = rows
  // The oldest rows are deleted first: if the row of the cursor still exists, so do all after it.
  const isComplete = start.seq === 0 ? (first?.seq ?? 1) === 1 : first?.seq === start.seq && first.nonce === start.nonce
  if (!isComplete) return undefined
  return {
    cursor: formatFeedCursor(rows.at(-1) ?? start),
    changes: rows.filter(({ seq }) => seq > start.seq).map(parseChange),
  }
}
