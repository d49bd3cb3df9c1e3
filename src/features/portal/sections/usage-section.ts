import { DAY_MS, formatDay } from '../../../lib/day.js'
import { html, type Html } from '../../../web/html.js'
import type { PortalApi } from './api-section.js'
import { formatDate } from '../pages/times.js'
import { formatCount, renderPlot } from './usage-plot.js'
import type { DailyUsage } from '../../../contracts/offers.js'
import { USAGE_DAYS } from './usage-source.js'
import { renderSection, type ApplicationView } from '../pages/view.js'

/** One API's counts of a day. */
interface DayOfApi {
  readonly day: string
  readonly allowed: number
  readonly refused: number
  readonly tokens: number
}

/** A plot for each API, and its table. */
export function renderUsage(
  view: ApplicationView & { readonly apis: readonly PortalApi[] },
  usage: readonly DailyUsage[],
): Html {
  const used = view.apis.filter(
    ({ name }) => Object.hasOwn(view.record.apis, name) || usage.some(({ api }) => api === name),
  )
  return renderSection(
    'usage',
    'Usage',
    `Requests of the last ${USAGE_DAYS} days, counted by the day in UTC. Those of the newest minute may be missing, also where a refusal is listed already.`,
    used.length > 0
      ? html`<ul class="rows">
          ${used.map((api) =>
            renderApiUsage(
              api,
              usage.filter((each) => each.api === api.name),
              view.now,
            ),
          )}
        </ul>`
      : html`<p class="empty">Nothing to count yet.</p>`,
  )
}

function renderApiUsage({ title, name, scheme }: PortalApi, usage: readonly DailyUsage[], now: number): Html {
  const days = listDays(usage, now)
  const add = (of: (day: DayOfApi) => number): number => days.reduce((sum, day) => sum + of(day), 0)
  const [allowed, refused, tokens] = [add((day) => day.allowed), add((day) => day.refused), add((day) => day.tokens)]
  const id = `usage-${name}`
  return html`<li class="usage">
    <h3 id="${id}">${title}</h3>
    <dl class="totals">
      <div>
        <dt class="allowed">Allowed</dt>
        <dd>${formatCount(allowed)}</dd>
      </div>
      <div>
        <dt class="refused">Refused</dt>
        <dd>${formatCount(refused)}</dd>
      </div>
      ${
        scheme === 'oauth2' &&
        html`<div>
          <dt>Access tokens issued</dt>
          <dd>${formatCount(tokens)}</dd>
        </div>`
      }
    </dl>
    ${refused > 0 && html`<p class="soft">Refused: ${describeRefused(usage)}</p>`}
    ${usage.length > 0 && renderDays(days, { id, title, hasTokens: scheme === 'oauth2' })}
  </li> `
}

function renderDays(
  days: readonly DayOfApi[],
  { id, title, hasTokens }: { readonly id: string; readonly title: string; readonly hasTokens: boolean },
): Html {
  return html`${renderPlot(days)}
    <details>
      <summary>Table<span class="unseen"> of ${title}</span></summary>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="${id}">${renderTable(days, hasTokens)}</div>
    </details>`
}

function renderTable(days: readonly DayOfApi[], hasTokens: boolean): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Day</th>
        <th scope="col">Allowed</th>
        <th scope="col">Refused</th>
        ${hasTokens && html`<th scope="col">Access tokens</th>`}
      </tr>
    </thead>
    <tbody>
      ${days.toReversed().map(
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

const NOTHING = { allowed: 0, accessTokens: 0, refused: {} }

/** Every day of the period, oldest first. */
function listDays(usage: readonly DailyUsage[], now: number): DayOfApi[] {
  const byDay = new Map(usage.map((each) => [each.period, each]))
  return Array.from({ length: USAGE_DAYS }, (_, index) => {
    const day = formatDay(now - (USAGE_DAYS - 1 - index) * DAY_MS)
    const { allowed, accessTokens, refused } = byDay.get(day) ?? NOTHING
    return {
      day,
      allowed,
      refused: Object.values(refused).reduce((sum, count) => sum + count, 0),
      tokens: accessTokens,
    }
  })
}

/** The number of times that each error was sent, most frequent first. */
function describeRefused(usage: readonly DailyUsage[]): Html[] {
  const sums = new Map<string, number>()
  for (const { refused } of usage)
    for (const [error, count] of Object.entries(refused)) sums.set(error, (sums.get(error) ?? 0) + count)
  return [...sums]
    .toSorted(([, a], [, b]) => b - a)
    .map(([error, sum], index) => html`${index > 0 && ', '}${formatCount(sum)} <code class="inline">${error}</code>`)
}
