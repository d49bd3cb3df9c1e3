import { findFirstExpiry, findWaitingSince, toAsciiLowerCase } from '../../../shared/contracts/application-order.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { ApplicationQuery, Store } from '../../../shared/contracts/store.js'
import type { Applications } from '../applications-api.js'
import { normalizeContact } from '../contacts/contact-lists.js'
import { toApplication } from './application-info.js'
import { readExternalId } from './metadata.js'
import {
  readContact,
  readCredentialPrefix,
  readFlag,
  readNamePrefix,
  readPageSize,
  readPlanFilter,
  readStatus,
  readTime,
} from './validation.js'

/** `auth.applications.list()`. */
export function createList({
  store,
  opened,
  flushLastUsed,
  now,
}: {
  readonly store: Pick<Store, 'listApplications'>
  readonly opened: () => Promise<unknown>
  readonly flushLastUsed?: () => Promise<void>
  readonly now: () => number
}): Applications['list'] {
  return async function list({
    after,
    limit,
    api,
    status,
    externalId,
    name,
    contact,
    credential,
    plan,
    expiringBefore,
    waiting,
  } = {}) {
    const pageSize = readPageSize(limit)
    const filter = {
      api,
      status: readStatus(status),
      externalId: externalId === undefined ? undefined : readExternalId(externalId),
      name: readNamePrefix(name),
      contact: contact === undefined ? undefined : normalizeContact(readContact(contact)),
      credential: readCredentialPrefix(credential),
      plan: readPlanFilter(plan),
      expiringBefore: readTime('expiringBefore', expiringBefore),
      waiting: readFlag('waiting', waiting) || undefined,
    }
    await opened()
    await flushLastUsed?.()
    // One record more than the page holds shows whether there is a next page.
    const position = parseListCursor(filter, after, now())
    if (!position) return { items: [] }
    const records = await store.listApplications({ ...filter, ...position, limit: pageSize + 1 })
    const items = records.slice(0, pageSize).map((record) => toApplication(record, now()))
    if (records.length <= pageSize) return { items }
    return { items, next: formatListCursor(filter, position.expiringAfter ?? 0, records[pageSize - 1]!) }
  }
}

type Search = Pick<ApplicationQuery, 'name' | 'expiringBefore' | 'waiting'>
type Position = Pick<ApplicationQuery, 'after' | 'afterName' | 'afterExpiry' | 'expiringAfter' | 'afterWaiting'>

/**
 * The cursor behind `last`. In a search by expiry or name it has that too, so that the next page is found although the application
 * has been changed since. All pages of a search by expiry count from the time of the first one.
 */
function formatListCursor(search: Search, expiringAfter: number, last: ApplicationRecord): string {
  if (search.expiringBefore !== undefined)
    return `expiry.${expiringAfter}.${findFirstExpiry(last, expiringAfter)}.${last.id}`
  if (search.name === undefined) return search.waiting ? `waiting.${findWaitingSince(last)}.${last.id}` : last.id
  return `name.${Buffer.from(toAsciiLowerCase(last.name)).toString('base64url')}.${last.id}`
}

/** Undefined for a text that is no cursor of such a search, after which nothing is listed. */
function parseListCursor(search: Search, cursor: string | undefined, now: number): Position | undefined {
  if (cursor === undefined) return { after: undefined, expiringAfter: now }
  if (search.expiringBefore !== undefined) {
    const [, since, expiry, after] = /^expiry\.(\d{1,15})\.(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
    return after === undefined ? undefined : { after, expiringAfter: Number(since), afterExpiry: Number(expiry) }
  }
  if (search.name === undefined && search.waiting) {
    const [, since, after] = /^waiting\.(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
    return after === undefined ? undefined : { after, afterWaiting: Number(since) }
  }
  if (search.name === undefined) return { after: cursor }
  const [, name, after] = /^name\.([\w-]+)\.(.+)$/s.exec(cursor) ?? []
  return after === undefined ? undefined : { after, afterName: Buffer.from(name!, 'base64url').toString() }
}
