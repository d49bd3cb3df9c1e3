import type { ChangesPage } from '../../shared/contracts/store.js'
import { formatFeedCursor, type FeedPosition } from './cursor.js'
import { parseChange, type ChangeRow } from './rows.js'

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
