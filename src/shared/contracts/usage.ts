/** The number of times that an application had an outcome at an API on a day. */
export interface UsageCount {
  /** The day in UTC, such as `2026-11-22`; in a list by month the month, such as `2026-11`. */
  readonly day: string
  readonly applicationId: string
  readonly api: string
  /**
   * `allowed`: a guard let the request pass; `token`: an access token was issued; otherwise the `error` of the refusal. With a route:
   * `allowed`, and `extra` for the units beyond one that each of these requests cost.
   */
  readonly outcome: string
  /** The method and the route's pattern, such as `GET /orders/items/:id`; left out in a count of all routes. */
  readonly route?: string | undefined
  /** May be negative: a request that one guard allowed and the next one refused is counted as refused only, and one may cost no unit. */
  readonly count: number
}

/** A page of counts: in the order in which the applications were added; those of one by route, day or month, API and outcome (by code unit). */
export interface UsageCountQuery {
  /** The last count of the previous page; any route, day, API and outcome will do. After an application that does not exist nothing is listed. */
  readonly after: Omit<UsageCount, 'count'> | undefined
  readonly applicationId: string | undefined
  /** The sums of all applications, deleted ones too, in place of their counts, as those of an application whose id is empty: kept when counts are added. */
  readonly overall?: true | undefined
  readonly api: string | undefined
  /** `month`: the counts of the listed days of a month are summed up, by application, route, API and outcome. `day` if left out. */
  readonly by?: 'day' | 'month' | undefined
  /** Only counts that have a route; only those that have none if left out. */
  readonly routes?: boolean | undefined
  /** The first day and the last day. */
  readonly from: string
  readonly to: string
  readonly limit: number
}

/** The counts of a stored application at all APIs in a day or a month. */
export interface UsageSum {
  readonly applicationId: string
  /** Empty for a deleted application. */
  readonly name: string
  readonly allowed: number
  readonly accessTokens: number
  readonly refused: number
}

/** A page of sums, most of one kind first; of those with as much, the one with the last id (by code unit) first. */
export interface UsageSumQuery {
  /** A day, or a month. */
  readonly period: string
  /** What they are ordered by. Without any of it, an application is not listed. */
  readonly sort: 'allowed' | 'refused'
  /** The last one of the previous page: its id, and its `count` of that kind. */
  readonly after: { readonly applicationId: string; readonly count: number } | undefined
  readonly limit: number
}

/** Members that are not nested. Never a credential or a query, and of the path only the pattern of its route. */
export type RefusalDetails = Readonly<Record<string, string | number | null>>

/** A refused request or token request of a known application. Has no credential and no query, and of the path only the pattern of its route. */
export interface RefusalRecord {
  readonly applicationId: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly api: string
  /** The `error` that was sent. */
  readonly error: string
  /** The reason in more detail, as in events. */
  readonly reason: string
  /** The host's `req.id`, if it sets one. */
  readonly requestId: string | undefined
  /** The caller's IP address. */
  readonly address: string | undefined
  /** The method and the pattern of the route, and details for the explanation, such as the time at which a credential expired. */
  readonly details: RefusalDetails
}

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

/** Identifies a write, which is repeated with the same id if its outcome is not known. */
export interface UsageBatch {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The ages beyond which usage is deleted. */
export interface ExpiredUsage {
  /** Counts of earlier days. */
  readonly countsBefore: string
  /** Earlier refusals, in milliseconds since 1970. */
  readonly refusalsBefore: number
  /** Counts of report-only guards whose last request was earlier, in milliseconds since 1970. */
  readonly reportedBefore: number
  /** Ids of earlier batches, in milliseconds since 1970. */
  readonly batchesBefore: number
  /** How many rows of each kind one call deletes at most. */
  readonly limit: number
}

/** The store's part `usage`: counts, refusals, and what report-only guards would have refused. No call adds to the audit log or the change feed. */
export interface UsageStore {
  /**
   * Adds counts to the stored ones, in one transaction, unless a batch with this id was added before. Leaves out counts of
   * applications that are not stored.
   */
  add(batch: UsageBatch, counts: readonly UsageCount[]): Promise<void>
  list(query: UsageCountQuery): Promise<readonly UsageCount[]>
  /** An index must find them in this order, however many applications there are. The sum of a month ends with its first day. */
  listSums(query: UsageSumQuery): Promise<readonly UsageSum[]>
  /**
   * Adds refusals, in one transaction, unless a batch with this id was added before, and keeps the last `kept` of each of
   * their applications. Leaves out refusals of applications that are deleted or not stored. `saveApplication` deletes those
   * of an application that it deletes.
   */
  addRefusals(batch: UsageBatch, refusals: readonly RefusalRecord[], kept: number): Promise<void>
  /** The refusals of an application after that time (milliseconds since 1970), the one added last first. */
  listRefusals(applicationId: string, after: number): Promise<readonly RefusalRecord[]>
  /**
   * Adds counts to the stored ones, in one transaction, unless a batch with this id was added before (`add` and `addRefusals`
   * use the same ids). Keeps the earlier `firstAt` and the later `lastAt`. Whether an application is stored does not matter.
   */
  addReported(batch: UsageBatch, counts: readonly ReportedCount[]): Promise<void>
  listReported(query: ReportedCountQuery): Promise<readonly ReportedCount[]>
  /** Deletes what has expired. Resolves how many rows it deleted: 0 if there is nothing left. */
  deleteExpired(expired: ExpiredUsage): Promise<number>
}
