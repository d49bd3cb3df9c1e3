import type { PlanUsage, QuotaAbove } from '../../shared/contracts/usage-entries.js'
import { any, application, options, withCheckedArguments } from '../../core/applications/call-arguments.js'
import type { ApplicationWriter } from '../../core/applications/records/application-writer.js'
import { refuseDeleted } from '../../core/applications/records/status.js'
import { invalidArgument } from '../../shared/contracts/errors.js'

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
  /**
   * Lists the quotas of which at least `above` percent are used (80 if left out), what is used most first, with the name of the
   * application: one that has a quota for the day and one for the month may be there twice. An index finds them, however many applications there are. Other processes write their counts every 5 seconds at the
   * Rejects with `ApplicationError` for a wrong argument.
   *
   * @example
   * ```ts
   * import type { WithPlans } from 'express-platform-auth/plans'
   *
   * async function listNearlyUsed(auth: WithPlans): Promise<string[]> {
   *   const { items } = await auth.plans.list({ above: 80 })
   *   return items.map(({ name, plan, share, per }) => `${name} has used ${share} % of ${plan} in this ${per}`)
   * }
   * ```
   */
  list(query?: {
    /** A whole number of percent, 1 to 1000. */
    readonly above?: number | undefined
    /** The `next` of the previous page. */
    readonly after?: string | undefined
    /** Quotas in a page: 1 to 1000; 100 if left out. */
    readonly limit?: number | undefined
  }): Promise<{ items: QuotaAbove[]; next?: string }>
}

/** A name is typed on the command line. */
const PLAN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
export const PLAN_NAME_FORM = 'letters, digits, dots, hyphens and underscores, 64 at most'

export function isPlanName(name: unknown): name is string {
  return typeof name === 'string' && PLAN_NAME.test(name)
}

const SET_PLAN_PARAMETERS = { set: [application, any, options<{ readonly by?: string | undefined }>({ by: 'text' })] }

/** `auth.plans.set()`, also for a process that has only the store. */
export function createSetPlan(
  writer: ApplicationWriter,
  opened: () => Promise<unknown>,
  /** The names of the plans; undefined in a process that has no `plans()`. */
  names?: readonly string[],
): Pick<Plans, 'set'> {
  return withCheckedArguments(SET_PLAN_PARAMETERS, {
    async set(id, plan, { by } = {}) {
      if (plan !== null) readPlanName(plan, names)
      await opened()
      await writer.change(id, { type: 'application.updated', by }, (current) => {
        refuseDeleted(current, 'update')
        return { changed: { plan: plan ?? undefined }, details: { changed: ['plan'], plan } }
      })
    },
  })
}

function readPlanName(plan: unknown, names: readonly string[] | undefined): void {
  if (names ? names.includes(plan as string) : isPlanName(plan)) return
  const fix = names ? `There are: ${names.join(', ')}; null for none.` : `Its name is ${PLAN_NAME_FORM}; null for none.`
  throw invalidArgument(`There is no such plan. ${fix}`)
}
