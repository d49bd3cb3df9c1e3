import type { Change, ChangesPage } from '../../contracts/store.js'
import { changeFrom } from './rows.js'
import type { ChangeRow } from './rows.js'

/** How many changes a feed keeps; in a database, about. */
export const KEPT = 10_000

/** The place in a table of changes that a cursor stands for; infinitely far where it is none. */
export function placeOf(cursor: string): number {
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : Infinity
}

/** What came after a place, from the rows from that place on; undefined where the table no longer has all of it. */
export function pageAfter(place: number, rows: readonly ChangeRow[]): ChangesPage | undefined {
  // Where the change at the place is still there, so are all after it: the table is cleared from its beginning.
  const first = rows[0]?.seq
  const complete = place === 0 ? first === undefined || first === 1 : first === place
  if (!complete) return undefined
  return {
    cursor: String(rows.at(-1)?.seq ?? place),
    changes: rows.filter(({ seq }) => seq > place).map(changeFrom),
  }
}

/** Where all that can be said is that anything may have changed before `end`. */
export function everythingBefore(end: string): ChangesPage {
  const changes: readonly Change[] = [{ kind: 'everything' }]
  return { cursor: end, changes }
}
