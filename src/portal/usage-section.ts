import { html, type Html } from '../lib/html.js'
import type { PortalApi } from './api-section.js'
import { DAY_MS, formatDate } from './times.js'
import { renderSection, type ApplicationView } from './view.js'

/** How many requests of an application to an API had an outcome on a day. */
export interface DailyCount {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string
  readonly api: string
  /** `allowed`; `token` for an access token issued; otherwise the `error` that was sent. */
  readonly outcome: string
  readonly count: number
}

/** The days that the page shows. */
export const USAGE_DAYS = 30

/** One API's counts of a day. */
interface DayOfApi {
  readonly day: string
  readonly allowed: number
  readonly refused: number
  readonly tokens: number
}

/** The first and the last day that the page shows. */
export function readUsagePeriod(now: number): { readonly from: string; readonly to: string } {
  return { from: formatDay(now - (USAGE_DAYS - 1) * DAY_MS), to: formatDay(now) }
}

/** A plot for each API, which the page's script draws from the table below it. */
export function renderUsage(
  view: ApplicationView & { readonly apis: readonly PortalApi[] },
  counts: readonly DailyCount[],
): Html {
  const used = view.apis.filter(
    ({ name }) => Object.hasOwn(view.record.apis, name) || counts.some(({ api }) => api === name),
  )
  return renderSection(
    'usage',
    'Usage',
    `Requests of the last ${USAGE_DAYS} days, counted by the day in UTC. The newest minute may be missing.`,
    used.length > 0
      ? html`<ul class="rows">
          ${used.map((api) => renderApiUsage(api, counts.filter((each) => each.api === api.name), view.now))}
        </ul>`
      : html`<p class="empty">Nothing to count yet.</p>`,
  )
}

function renderApiUsage({ title, name, scheme }: PortalApi, counts: readonly DailyCount[], now: number): Html {
  const days = listDays(counts, now)
  const add = (of: (day: DayOfApi) => number): number => days.reduce((sum, day) => sum + of(day), 0)
  const [allowed, refused, tokens] = [add((day) => day.allowed), add((day) => day.refused), add((day) => day.tokens)]
  const id = `usage-${name}`
  return html`<li class="usage">
    <h3 id="${id}">${title}</h3>
    <dl class="totals">
      <div><dt class="allowed">Allowed</dt><dd>${formatCount(allowed)}</dd></div>
      <div><dt class="refused">Refused</dt><dd>${formatCount(refused)}</dd></div>
      ${scheme === 'oauth2' && html`<div><dt>Access tokens issued</dt><dd>${formatCount(tokens)}</dd></div>`}
    </dl>
    ${refused > 0 && html`<p class="soft">Refused: ${describeRefused(counts)}</p>`}
    <div class="plot" hidden></div>
    <details>
      <summary>Table<span class="unseen"> of ${title}</span></summary>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="${id}">${renderTable(days, scheme === 'oauth2')}</div>
    </details>
  </li> `
}

function renderTable(days: readonly DayOfApi[], hasTokens: boolean): Html {
  return html`<table data-days>
    <thead>
      <tr>
        <th scope="col">Day</th>
        <th scope="col">Allowed</th>
        <th scope="col">Refused</th>
        ${hasTokens && html`<th scope="col">Access tokens</th>`}
      </tr>
    </thead>
    <tbody>
      ${days
        .toReversed()
        .map(
          ({ day, allowed, refused, tokens }) =>
            html`<tr>
              <th scope="row"><time datetime="${day}">${formatDate(Date.parse(day))}</time></th>
              <td>${formatCount(allowed)}</td>
              <td>${formatCount(refused)}</td>
              ${hasTokens && html`<td>${formatCount(tokens)}</td>`}
            </tr> `,
        )}
    </tbody>
  </table>`
}

/** Every day of the period, oldest first. */
function listDays(counts: readonly DailyCount[], now: number): DayOfApi[] {
  const days: DayOfApi[] = []
  for (let back = USAGE_DAYS - 1; back >= 0; back--) {
    const day = formatDay(now - back * DAY_MS)
    const ofDay = counts.filter((each) => each.day === day)
    const add = (isCounted: (outcome: string) => boolean): number =>
      ofDay.reduce((sum, { outcome, count }) => (isCounted(outcome) ? sum + count : sum), 0)
    days.push({
      day,
      allowed: add((outcome) => outcome === 'allowed'),
      refused: add(isRefusal),
      tokens: add((outcome) => outcome === 'token'),
    })
  }
  return days
}

function isRefusal(outcome: string): boolean {
  return outcome !== 'allowed' && outcome !== 'token'
}

/** How often each error was sent, most frequent first. */
function describeRefused(counts: readonly DailyCount[]): Html[] {
  const sums = new Map<string, number>()
  for (const { outcome, count } of counts)
    if (isRefusal(outcome)) sums.set(outcome, (sums.get(outcome) ?? 0) + count)
  return [...sums]
    .toSorted(([, a], [, b]) => b - a)
    .map(([error, sum], index) => html`${index > 0 && ', '}${formatCount(sum)} <code class="inline">${error}</code>`)
}

const COUNT = new Intl.NumberFormat('en')

function formatCount(count: number): string {
  return COUNT.format(count)
}

function formatDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
