import type { UsageBatch } from './usage.js'

/** The units that an application has used on a day: one for each request, or what the guard's `cost` says. */
export interface QuotaCount {
  readonly applicationId: string
  /** The day in UTC, such as `2026-11-22`. */
  readonly day: string
  readonly count: number
}

/** A limit of a plan. */
export interface PlanWindow {
  /** `60s`, `day` or `month`. */
  readonly name: string
  readonly limit: number
  readonly soft: boolean
  readonly per: 'day' | 'month' | undefined
  /** The length of a window; 0 for a quota. */
  readonly milliseconds: number
}

/** The units of an application on a day, and in its month. */
export interface QuotaTotals {
  readonly ofDay: number
  readonly ofMonth: number
}

/** What an application has used of its quota in a day or a month. */
export interface QuotaUse {
  readonly applicationId: string
  readonly name: string
  readonly count: number
}

/** A page of what the applications of a plan have used, most first; of those that have used as much, the one with the last id (by code unit) first. */
export interface QuotaUseQuery {
  readonly plan: string
  /** A day, or a month such as `2026-11`, whose days are summed up. */
  readonly period: string
  readonly atLeast: number
  /** The last one of the previous page. It need not exist. */
  readonly after: Omit<QuotaUse, 'name'> | undefined
  readonly limit: number
}

/** The store's part `quotas`. Whether an application is stored does not matter. No call adds to the audit log or the change feed. */
export interface QuotaStore {
  /**
   * Adds counts to the stored ones, in one transaction, unless a batch with this id was added before (`usage` uses the same ids). No
   * two are of the same day and application. Resolves for each, in their order, what is stored then.
   */
  add(batch: UsageBatch, counts: readonly QuotaCount[]): Promise<readonly QuotaTotals[]>
  /** The counts of an application from the first day to the last, by day. */
  list(applicationId: string, from: string, to: string): Promise<readonly QuotaCount[]>
  /** Of stored applications that have the plan now. Called for each plan and quota, so an index must find them in this order. */
  listUsed(query: QuotaUseQuery): Promise<readonly QuotaUse[]>
  /** Deletes up to `limit` counts of earlier days, and as many ids of earlier batches. Resolves how many rows it deleted. */
  deleteExpired(expired: ExpiredQuotas): Promise<number>
}

/** The ages beyond which counts are deleted. */
export interface ExpiredQuotas {
  /** A day. */
  readonly countsBefore: string
  /** Milliseconds since 1970. */
  readonly batchesBefore: number
  readonly limit: number
}
