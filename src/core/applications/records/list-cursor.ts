import { findFirstExpiry, toAsciiLowerCase } from '../../../shared/contracts/application-order.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { ApplicationQuery } from '../../../shared/contracts/store.js'

type Search = Pick<ApplicationQuery, 'name' | 'expiringBefore'>
type Position = Pick<ApplicationQuery, 'after' | 'afterName' | 'afterExpiry' | 'expiringAfter'>

/**
 * The cursor behind `last`. In a search by expiry or name it has that too, so that the next page is found although the application
 * has been changed since. All pages of a search by expiry count from the time of the first one.
 */
export function formatListCursor(search: Search, expiringAfter: number, last: ApplicationRecord): string {
  if (search.expiringBefore !== undefined)
    return `expiry.${expiringAfter}.${findFirstExpiry(last, expiringAfter)}.${last.id}`
  if (search.name === undefined) return last.id
  return `name.${Buffer.from(toAsciiLowerCase(last.name)).toString('base64url')}.${last.id}`
}

/** Undefined for a text that is no cursor of such a search, after which nothing is listed. */
export function parseListCursor(search: Search, cursor: string | undefined, now: number): Position | undefined {
  if (cursor === undefined) return { after: undefined, expiringAfter: now }
  if (search.expiringBefore !== undefined) {
    const [, since, expiry, after] = /^expiry\.(\d{1,15})\.(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
    return after === undefined ? undefined : { after, expiringAfter: Number(since), afterExpiry: Number(expiry) }
  }
  if (search.name === undefined) return { after: cursor }
  const [, name, after] = /^name\.([\w-]+)\.(.+)$/s.exec(cursor) ?? []
  return after === undefined ? undefined : { after, afterName: Buffer.from(name!, 'base64url').toString() }
}
