import type { PlanUsage } from '../../shared/contracts/plan-usage.js'

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
