/** `auth.plans`: the plans of applications, and what they have used of them. */
export interface Plans<Name extends string = string> {
  /**
   * Gives an application another plan, or none: `null`. What it has used of the current day and month counts for the new plan too. Every
   * process knows it within a second. Rejects with `ApplicationError` for an unknown application or plan.
   */
  set(applicationId: string, plan: Name | null, options?: { readonly by?: string | undefined }): Promise<void>
  /**
   * What an application has used of its quotas. Other processes write their counts every 5 seconds at the latest. Rejects with
   * `ApplicationError` for an unknown application.
   *
   * @example
   * ```ts
   * import type { WithPlans } from 'express-platform-auth/plans'
   *
   * async function isNearItsQuota(auth: WithPlans, applicationId: string): Promise<boolean> {
   *   const { quotas } = await auth.plans.usage(applicationId)
   *   return quotas.some(({ used, limit }) => used >= 0.8 * limit)
   * }
   * ```
   */
  usage(applicationId: string): Promise<PlanUsage>
}

/** The plan of an application, and what is used of it. */
export interface PlanUsage {
  /** Undefined for an application without a plan. */
  readonly plan: string | undefined
  /** The limits per day and month; empty without a plan. */
  readonly quotas: readonly QuotaUsage[]
  /** The other limits. */
  readonly rates: readonly { readonly limit: number; readonly window: number; readonly soft: boolean }[]
  /** The units of each day of the current month that has some, in UTC: `2026-11-22`. */
  readonly days: readonly { readonly day: string; readonly used: number }[]
}

/** A limit per day or month. */
export interface QuotaUsage {
  readonly per: 'day' | 'month'
  readonly limit: number
  /** Requests, or units if guards have a `cost`. More than `limit` is possible. */
  readonly used: number
  readonly left: number
  /** Whether requests above the limit pass. */
  readonly soft: boolean
  /** When it begins anew. */
  readonly endsAt: Date
}
