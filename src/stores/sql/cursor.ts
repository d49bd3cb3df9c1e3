import type { ChangesPage } from '../../contracts/store.js'
import { parseChange, type ChangeRow } from './rows.js'

/** How many changes a feed keeps; a database may keep a few more. */
export const MAX_FEED_CHANGES = 10_000

/**
 * The number in a cursor of the change feed or in an audit id; undefined for a text that no store issues. Strict, so that
 * every store answers a malformed cursor in the same way: `Number()` reads '' as 0, and `parseInt()` reads '1abc' as 1.
 */
export function parseCursor(cursor: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(cursor) ? Number(cursor) : undefined
}

/** The changes after `start`, from the feed's rows from `start` on; undefined if the feed no longer has all of them. */
export function createChangesPage(start: number, rows: readonly ChangeRow[]): ChangesPage | undefined {
  // The oldest rows are deleted first: if the row of the cursor still exists, so do all after it.
  const first = rows[0]?.seq
  const isComplete = start === 0 ? first === undefined || first === 1 : first === start
  if (!isComplete) return undefined
  return {
    cursor: String(rows.at(-1)?.seq ?? start),
    changes: rows.filter(({ seq }) => seq > start).map(parseChange),
  }
}

/** The answer to a cursor that the feed does not have: anything before `end` may have changed. */
export function createEverythingPage(end: string): ChangesPage {
  return { cursor: end, changes: [{ kind: 'everything' }] }
}
