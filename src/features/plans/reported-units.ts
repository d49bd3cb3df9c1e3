import type { QuotaCount, QuotaStore } from '../../shared/contracts/quotas.js'
import type { UsageBatch } from '../../shared/contracts/usage.js'
import { formatDay } from '../../shared/lib/day.js'
import { createStoredAccount, type Account } from './ledger.js'
import type { Plan } from './plan.js'

/** Processes overshoot a limit by 1 % or a request. More than twice the limit was admitted by none, and would use up a later plan. */
const MAX_TIMES = 2

type ReportedUnits = QuotaCount & { readonly plan: string | undefined }

/** Adds the units that services have counted, as their processes would in a store, and tells of 80 and 100 % of a quota. */
export function createAddReported(
  store: Pick<QuotaStore, 'add' | 'list'>,
  plans: ReadonlyMap<string, Plan>,
  tell: (account: Account, written: number) => void,
  now: () => number,
) {
  async function bound(row: ReportedUnits, plan: Plan, others: readonly QuotaCount[]): Promise<number> {
    const hard = plan.windows.filter(({ per, soft }) => per !== undefined && !soft)
    const month = row.day.slice(0, 'YYYY-MM-'.length)
    const stored = hard.length === 0 ? [] : await store.list(row.applicationId, `${month}01`, `${month}31`)
    const own = others.filter(({ applicationId, day }) => applicationId === row.applicationId && day.startsWith(month))
    const left = hard.map(({ per, limit }) =>
      [...stored, ...own].reduce(
        (rest, { day, count }) => (per === 'month' || day === row.day ? rest - count : rest),
        limit * MAX_TIMES,
      ),
    )
    return Math.max(0, Math.min(row.count, ...left))
  }

  return async function addReported(batch: UsageBatch, counts: readonly ReportedUnits[]) {
    // Nobody counts units of an application without a quota, or with a plan that this process does not have.
    const counted = counts.flatMap((row) => {
      const plan = plans.get(row.plan ?? '')
      return plan?.hasQuota === true ? [{ row, plan }] : []
    })
    const added: QuotaCount[] = []
    for (const { row, plan } of counted) {
      const { applicationId, day } = row
      added.push({ applicationId, day, count: await bound(row, plan, added) })
    }
    const totals = added.length > 0 ? await store.add(batch, added) : []
    added.forEach((row, at) => {
      if (row.day === formatDay(now())) tell(createStoredAccount(row, counted[at]!.plan, totals[at]!, now()), row.count)
    })
    return counts.map((given) => totals[counted.findIndex(({ row }) => row === given)] ?? { ofDay: 0, ofMonth: 0 })
  }
}
