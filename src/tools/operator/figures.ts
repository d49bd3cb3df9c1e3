import type { Application } from '../../index.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { readPages } from '../../shared/lib/own-members.js'
import { USAGE_DAYS } from '../../shared/web/usage-figures.js'
import type { Visit } from './visit.js'

export const SOON_MS = 30 * DAY_MS
/** More than 30 days of 100 APIs. */
const MAX_PAGES = 4

/** The counts of an application in so many days; undefined if nothing counts, or the operator may not see it. */
export async function readUsage({ core, may, now }: Visit, applicationId: string, days = USAGE_DAYS) {
  const usage = core.find('usage')
  if (!usage || !may('usage.list')) return undefined
  return readEntries((page) => usage.list({ applicationId, ...spanDays(days, now), by: 'day', ...page }))
}

/** The counts of all applications together in the shown days; undefined if nothing counts, or the operator may not see it. */
export async function readOverall({ auth: { usage }, may, now }: Visit) {
  if (!usage || !may('usage.overall')) return undefined
  return readEntries((page) => usage.overall({ ...spanDays(USAGE_DAYS, now), by: 'day', ...page }))
}

export async function readRoutes({ auth: { usage }, may }: Visit, period: string) {
  if (!usage || !may('usage.overallRoutes')) return []
  const by = period.length > 'YYYY-MM'.length ? 'day' : 'month'
  const entries = await readEntries((page) => usage.overallRoutes({ from: period, to: period, by, ...page }))
  return entries.toSorted((one, other) => other.allowed - one.allowed)
}

export async function readEntries<Entry>(
  read: (page: { readonly limit: number; readonly after: string | undefined }) => Promise<{
    readonly items: readonly Entry[]
    readonly next?: string
  }>,
  most = MAX_PAGES,
): Promise<readonly Entry[]> {
  const pages: (readonly Entry[])[] = []
  for await (const items of readPages((after) => read({ limit: 1000, after }))) if (pages.push(items) >= most) break
  return pages.flat()
}

function spanDays(days: number, now: number) {
  return { from: formatDay(now - (days - 1) * DAY_MS), to: formatDay(now) }
}

/** What is used of its plan; undefined without one, or if the operator may not see it. */
export async function readPlan({ core, may }: Visit, { id, plan }: Application) {
  return may('plans.usage') ? core.find('plans')?.usage({ id, plan }) : undefined
}
