import type { Application } from '../../index.js'
import type { PlanUsage, QuotaUsage } from '../../shared/contracts/plan-usage.js'
import type { UsageEntry } from '../../shared/contracts/usage-entries.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import type { Html } from '../../shared/web/html.js'
import { renderPlot } from '../../shared/web/plot.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { getFormats } from '../../shared/web/formats.js'
import type { Site, Visit } from './visit.js'

type OverallEntry = Omit<UsageEntry, 'applicationId'>

/** Days that figures and plots are of, the current one included. */
const SHOWN_DAYS = 30
/** More than 30 days of 100 APIs. */
const MAX_PAGES = 4

/** The counts of an application in so many days; undefined if nothing counts, or the operator may not see it. */
export async function readUsage(
  { core }: Pick<Site, 'core'>,
  { may, now }: Pick<Visit, 'may' | 'now'>,
  applicationId: string,
  days = SHOWN_DAYS,
): Promise<readonly UsageEntry[] | undefined> {
  const usage = core.find('usage')
  if (!usage || !may('usage.list')) return undefined
  return readPages((page) => usage.list({ applicationId, ...spanDays(days, now), by: 'day', ...page }))
}

/** The counts of all applications together in the shown days; undefined if nothing counts, or the operator may not see it. */
export async function readOverall(
  { auth: { usage } }: Pick<Site, 'auth'>,
  { may, now }: Pick<Visit, 'may' | 'now'>,
): Promise<readonly OverallEntry[] | undefined> {
  if (!usage || !may('usage.overall')) return undefined
  return readPages((page) => usage.overall({ ...spanDays(SHOWN_DAYS, now), by: 'day', ...page }))
}

/** The counts of all applications together at each route in a day or a month, most calls first. */
export async function readRoutes({ auth: { usage } }: Pick<Site, 'auth'>, { may }: Pick<Visit, 'may'>, period: string) {
  if (!usage || !may('usage.overallRoutes')) return []
  const by = period.length > 'YYYY-MM'.length ? 'day' : 'month'
  const entries = await readPages((page) => usage.overallRoutes({ from: period, to: period, by, ...page }))
  return entries.toSorted((one, other) => other.allowed - one.allowed)
}

/** The entries of so many pages. */
export async function readPages<Entry>(
  read: (page: { readonly limit: number; readonly after: string | undefined }) => Promise<{
    readonly items: readonly Entry[]
    readonly next?: string
  }>,
  most = MAX_PAGES,
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  let after: string | undefined
  for (let page = 0; page < most; page++) {
    const { items, next } = await read({ limit: 1000, after })
    entries.push(...items)
    if (next === undefined) break
    after = next
  }
  return entries
}

function spanDays(days: number, now: number): { readonly from: string; readonly to: string } {
  return { from: formatDay(now - (days - 1) * DAY_MS), to: formatDay(now) }
}

/** What is used of its plan; undefined without one, or if the operator may not see it. */
export async function readPlan(
  { core }: Pick<Site, 'core'>,
  { may }: Pick<Visit, 'may'>,
  { id, plan }: Pick<Application, 'id' | 'plan'>,
): Promise<PlanUsage | undefined> {
  return may('plans.usage') ? core.find('plans')?.usage({ id, plan }) : undefined
}

export function countRefused({ refused }: Pick<UsageEntry, 'refused'>): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0)
}

/** Calls, the refused ones included. */
export function sumUsage(entries: readonly OverallEntry[]): { readonly calls: number; readonly refused: number } {
  const refused = entries.reduce((sum, entry) => sum + countRefused(entry), 0)
  return { calls: entries.reduce((sum, { allowed }) => sum + allowed, refused), refused }
}

/** The tile of refused calls: red from a tenth of all. */
export function describeRefused(calls: number, refused: number, { texts, language }: Visit) {
  const { count, percent } = getFormats(language)
  const note = calls > 0 && percent.format(refused / calls)
  const tone = refused * 10 > calls ? ('bad' as const) : undefined
  return { label: texts.columns.refused, value: count.format(refused), note, tone }
}

export function findFullestQuota(plan: PlanUsage | undefined): QuotaUsage | undefined {
  return plan?.quotas.toSorted((one, other) => other.used / other.limit - one.used / one.limit)[0]
}

function sumByDay(entries: readonly OverallEntry[], now: number) {
  return Array.from({ length: SHOWN_DAYS }, (_, at) => {
    const day = formatDay(now - (SHOWN_DAYS - 1 - at) * DAY_MS)
    const { calls, refused } = sumUsage(entries.filter(({ period }) => period === day))
    return { day, allowed: calls - refused, refused }
  })
}

/** A bar for each shown day. `id`: unique within the page. */
export function renderDays(
  { id, label }: { readonly id: string; readonly label: string },
  entries: readonly OverallEntry[],
  { now, texts, language }: Visit,
): Html {
  const { count, short, date } = getFormats(language)
  const days = sumByDay(entries, now)
  const name = (day: string): string => date.format(Date.parse(day))
  return renderPlot({
    id,
    label,
    periods: days.map(({ day, allowed, refused }) => ({
      allowed,
      refused,
      text: fillText(texts.countsOfDay, {
        day: name(day),
        allowed: count.format(allowed),
        refused: count.format(refused),
      }),
    })),
    dates: [days[0]!, days[SHOWN_DAYS >> 1]!, days.at(-1)!].map(({ day }) => name(day)),
    formatCount: (each) => short.format(each),
  })
}
