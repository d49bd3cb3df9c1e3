import { ApplicationError, invalidArgument, invalidCursor } from '../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { Core } from '../../feature.js'
import { DAY_MS, findMonthEnd, firstOfMonth, formatDay } from '../../shared/lib/day.js'
import { readUsed, type Account, type CountedWindow, type Ledger } from './ledger.js'
import type { Plan } from './plan.js'
import type { CountShared } from './shared-counts.js'
import { readPageSize } from '../../core/applications/records/validation.js'
import type { PlanWindow, QuotaUse, QuotaUseQuery } from '../../shared/contracts/quotas.js'
import type { Plans } from './plans-calls.js'

export function createReadPlanUsage(
  { store, opened, now }: Core,
  findPlan: (application: Pick<ApplicationRecord, 'id' | 'plan'>) => Plan | undefined,
  ledger: Ledger,
  countShared: CountShared | undefined,
): Plans['usage'] {
  return async function readPlanUsage(applicationId) {
    await opened()
    const application = await store.findApplication(applicationId)
    if (!application) throw new ApplicationError('application_not_found', `There is no application "${applicationId}".`)
    const plan = findPlan(application)
    if (!plan) return { plan: undefined, quotas: [], rates: [], days: [] }
    await ledger.writer.write()
    const time = now()
    const today = formatDay(time)
    const days = await store.quotas.list(applicationId, firstOfMonth(today), today)
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
) {
  const { per, limit, soft } = counted.window
  if (per === undefined) return []
  const stored = days.reduce((sum, { day, count }) => (per === 'month' || day === account.day ? sum + count : sum), 0)
  const used = Math.max(stored, readUsed(account, counted))
  return [{ per, limit, used, left: Math.max(0, limit - used), soft, endsAt: new Date(counted.endsAt) }]
}

const DEFAULT_SHARE = 80
/** Soft quotas may be used many times over. */
const MAX_SHARE = 1000

/** A quota of a plan, and its place among all of them, which orders what is used alike. */
interface Quota extends PlanWindow {
  readonly plan: string
  readonly per: 'day' | 'month'
  readonly place: number
}

type Found = QuotaUse & { readonly quota: Quota }

/** `auth.plans.list()`: an index has the applications of each plan by what they have used, so each quota of each plan costs a page at most. */
export function createListAbove(
  { store, opened, now }: Core,
  plans: ReadonlyMap<string, Plan>,
  write: () => Promise<unknown>,
): Plans['list'] {
  const quotas = [...plans.values()]
    .flatMap(({ name, windows }) => windows.map((window) => ({ ...window, plan: name })))
    .flatMap(({ per, ...window }) => (per === undefined ? [] : [{ ...window, per }]))
    .map((quota, place): Quota => ({ ...quota, place }))

  return async function list({ above = DEFAULT_SHARE, after, limit } = {}) {
    const pageSize = readPageSize(limit)
    if (!(Number.isInteger(above) && above >= 1 && above <= MAX_SHARE))
      throw invalidArgument(`above must be a whole number of percent from 1 to ${MAX_SHARE}.`)
    const last = after === undefined ? undefined : readCursor(after, quotas)
    await opened()
    await write()
    const day = formatDay(now())
    const endsAt = { day: Date.parse(day) + DAY_MS, month: findMonthEnd(day) }
    const read = async (quota: Quota): Promise<readonly Found[]> => {
      const uses = await store.quotas.listUsed({
        plan: quota.plan,
        period: quota.per === 'day' ? day : day.slice(0, 'YYYY-MM'.length),
        atLeast: Math.ceil((quota.limit * above) / 100),
        after: last && findPosition(quota, last),
        limit: pageSize + 1,
      })
      return uses.map((use) => ({ ...use, quota }))
    }
    const found = (await Promise.all(quotas.map(read))).flat().toSorted(compare)
    const page = found.slice(0, pageSize)
    const items = page.map(({ applicationId, name, count: used, quota: { plan, per, limit: most, soft } }) => ({
      applicationId,
      name,
      plan,
      per,
      limit: most,
      used,
      left: Math.max(0, most - used),
      share: Math.floor((used * 1000) / most) / 10,
      soft,
      endsAt: new Date(endsAt[per]),
    }))
    if (found.length <= pageSize) return { items }
    const { applicationId, count, quota } = page.at(-1)!
    return { items, next: `${quota.plan}/${quota.per}/${count}/${applicationId}` }
  }
}

/** What is used most first. Exact: products of counts and limits exceed what a number holds. */
function compare(one: Found, other: Found): number {
  const difference = BigInt(other.count) * BigInt(one.quota.limit) - BigInt(one.count) * BigInt(other.quota.limit)
  if (difference !== 0n) return difference > 0n ? 1 : -1
  return one.quota.place - other.quota.place || (one.applicationId > other.applicationId ? -1 : 1)
}

/** Where what is used less than `last`, or as much and is behind it, begins in the list of another quota. */
function findPosition(quota: Quota, last: Pick<Found, 'applicationId' | 'count' | 'quota'>): QuotaUseQuery['after'] {
  const { applicationId, count, quota: own } = last
  if (quota.place === own.place) return { applicationId, count }
  const [used, most] = [BigInt(count) * BigInt(quota.limit), BigInt(own.limit)]
  const below = quota.place < own.place ? (used + most - 1n) / most : used / most + 1n
  return { applicationId: '', count: Math.min(Number(below), Number.MAX_SAFE_INTEGER) }
}

function readCursor(after: string, quotas: readonly Quota[]): Pick<Found, 'applicationId' | 'count' | 'quota'> {
  const [, plan, per, count, applicationId = ''] = /^([^/]*)\/(day|month)\/(\d{1,15})\/(.+)$/s.exec(after) ?? []
  const quota = quotas.find((each) => each.plan === plan && each.per === per)
  if (quota) return { applicationId, count: Number(count), quota }
  throw invalidCursor()
}
