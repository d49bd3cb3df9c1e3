import { readPageSize } from '../../core/applications/records/validation.js'
import { invalidArgument, invalidCursor } from '../../shared/contracts/errors.js'
import type { UsageEntry } from '../../shared/contracts/usage-entries.js'
import type { UsageCount, UsageCountQuery, UsageStore } from '../../shared/contracts/usage.js'
import { DAY_MS, findMonthEnd, firstOfMonth, formatDay, isDay } from '../../shared/lib/day.js'
import { ownMembers } from '../../shared/lib/own-members.js'

/** The requests of an application at a route in a day or a month. */
export interface RouteUsageEntry extends Pick<UsageEntry, 'period' | 'applicationId' | 'api'> {
  /** The method and the route's pattern, such as `GET /orders/items/:id`; `(other)` for requests without a route or beyond the limit. */
  readonly route: string
  /** Requests that a guard let pass. */
  readonly allowed: number
  /** What these requests cost: the guards' `cost`, which is 1 by default. */
  readonly units: number
}

/** What all applications together did at an API in a day or a month. */
export interface OverallEntry extends Omit<UsageEntry, 'applicationId'> {}

/** The requests of all applications at a route in a day or a month. */
export interface OverallRouteEntry extends Omit<RouteUsageEntry, 'applicationId'> {}

/** The query of `auth.usage.list()` and `auth.usage.routes()`. */
export interface UsageQuery<ApiNames extends string = string> {
  readonly applicationId?: string | undefined
  readonly api?: ApiNames | undefined
  /** The first day: a `Date`, a day such as `'2026-11-22'` or a month such as `'2026-11'`, in UTC; 29 days before `to` if left out. */
  readonly from?: Date | string | undefined
  /** The last day, or the last month, as `from`; today if left out. */
  readonly to?: Date | string | undefined
  /** `day` if left out. */
  readonly by?: UsagePeriod | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
  /** Entries in a page: 1 to 1000; 100 if left out. */
  readonly limit?: number | undefined
}

export interface UsageReads {
  readonly store: UsageStore
  readonly opened: () => Promise<unknown>
  readonly now: () => number
}

/** The rows of one read. Fewer by month, because each is a sum over its days, and SQLite answers nothing else meanwhile. 500 are some ten applications in a year. */
const COUNTS_PER_READ = { day: 2000, month: 500 } as const

export function createListUsage({ store, opened, now }: UsageReads) {
  async function* readCounts(query: Omit<UsageCountQuery, 'limit'> & { readonly by: UsagePeriod }) {
    const limit = COUNTS_PER_READ[query.by]
    for (let { after } = query; ;) {
      const counts = await store.list({ ...query, after, limit })
      yield* counts
      if (counts.length < limit) return
      after = counts.at(-1)
    }
  }

  async function list<Entry>(
    { applicationId, api, from, to, by = 'day', after, limit }: UsageQuery,
    { routes, overall }: Pick<UsageCountQuery, 'routes' | 'overall'>,
    createEntry: (counts: readonly UsageCount[]) => Entry,
  ): Promise<{ items: Entry[]; next?: string }> {
    if (by !== 'day' && by !== 'month') throw invalidArgument("by must be 'day' or 'month'.")
    const range = readRange(from, to, now())
    const pageSize = readPageSize(limit)
    const last = readCursor(after, by, routes)
    await opened()
    const items: Entry[] = []
    let first: UsageCount | undefined
    const counts = readCounts({ after: last, applicationId, overall, api, by, routes, ...range })
    for await (const group of groupByEntry(counts)) {
      if (items.length === pageSize) return { items, next: formatCursor(first!, routes) }
      items.push(createEntry(group))
      ;[first] = group
    }
    return { items }
  }

  return {
    list: (query: UsageQuery = {}) => list(query, {}, createEntry),
    routes: (query: UsageQuery = {}) => list(query, { routes: true }, createRouteEntry),
    overall: (query: Omit<UsageQuery, 'applicationId'> = {}) =>
      list(query, { overall: true }, (counts) => ofAll(createEntry(counts))),
    overallRoutes: (query: Omit<UsageQuery, 'applicationId'> = {}) =>
      list(query, { overall: true, routes: true }, (counts) => ofAll(createRouteEntry(counts))),
  }
}

const ENTRY_MEMBERS = ['applicationId', 'day', 'api', 'route'] as const

/** The counts of an entry follow one another. */
async function* groupByEntry(counts: AsyncIterable<UsageCount>): AsyncGenerator<readonly UsageCount[]> {
  let group: UsageCount[] = []
  for await (const count of counts) {
    const [first = count] = group
    if (ENTRY_MEMBERS.some((name) => first[name] !== count[name])) {
      yield group
      group = []
    }
    group.push(count)
  }
  if (group.length > 0) yield group
}

function createEntry(counts: readonly UsageCount[]): UsageEntry {
  const { day, applicationId, api } = counts[0]!
  const outcomes = ownMembers<Record<string, number>>(
    Object.fromEntries(counts.map(({ outcome, count }) => [outcome, count])),
  )
  const { allowed = 0, token = 0, ...refused } = outcomes
  return { period: day, applicationId, api, allowed: Math.max(0, allowed), accessTokens: Math.max(0, token), refused }
}

function createRouteEntry(counts: readonly UsageCount[]): RouteUsageEntry {
  const { route = '' } = counts[0]!
  const { period, applicationId, api, allowed, refused } = createEntry(counts)
  return { period, applicationId, api, route, allowed, units: Math.max(0, allowed + (refused['extra'] ?? 0)) }
}

function ofAll<Entry extends Pick<UsageEntry, 'applicationId'>>(of: Entry) {
  const { applicationId: _, ...entry } = of
  return entry
}

function formatCursor({ applicationId, day, api, route = '' }: UsageCount, routes = false): string {
  return `${applicationId}/${day}/${api}${routes ? `/${Buffer.from(route).toString('base64url')}` : ''}`
}

function readCursor(after: unknown, by: UsagePeriod, routes = false): UsageCountQuery['after'] {
  if (after === undefined) return undefined
  const [applicationId, period, api, ...rest] = typeof after === 'string' ? after.split('/') : []
  const [name = '', ...others] = routes ? rest : ['', ...rest]
  const length = by === 'month' ? 'YYYY-MM'.length : 'YYYY-MM-DD'.length
  const route = Buffer.from(name, 'base64url').toString()
  if (applicationId !== undefined && period?.length === length && api !== undefined && others.length === 0)
    return { applicationId, day: period, api, outcome: AFTER_OUTCOMES, route }
  throw invalidCursor()
}

/** Outcomes are visible ASCII characters (RFC 6749, section 5.2). */
const AFTER_OUTCOMES = '\x7f'

/** The period by which counts are summed up. */
export type UsagePeriod = 'day' | 'month'

const DEFAULT_DAYS = 29

/** The first and the last day, in UTC. They are compared as text, so that the 31st ends every month. */
function readRange(from: unknown, to: unknown, now: number): { readonly from: string; readonly to: string } {
  const last = to === undefined ? formatDay(now) : readDay('to', to, '-31')
  const first = from === undefined ? subtractDays(last, DEFAULT_DAYS) : readDay('from', from, '-01')
  if (first <= last) return { from: first, to: last }
  throw invalidArgument(`from is ${first}, which is after to, ${last}.`)
}

export function readDay(name: string, value: unknown, dayOfMonth: string): string {
  const day = value instanceof Date && !Number.isNaN(value.getTime()) ? formatDay(value.getTime()) : value
  if (typeof day === 'string') {
    if (MONTH.test(day)) return `${day}${dayOfMonth}`
    if (isDay(day)) return day
  }
  throw invalidArgument(`${name} must be a Date, a day such as '2026-11-22' or a month such as '2026-11'.`)
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/

function subtractDays(day: string, days: number): string {
  // The 31st of a shorter month is its last day here.
  const first = Date.parse(firstOfMonth(day))
  const time = Math.min(first + (Number(day.slice(8)) - 1) * DAY_MS, findMonthEnd(day) - DAY_MS)
  return formatDay(time - days * DAY_MS)
}
