import { findSearch, getOrderKey, matchesQuery, type Filters } from '../../../shared/contracts/application-order.js'
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
import { ownMembers } from '../../../shared/lib/own-members.js'

/** Applications that a page of several searches reads at most. */
const MAX_SEARCHED = 1000
/** One read of these: SQLite holds up other requests for it. */
const SEARCHED_AT_ONCE = 200

type Given = NonNullable<Parameters<Applications['list']>[0]>

export function createList(options: {
  readonly store: Pick<Store, 'listApplications'>
  readonly opened: () => Promise<unknown>
  readonly flushLastUsed?: () => Promise<void>
  readonly now: () => number
}): Applications['list'] {
  const { store, opened, flushLastUsed, now } = options
  return async function list(given = {}) {
    const { after, limit } = given
    const pageSize = readPageSize(limit)
    const filters = readFilters(given)
    await opened()
    await flushLastUsed?.()
    // The store reads one search by its index. Whatever else is asked for is looked for in what that finds.
    const members = findSearch(filters)?.members ?? ['api', 'status']
    const isRead = ([name]: [string, unknown]): boolean => (members as readonly string[]).includes(name)
    const search = Object.fromEntries(Object.entries(filters).filter(isRead)) as Partial<Filters>
    const isOne = Object.entries(filters).every((entry) => entry[1] === undefined || isRead(entry))
    const first = parseListCursor(search, after, now())
    if (!first) return { items: [] }
    const { expiringAfter } = first
    const query = { api: undefined, status: undefined, ...search, expiringAfter }
    const found: ApplicationRecord[] = []
    let searched = 0
    for (let position = first; ;) {
      // One record more than the page holds shows whether there is a next page.
      const read = isOne ? pageSize + 1 : SEARCHED_AT_ONCE
      const records = await store.listApplications({ ...query, ...position, limit: read })
      for (const record of records) {
        if (!matchesQuery(record, { ...filters, expiringAfter })) continue
        if (found.length === pageSize) return toPage(found, found.at(-1))
        found.push(record)
      }
      searched += records.length
      const last = records.at(-1)
      if (records.length < read || !last) return toPage(found)
      if (searched >= MAX_SEARCHED && !isOne)
        return { ...toPage(found, last), ...(found.length < pageSize && { searched }) }
      position = { after: last.id, afterKey: getOrderKey(last, query), expiringAfter }
    }

    function toPage(records: readonly ApplicationRecord[], last?: ApplicationRecord) {
      const items = records.map((record) => toApplication(record, now()))
      return last ? { items, next: formatListCursor(query, last) } : { items }
    }
  }
}

function readFilters(given: Given): Filters {
  const { api, status, externalId, name, contact, credential, plan, waiting, neverUsed } = given
  return {
    api,
    status: readStatus(status),
    externalId: externalId === undefined ? undefined : readExternalId(externalId),
    name: readNamePrefix(name),
    contact: contact === undefined ? undefined : normalizeContact(readContact(contact)),
    credential: readCredentialPrefix(credential),
    plan: readPlanFilter(plan),
    expiringBefore: readTime('expiringBefore', given.expiringBefore),
    waiting: readFlag('waiting', waiting) || undefined,
    usedSince: readTime('usedSince', given.usedSince),
    usedBefore: readTime('usedBefore', given.usedBefore),
    neverUsed: readFlag('neverUsed', neverUsed) || undefined,
  }
}

/** A search with its own order has its key in the cursor: the application behind which a page begins may have changed. */
function formatListCursor(query: Filters, last: ApplicationRecord): string {
  const key = getOrderKey(last, query)
  if (key === undefined) return last.id
  const { name } = findSearch(query)!
  const since = name === 'expiry' ? `${query.expiringAfter}.` : ''
  return `${name}.${since}${typeof key === 'string' ? Buffer.from(key).toString('base64url') : key}.${last.id}`
}

/** Undefined for a text that is no cursor of such a search, after which nothing is listed. */
function parseListCursor(
  search: Partial<Filters>,
  cursor: string | undefined,
  now: number,
): Pick<ApplicationQuery, 'after' | 'afterKey' | 'expiringAfter'> | undefined {
  const found = findSearch(search as Filters)
  const [name = '', order] = found ? [found.name, ownMembers(found).order] : []
  const expiringAfter = name === 'expiry' ? now : undefined
  if (cursor === undefined || !order) return { after: cursor, expiringAfter }
  const isText = name === 'name'
  const since = expiringAfter === undefined ? '' : String.raw`(?<since>\d{1,15})\.`
  const pattern = new RegExp(
    String.raw`^${name}\.${since}(?<key>${isText ? String.raw`[\w-]+` : String.raw`\d{1,15}`})\.(?<after>.+)$`,
    's',
  )
  const read = pattern.exec(cursor)?.groups
  if (!read) return undefined
  return {
    after: read['after'],
    afterKey: isText ? Buffer.from(read['key']!, 'base64url').toString() : Number(read['key']),
    expiringAfter: expiringAfter === undefined ? undefined : Number(read['since']),
  }
}
