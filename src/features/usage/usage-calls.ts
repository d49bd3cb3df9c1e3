import type { RefusalEntry, UsageEntry, UsageTotal } from '../../shared/contracts/usage-entries.js'
import type { ReportedQuery, ReportedRequests } from './report-only.js'
import type { OverallEntry, OverallRouteEntry, RouteUsageEntry, UsageQuery } from './list-usage.js'

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
