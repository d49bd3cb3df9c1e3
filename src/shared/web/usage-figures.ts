import type { Language } from '../contracts/application-record.js'
import type { PlanUsage, QuotaUsage } from '../contracts/plan-usage.js'
import type { UsageEntry } from '../contracts/usage-entries.js'
import { DAY_MS, formatDay } from '../lib/day.js'
import { fillText } from '../lib/fill-in.js'
import { getFormats } from './formats.js'
import { html, type Html } from './html.js'
import { renderPlot } from './plot.js'

/** The counts of a period, of one application or of all. */
type Counts = Omit<UsageEntry, 'applicationId'>

/** Days that figures and plots are of, the current one included. */
export const USAGE_DAYS = 30

export function countRefused({ refused }: Pick<Counts, 'refused'>): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0)
}

/** Calls, the refused ones included; `share`: of the refused in calls and token requests, from 0 to 1, as `auth.usage.totals()`. */
export function sumUsage(entries: readonly Counts[]) {
  const refused = entries.reduce((sum, entry) => sum + countRefused(entry), 0)
  const calls = entries.reduce((sum, { allowed }) => sum + allowed, refused)
  const tokens = entries.reduce((sum, { accessTokens }) => sum + accessTokens, 0)
  return { calls, refused, tokens, share: refused / Math.max(1, calls + tokens) }
}

/** The counts of each shown day, oldest first. */
export function sumByDay(entries: readonly Counts[], now: number) {
  return Array.from({ length: USAGE_DAYS }, (_, at) => {
    const day = formatDay(now - (USAGE_DAYS - 1 - at) * DAY_MS)
    const { calls, refused, tokens } = sumUsage(entries.filter(({ period }) => period === day))
    return { day, allowed: calls - refused, refused, tokens }
  })
}

/** A bar for each day. `id`: unique within the page; `countsOfDay`: the text of a day. */
export function renderDays(
  { id, label, countsOfDay }: { readonly id: string; readonly label: string; readonly countsOfDay: string },
  days: readonly { readonly day: string; readonly allowed: number; readonly refused: number }[],
  language: Language,
): Html {
  const { count, short, date } = getFormats(language)
  const name = (day: string): string => date.format(Date.parse(day))
  return renderPlot({
    id,
    label,
    periods: days.map(({ day, allowed, refused }) => {
      const counts = { day: name(day), allowed: count.format(allowed), refused: count.format(refused) }
      return { text: fillText(countsOfDay, counts), allowed, refused }
    }),
    dates: [days[0], days[days.length >> 1], days.at(-1)].flatMap((each) => (each ? [name(each.day)] : [])),
    formatCount: (each) => short.format(each),
  })
}

/** How often each error was sent, most frequent first. */
export function renderErrors(errors: Counts['refused'], language: Language): Html {
  const { count } = getFormats(language)
  const sent = Object.entries(errors).filter(([, times]) => times > 0)
  const listed = sent.toSorted(([, one], [, other]) => other - one)
  return html`${listed.map(([error, each], at) => html`${at > 0 && ', '}${count.format(each)} <code>${error}</code>`)}`
}

/** The name of what a plot shows, after a square of its colour. */
export function nameColor(kind: 'allowed' | 'refused', name: string): Html {
  return html`<i class="mark ${kind}"></i>${name}`
}

/** The tile of what was refused: red from a tenth of all. */
export function describeRefused(
  name: string,
  { refused, share }: { readonly refused: number; readonly share: number },
  language: Language,
) {
  const { count, percent } = getFormats(language)
  const note = refused > 0 && percent.format(share)
  const tone = share >= 0.1 ? ('bad' as const) : undefined
  return { label: nameColor('refused', name), value: count.format(refused), note, tone }
}

export function findFullestQuota(plan: PlanUsage | undefined): QuotaUsage | undefined {
  return plan?.quotas.toSorted((one, other) => other.used / other.limit - one.used / one.limit)[0]
}

export function findQuotaTone({ left, limit }: QuotaUsage): 'bad' | 'warn' | undefined {
  return left === 0 ? 'bad' : left * 5 <= limit ? 'warn' : undefined
}
