import type { ApplicationRecord } from './application-record.js'
import type { ApplicationQuery } from './store.js'

type Key = string | number

interface Search {
  readonly name: string
  /** The members of the query that belong to it; one of them suffices. */
  readonly members: readonly (keyof ApplicationQuery)[]
  /** Without an order of its own. */
  readonly matches?: (record: ApplicationRecord, query: ApplicationQuery) => boolean
  /** What its list is ordered by; the order in which applications were added if left out. */
  readonly order?: {
    readonly getKey: (record: ApplicationRecord, query: Filters) => Key
    /** Whether an application with this key is found, and a page may begin behind it. */
    readonly hasKey: (key: Key, query: Filters) => boolean
  }
}

export type Filters = Omit<ApplicationQuery, 'after' | 'afterKey' | 'limit'>

/** Every search that an index finds, those that find few first: where several are asked for, the first one is read, in its order. */
const SEARCHES: readonly Search[] = [
  { name: 'externalId', members: ['externalId'], matches: (record, query) => record.externalId === query.externalId },
  {
    name: 'credential',
    members: ['credential'],
    matches: ({ keys, secrets }, { credential }) => [...keys, ...secrets].some(({ prefix }) => prefix === credential),
  },
  {
    name: 'contact',
    members: ['contact'],
    matches: (record, query) =>
      [record.contact, ...record.otherContacts].some((each) => each?.toLowerCase() === query.contact),
  },
  { name: 'decided', members: ['hasDecided'], matches: ({ decided }) => decided.length > 0 },
  {
    name: 'end',
    members: ['endingBefore'],
    matches: ({ endsAt = Infinity }, { endingBefore }) => endsAt < endingBefore!,
  },
  {
    name: 'expiry',
    members: ['expiringBefore'],
    order: {
      getKey: (record, { expiringAfter }) => findFirstExpiry(record, expiringAfter),
      hasKey: (time, { expiringAfter = 0, expiringBefore }) =>
        Number(time) > expiringAfter && Number(time) < expiringBefore!,
    },
  },
  {
    name: 'waiting',
    members: ['waiting'],
    order: { getKey: findWaitingSince, hasKey: (time) => Number(time) < Infinity },
  },
  {
    name: 'used',
    members: ['usedSince', 'usedBefore'],
    order: {
      getKey: ({ lastUsedAt = 0 }) => lastUsedAt,
      hasKey: (time, { usedSince = 1, usedBefore = Infinity }) =>
        Number(time) >= Math.max(1, usedSince) && Number(time) < usedBefore,
    },
  },
  { name: 'neverUsed', members: ['neverUsed'], matches: ({ lastUsedAt = 0 }) => lastUsedAt === 0 },
  {
    name: 'name',
    members: ['name'],
    order: {
      getKey: ({ name }) => toAsciiLowerCase(name),
      hasKey: (key, { name = '' }) => typeof key === 'string' && key.startsWith(name),
    },
  },
  {
    name: 'plan',
    members: ['plan'],
    matches: (record, { plan }) => (plan === true ? record.plan !== undefined : record.plan === plan),
  },
]

/** The search whose index is read; undefined: all applications, or those of an API or a status. */
export function findSearch(query: Filters): Search | undefined {
  return SEARCHES.find((search) => isAskedFor(search, query))
}

function isAskedFor({ members }: Search, query: Filters): boolean {
  return members.some((member) => query[member as keyof Filters] !== undefined)
}

export function matchesQuery(record: ApplicationRecord, query: Filters): boolean {
  const { api, status = query.hasDecided ? 'deleted' : undefined } = query
  return (
    (status === undefined ? record.status !== 'deleted' : record.status === status) &&
    (api === undefined || Object.hasOwn(record.apis, api)) &&
    SEARCHES.every((search) => !isAskedFor(search, query) || fits(record, search, query))
  )
}

function fits(record: ApplicationRecord, { matches, order }: Search, query: Filters): boolean {
  return order ? order.hasKey(order.getKey(record, query), query) : matches!(record, query as ApplicationQuery)
}

/** What the record is ordered by in the list of the query; undefined: by when it was added. */
export function getOrderKey(record: ApplicationRecord, query: Filters): Key | undefined {
  return findSearch(query)?.order?.getKey(record, query)
}

/** Whether a page of this list may begin there. If not, nothing is listed. */
export function isPosition(query: ApplicationQuery): boolean {
  const { after, afterKey } = query
  const order = findSearch(query)?.order
  return after === undefined || !order || (afterKey !== undefined && order.hasKey(afterKey, query))
}

/** The records, given in the order in which they were added, in that of the query. */
export function sortApplications(records: readonly ApplicationRecord[], query: Filters): readonly ApplicationRecord[] {
  const keyed = records.map((record) => ({ record, key: getOrderKey(record, query) ?? 0 }))
  return keyed.toSorted((one, other) => compareKeys(one.key, other.key)).map(({ record }) => record)
}

/** Orders texts as the databases do: by code point, where JavaScript compares parts of some characters. */
export function compareKeys(one: Key, other: Key): number {
  if (typeof one === 'number') return one - (other as number)
  return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
}

/** The time at which the first credential expires, of those that expire after `after`; infinite if there is none. */
function findFirstExpiry({ keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>, after = 0): number {
  const times = [...keys, ...secrets].map(({ expiresAt = Infinity }) => expiresAt)
  return Math.min(...times.filter((time) => time > after))
}

/** Since when it waits for an operator, for its registration or for access; infinite if it does not. */
export function findWaitingSince({ status, isHeld, createdAt, accessRequests }: ApplicationRecord): number {
  const times = accessRequests.map(({ requestedAt }) => requestedAt)
  return Math.min(isHeld && status === 'pending' ? createdAt : Infinity, ...times)
}

/** Lower case as databases write it: letters other than A to Z stay as they are. */
export function toAsciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
