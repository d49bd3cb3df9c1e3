import type { ApplicationRecord } from './application-record.js'
import type { ApplicationQuery } from './store.js'

/** The parts of a query that decide its order, and where a page begins. */
type OrderQuery = Pick<
  ApplicationQuery,
  'after' | 'name' | 'afterName' | 'expiringBefore' | 'expiringAfter' | 'afterExpiry' | 'waiting' | 'afterWaiting'
>

/** The time at which the first credential expires, of those that expire after `after`; infinite if there is none. */
export function findFirstExpiry({ keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>, after = 0): number {
  const times = [...keys, ...secrets].map(({ expiresAt = Infinity }) => expiresAt)
  return Math.min(...times.filter((time) => time > after))
}

/** Since when it waits for an operator, for its registration or for access; infinite if it does not. */
export function findWaitingSince({ status, createdAt, accessRequests }: ApplicationRecord): number {
  const times = accessRequests.map(({ requestedAt }) => requestedAt)
  return Math.min(status === 'pending' ? createdAt : Infinity, ...times)
}

/** Lower case as databases write it: letters other than A to Z stay as they are. */
export function toAsciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Orders texts as the databases do: by code point, where JavaScript compares parts of some characters. */
function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** The records, given in order of creation, in the order of the query. */
export function sortApplications(records: readonly ApplicationRecord[], query: OrderQuery): ApplicationRecord[] {
  const { name, expiringBefore, expiringAfter, waiting } = query
  if (expiringBefore !== undefined) return sortBy(records, (record) => findFirstExpiry(record, expiringAfter), subtract)
  if (name !== undefined) return sortBy(records, (record) => toAsciiLowerCase(record.name), compareTexts)
  return waiting ? sortBy(records, findWaitingSince, subtract) : [...records]
}

function sortBy<Key>(
  records: readonly ApplicationRecord[],
  getKey: (record: ApplicationRecord) => Key,
  compare: (one: Key, other: Key) => number,
): ApplicationRecord[] {
  const keyed = records.map((record) => ({ record, key: getKey(record) }))
  return keyed.toSorted((one, other) => compare(one.key, other.key)).map(({ record }) => record)
}

function subtract(one: number, other: number): number {
  return one - other
}

/** Where the record stands to the position after which the page begins: negative before it, 0 beside it, positive behind it. */
export function comparePosition(record: ApplicationRecord, query: OrderQuery): number {
  const { name, afterName = '', expiringBefore, expiringAfter, afterExpiry = 0, waiting, afterWaiting = 0 } = query
  if (expiringBefore !== undefined) return findFirstExpiry(record, expiringAfter) - afterExpiry
  if (name !== undefined) return compareTexts(toAsciiLowerCase(record.name), afterName)
  return waiting ? findWaitingSince(record) - afterWaiting : 0
}

/** Whether a page of this search may begin there. If not, nothing is listed. */
export function isPosition(query: OrderQuery): boolean {
  const { after, name, afterName, expiringBefore, expiringAfter = 0, afterExpiry, waiting, afterWaiting } = query
  if (after === undefined) return true
  if (expiringBefore !== undefined) return afterExpiry !== undefined && afterExpiry > expiringAfter
  if (name !== undefined) return afterName?.startsWith(name) === true
  return !waiting || afterWaiting !== undefined
}
