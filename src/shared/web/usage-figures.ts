import type { Language } from '../contracts/application-record.js'
import type { CountedRefusal, PlanUsage, QuotaUsage, UsageEntry } from '../contracts/usage-entries.js'
import { DAY_MS, formatDay } from '../lib/day.js'
import { fillText } from '../lib/fill-in.js'
import { ownMembers } from '../lib/own-members.js'
import { getFormats } from './formats.js'
import { fillHtml, html, renderPlain, type Html } from './html.js'
import { FRAME_TEXTS } from './page-frame.js'
import { renderEmpty, renderRows } from './parts.js'
import { renderRelativeTime } from './times.js'

/** The counts of a period, of one application or of all. */
type Counts = Omit<UsageEntry, 'applicationId'>

/** Days that figures and plots are of, the current one included. */
export const USAGE_DAYS = 30

export function countRefused({ refused }: Pick<Counts, 'refused'>): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0)
}

/** Calls, the refused ones included; `share`: of the refused in them, from 0 to 1, as of `auth.usage.totals()` in percent. */
export function sumUsage(entries: readonly Counts[]) {
  const refused = entries.reduce((sum, entry) => sum + countRefused(entry), 0)
  const calls = entries.reduce((sum, { allowed }) => sum + allowed, refused)
  const tokens = entries.reduce((sum, { accessTokens }) => sum + accessTokens, 0)
  return { calls, refused, tokens, share: refused / Math.max(1, calls) }
}

export function sumByDay(entries: readonly Counts[], now: number) {
  return Array.from({ length: USAGE_DAYS }, (_, at) => {
    const day = formatDay(now - (USAGE_DAYS - 1 - at) * DAY_MS)
    const { calls, refused, tokens } = sumUsage(entries.filter(({ period }) => period === day))
    return { day, allowed: calls - refused, refused, tokens }
  })
}

interface Day {
  readonly day: string
  readonly allowed: number
  readonly refused: number
}

/**
 * A bar for each day, refused requests on top of allowed ones. One day is chosen: its counts are above the plot, and those of another
 * one under the pointer. They are radio buttons, so that arrow keys and screen readers go through them without a script. The drawing is
 * stretched to the width of the page, so that its texts are outside of it. The last day is not over yet. `id`: unique within the page; `countsOfDay`: the text of a day.
 */
export function renderDays(
  { id, label, countsOfDay }: { readonly id: string; readonly label: string; readonly countsOfDay: string },
  days: readonly Day[],
  language: Language,
): Html {
  const { count, short, date } = getFormats(language)
  const name = (day: string): string => date.format(Date.parse(day))
  const last = days.length - 1
  const describe = ({ day, allowed, refused }: Day, at: number): string => {
    const shown = at === last ? FRAME_TEXTS[language].todaySoFar : name(day)
    return fillText(countsOfDay, { day: shown, allowed: count.format(allowed), refused: count.format(refused) })
  }
  const top = findTop(Math.max(...days.map(({ allowed, refused }) => allowed + refused)))
  return html`<fieldset class="plot">
    <legend class="unseen">${label}</legend>
    <p class="counts" aria-hidden="true">
      ${[top, top / 2, 0].map((each) => html`<span>${short.format(each)}</span>`)}
    </p>
    <svg viewBox="0 0 ${days.length} 100" preserveAspectRatio="none" aria-hidden="true">
      ${[0, 50, 100].map((y) => html`<path class="line" d="M0 ${y}H${days.length}" vector-effect="non-scaling-stroke" />`)}
      ${days.map(({ allowed, refused }, at) => html`<g${at === last && html` class="now"`}>${drawBar('allowed', at, allowed, 0, 100 / top)}${drawBar('refused', at, refused, allowed, 100 / top)}</g>`)}
    </svg>
    <div class="periods">
      ${days.map(
        (each, at) =>
          html`<label
            ><input type="radio" class="unseen" name="${id}" ${at === last && html` checked`} /><span
              >${describe(each, at)}</span
            ></label
          >`,
      )}
    </div>
    <p class="dates" aria-hidden="true">
      ${[days[0], days[days.length >> 1], days.at(-1)].map((each) => each && html`<span>${name(each.day)}</span>`)}
    </p>
  </fieldset>`
}

function drawBar(name: string, at: number, count: number, below: number, scale: number): Html | false {
  return count > 0 && html`<path class="${name}" d="M${at + 0.15} ${100 - below * scale}h.7v${-count * scale}h-.7z" />`
}

/** The count at the upper end of the axis: the next of 4, 6, 8, 10, 12, 16, 20 and so on, so that its half is a whole number too. */
function findTop(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 4)))
  const tops = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power)
  return tops.find((top) => top >= Math.max(highest, 4) && top % 2 === 0) ?? 10 * power
}

/** Without its number where there is one only: the number of all is beside it. */
export function renderErrors(errors: Counts['refused'], language: Language): Html {
  const { count } = getFormats(language)
  const sent = Object.entries(errors).filter(([, times]) => times > 0)
  const listed = sent.toSorted(([, one], [, other]) => other - one)
  const number = (times: number) => listed.length > 1 && `${count.format(times)} `
  return html`${listed.map(([error, each], at) => html`${at > 0 && ', '}${number(each)}<code>${error}</code>`)}`
}

/** What was refused in the last 7 days: what it means, what helps, and where it was. */
export function renderRefusals(
  refusals: readonly CountedRefusal[],
  findTitle: (api: string) => string,
  { now, language }: { readonly now: number; readonly language: Language },
): Html {
  const texts = FRAME_TEXTS[language]
  const rows = refusals.map(ownMembers).map(({ at, count, api, error, problem, fix, route, requestId, address }) => {
    const time = renderRelativeTime(at, now, { language })
    return html`<li class="row">
      <div>
        <h3>${problem}</h3>
        <p>${renderPlain(fix)}</p>
        <p class="facts">
          <span>${count > 1 ? fillHtml(texts.times, { count, time }) : time}</span>
          ${route !== undefined && html`<span><code>${route}</code></span>`}
          <span>${findTitle(api)}</span>
          <span><code>${error}</code></span>
          ${address !== undefined && html`<span>${fillText(texts.from, { address })}</span>`}
          ${requestId !== undefined && html`<span>${fillHtml(texts.requestId, { id: html`<code>${requestId}</code>` })}</span>`}
        </p>
      </div>
    </li> `
  })
  return renderRows(rows, renderEmpty({ title: texts.noRefusal, isGood: true }))
}

/** The name of what a plot shows, after a square of its colour. */
export function nameColor(kind: 'allowed' | 'refused', name: string): Html {
  return html`<i class="mark ${kind}"></i>${name}`
}

/** The tile of what was refused: red from a tenth of all calls; without a colour if there was nothing. */
export function describeRefused(
  name: string,
  { refused, share }: { readonly refused: number; readonly share: number },
  language: Language,
) {
  const { count, percent } = getFormats(language)
  const note = refused > 0 && fillText(FRAME_TEXTS[language].ofCalls, { share: percent.format(share) })
  const tone = share >= 0.1 ? ('bad' as const) : undefined
  return { label: refused > 0 ? nameColor('refused', name) : name, value: count.format(refused), note, tone }
}

export function findFullestQuota(plan: PlanUsage | undefined): QuotaUsage | undefined {
  return plan?.quotas.toSorted((one, other) => other.used / other.limit - one.used / one.limit)[0]
}

export function findQuotaTone({ left, limit }: QuotaUsage): 'bad' | 'warn' | undefined {
  return left === 0 ? 'bad' : left * 5 <= limit ? 'warn' : undefined
}
