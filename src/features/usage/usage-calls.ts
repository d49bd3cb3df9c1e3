import type { RefusalEntry, UsageEntry, UsageTotal } from '../../shared/contracts/usage-entries.js'
import { type ReportedQuery, type ReportedRequests, createListReported } from './report-only.js'
import {
  type OverallEntry,
  type OverallRouteEntry,
  type RouteUsageEntry,
  type UsageQuery,
  createListUsage,
  type UsageReads,
  readDay,
} from './list-usage.js'
import { filter, options, withCheckedArguments, type CallParameters } from '../../core/applications/call-arguments.js'
import { createRefusalReads } from './refusals.js'
import { readPageSize } from '../../core/applications/records/validation.js'
import { invalidArgument, invalidCursor } from '../../shared/contracts/errors.js'
import type { UsageSum, UsageSumQuery } from '../../shared/contracts/usage.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'

/** `auth.usage`: how often applications used the APIs, and why they were refused. */
export interface Usage<ApiNames extends string = string> {
  /**
   * Lists counts by application in the order in which they were created, then by day or month, then by API, without empty ones.
   * A process writes its counts every minute, so that counts appear within a minute. Rejects with `ApplicationError` for a
   * wrong argument.
   *
   * @example
   * ```ts
   * import type { WithUsage } from 'express-platform-auth/usage'
   *
   * async function countCalls(auth: WithUsage, applicationId: string): Promise<number> {
   *   const { items } = await auth.usage.list({ applicationId, from: '2026-11', to: '2026-11', by: 'month' })
   *   return items.reduce((sum, { allowed }) => sum + allowed, 0)
   * }
   * ```
   */
  list(query?: UsageQuery<ApiNames>): Promise<{ items: UsageEntry[]; next?: string }>
  /**
   * The same by route pattern, as counted by processes with `usage({ routes: true })`: by application in the order in which they were
   * created, then by route, day or month, and API.
   *
   * @example
   * ```ts
   * import type { WithUsage } from 'express-platform-auth/usage'
   *
   * async function sumUnits(auth: WithUsage, applicationId: string): Promise<Map<string, number>> {
   *   const { items } = await auth.usage.routes({ applicationId, from: '2026-11', to: '2026-11', by: 'month' })
   *   return new Map(items.map(({ route, units }) => [route, units])) // 'GET /orders/items/:id' => 18234
   * }
   * ```
   */
  routes(query?: UsageQuery<ApiNames>): Promise<{ items: RouteUsageEntry[]; next?: string }>
  /**
   * What all applications together did, deleted ones too: by day or month, then by API. Sums are stored, so it costs the same however many
   * applications there are.
   *
   * @example
   * ```ts
   * import type { WithUsage } from 'express-platform-auth/usage'
   *
   * async function countByDay(auth: WithUsage): Promise<string[]> {
   *   const { items } = await auth.usage.overall({ from: '2026-11', to: '2026-11' })
   *   return items.map(({ period, api, allowed }) => `${period} ${api}: ${allowed}`)
   * }
   * ```
   */
  overall(query?: Omit<UsageQuery<ApiNames>, 'applicationId'>): Promise<{ items: OverallEntry[]; next?: string }>
  /** The same by route pattern, as `routes()`: by route, then by day or month, and API. */
  overallRoutes(
    query?: Omit<UsageQuery<ApiNames>, 'applicationId'>,
  ): Promise<{ items: OverallRouteEntry[]; next?: string }>
  /**
   * Lists the applications with most refusals (or most calls) in a day or a month, with their names, errors and, for a day, the mean of
   * the 7 days before. An index finds them, however many applications there are. Rejects with `ApplicationError` for a wrong argument.
   *
   * @example
   * ```ts
   * import type { WithUsage } from 'express-platform-auth/usage'
   *
   * async function listRising(auth: WithUsage): Promise<string[]> {
   *   const { items } = await auth.usage.totals() // today
   *   return items.filter(({ refused, mean }) => refused > 10 + 2 * mean!.refused).map(({ name, share }) => `${name}: ${share} %`)
   * }
   * ```
   */
  totals(query?: {
    /** A day such as `2026-11-22` or a month such as `2026-11`, in UTC; today if left out. */
    readonly period?: string | undefined
    /** `refused` if left out. */
    readonly sort?: 'refused' | 'allowed' | undefined
    /** The `next` of the previous page. */
    readonly after?: string | undefined
    /** Applications in a page: 1 to 1000; 100 if left out. */
    readonly limit?: number | undefined
  }): Promise<{ items: UsageTotal[]; next?: string }>
  /** The last 50 refusals of an application, at most 7 days old, newest first. Empty for an id that does not exist. */
  refusals(applicationId: string): Promise<{ items: RefusalEntry[] }>
  /**
   * Counts requests that report-only guards let pass and would have refused, by application (unknown ones first), API, route and
   * reason. Other processes write their counts every minute. Rejects with `ApplicationError` for a wrong argument.
   *
   * @example
   * ```ts
   * import type { WithUsage } from 'express-platform-auth/usage'
   *
   * async function listAffected(auth: WithUsage): Promise<string[]> {
   *   const { items } = await auth.usage.reportOnly({ limit: 1000 })
   *   return items.map(({ applicationId = 'unknown', route, reason, count }) => `${applicationId} ${route}: ${reason}, ${count} times`)
   * }
   * ```
   */
  reportOnly(query?: ReportedQuery<ApiNames>): Promise<{ items: ReportedRequests[]; next?: string }>
}

type TotalsQuery = NonNullable<Parameters<Usage['totals']>[0]>

const OVERALL = { api: 'text', from: 'own', to: 'own', by: 'text', after: 'text', limit: 'own' } as const
const query = options<UsageQuery>({ applicationId: 'text', ...OVERALL })
const overall = options<Omit<UsageQuery, 'applicationId'>>(OVERALL)

const PARAMETERS: CallParameters<Usage> = {
  list: [query],
  routes: [query],
  overall: [overall],
  overallRoutes: [overall],
  totals: [options<TotalsQuery>({ period: 'text', sort: 'text', after: 'text', limit: 'own' })],
  refusals: [filter],
  reportOnly: [options<ReportedQuery>({ applicationId: 'text', api: 'text', after: 'text', limit: 'own' })],
}

export function createUsageCalls(reads: UsageReads, flushReported?: () => Promise<unknown>): Usage {
  const lists = createListUsage(reads)
  return withCheckedArguments(PARAMETERS, {
    ...lists,
    totals: createListTotals(reads, lists.list),
    refusals: createRefusalReads(reads).list,
    reportOnly: createListReported(reads, flushReported),
  })
}

const DAYS_BEFORE = 7

/** `auth.usage.totals()`: an index has the order, and the errors of each application of a page are read by another one. */
function createListTotals({ store, opened, now }: UsageReads, list: Usage['list']): Usage['totals'] {
  async function describe(sum: UsageSum, period: string): Promise<UsageTotal> {
    const { applicationId, allowed, refused } = sum
    const isDay = period.length > 'YYYY-MM'.length
    const from = isDay ? formatDay(Date.parse(period) - DAYS_BEFORE * DAY_MS) : period
    const { items } = await list({ applicationId, from, to: period, by: isDay ? 'day' : 'month', limit: 1000 })
    const errors = new Map<string, number>()
    const mean = { allowed: 0, refused: 0 }
    for (const entry of items) {
      if (entry.period !== period) mean.allowed += entry.allowed / DAYS_BEFORE
      for (const [error, count] of Object.entries(entry.refused))
        if (entry.period === period) errors.set(error, (errors.get(error) ?? 0) + count)
        else mean.refused += count / DAYS_BEFORE
    }
    const share = Math.round((refused * 1000) / Math.max(1, allowed + refused)) / 10
    return { period, ...sum, share, errors: Object.fromEntries(errors), ...(isDay && { mean }) }
  }

  return async function totals({ period = formatDay(now()), sort = 'refused', after, limit } = {}) {
    const pageSize = readPageSize(limit)
    readDay('period', period, '')
    if (sort !== 'refused' && sort !== 'allowed') throw invalidArgument("sort must be 'refused' or 'allowed'.")
    const position = readCursor(after)
    await opened()
    const sums = await store.listSums({ period, sort, after: position, limit: pageSize + 1 })
    const items: UsageTotal[] = []
    for (const sum of sums.slice(0, pageSize)) items.push(await describe(sum, period))
    const last = sums[pageSize - 1]
    return last && sums.length > pageSize ? { items, next: `${last[sort]}/${last.applicationId}` } : { items }
  }
}

function readCursor(after: string | undefined): UsageSumQuery['after'] {
  if (after === undefined) return undefined
  const [, count, applicationId = ''] = /^(\d{1,15})\/(.+)$/s.exec(after) ?? []
  if (count !== undefined) return { applicationId, count: Number(count) }
  throw invalidCursor()
}
