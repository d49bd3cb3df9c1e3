/** The number of requests of an application that a report-only guard would have refused, at one route and for one reason. */
export interface ReportedCount {
  /** Empty if the application is not known. */
  readonly applicationId: string
  readonly api: string
  /** The method and the route's pattern, such as `GET /orders/items/:id`. Never a path or a query that was requested. */
  readonly route: string
  /** The reason as in events. */
  readonly reason: string
  readonly count: number
  /** The time of the first request, in milliseconds since 1970. */
  readonly firstAt: number
  /** The time of the last request, in milliseconds since 1970. */
  readonly lastAt: number
}

/** The members by which requests are counted. */
export type ReportedKey = Pick<ReportedCount, 'applicationId' | 'api' | 'route' | 'reason'>

/** A page of counts, in the order of application, API, route and reason (by code unit). */
export interface ReportedCountQuery {
  /** The last count of the previous page. */
  readonly after: ReportedKey | undefined
  readonly applicationId: string | undefined
  readonly api: string | undefined
  readonly limit: number
}
