import { ApplicationError } from '../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { StoreWith } from '../../shared/contracts/store.js'
import { formatDay } from '../../shared/lib/day.js'
import { readUsed, type Account, type CountedWindow, type Ledger } from './ledger.js'
import type { PlanUsage, QuotaUsage } from '../../shared/contracts/plan-usage.js'
import type { Plan } from './plan.js'
import type { CountShared } from './shared-counts.js'

export function createReadPlanUsage(options: {
  readonly store: StoreWith<'quotas'>
  readonly opened: () => Promise<unknown>
  readonly findPlan: (application: Pick<ApplicationRecord, 'id' | 'plan'>) => Plan | undefined
  readonly ledger: Ledger
  readonly countShared: CountShared | undefined
  readonly now: () => number
}): (applicationId: string) => Promise<PlanUsage> {
  const { store, opened, findPlan, ledger, countShared, now } = options

  return async function readPlanUsage(applicationId) {
    await opened()
    const application = await store.findApplication(applicationId)
    if (!application) throw new ApplicationError('application_not_found', `There is no application "${applicationId}".`)
    const plan = findPlan(application)
    if (!plan) return { plan: undefined, quotas: [], rates: [], days: [] }
    await ledger.writer.write()
    const time = now()
    const today = formatDay(time)
    const days = await store.quotas.list(applicationId, `${today.slice(0, 8)}01`, today)
    const account = ledger.find(applicationId, plan, time) ?? (await ledger.read(applicationId, plan))
    await countShared?.(account, 0, time, ledger.writer.isFailing)
    return {
      plan: plan.name,
      quotas: account.windows.flatMap((counted) => describeQuota(account, counted, days)),
      rates: plan.windows.flatMap(({ per, limit, milliseconds, soft }) =>
        per === undefined ? [{ limit, window: milliseconds / 1000, soft }] : [],
      ),
      days: days.map(({ day, count }) => ({ day, used: count })),
    }
  }
}

function describeQuota(
  account: Account,
  counted: CountedWindow,
  days: readonly { readonly day: string; readonly count: number }[],
): QuotaUsage[] {
  const { per, limit, soft } = counted.window
  if (per === undefined) return []
  const stored = days.reduce((sum, { day, count }) => (per === 'month' || day === account.day ? sum + count : sum), 0)
  const used = Math.max(stored, readUsed(account, counted))
  return [{ per, limit, used, left: Math.max(0, limit - used), soft, endsAt: new Date(counted.endsAt) }]
}
