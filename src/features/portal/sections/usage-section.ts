import type { ApiSettings } from '../../../core/options/settings.js'
import { DAY_MS, formatDay } from '../../../shared/lib/day.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { formatCallCommand } from '../../../shared/samples/curl.js'
import { renderCopyable } from '../../../shared/web/first-steps.js'
import { fillHtml, html, renderPlain, type Html } from '../../../shared/web/html.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import { renderEmpty, renderTable } from '../../../shared/web/parts.js'
import type { PortalTexts } from '../texts/en.js'
import { formatDate, renderRelativeTime } from '../pages/times.js'
import { getFormats } from '../../../shared/web/formats.js'
import type { UsageEntry, CountedRefusal } from '../../../shared/contracts/usage-entries.js'
import { renderRows, renderSection, renderTotal, type ApplicationView } from '../pages/view.js'
import { renderDays, renderErrors, sumByDay, sumUsage, USAGE_DAYS } from '../../../shared/web/usage-figures.js'
import type { UsageOffer } from '../../../shared/contracts/offers.js'
import { ownMembers } from '../../../shared/lib/own-members.js'

type DayOfApi = ReturnType<typeof sumByDay>[number]

/** A plot for each API, and its table. */
export function renderUsage(view: ApplicationView, usage: readonly UsageEntry[]): Html {
  const { texts } = view
  if (sumUsage(usage).calls === 0)
    return renderSection('usage', texts.usage, fillText(texts.usageAbout, { days: USAGE_DAYS }), renderNoCalls(view))
  const used = view.apis.filter(
    ({ name }) => Object.hasOwn(view.record.apis, name) || usage.some(({ api }) => api === name),
  )
  return renderSection(
    'usage',
    texts.usage,
    fillText(texts.usageAbout, { days: USAGE_DAYS }),
    renderRows(
      used.map((api) => {
        const own = usage.filter((each) => each.api === api.name)
        return renderApiUsage(api, own, view)
      }),
      texts.nothingCounted,
    ),
  )
}

/** Nothing was counted yet: the first call, as a command. */
function renderNoCalls({ record, apis, developersUrl, texts }: ApplicationView): Html {
  const granted = apis.filter(({ name }) => Object.hasOwn(record.apis, name)).slice(0, 1)
  const frame = FRAME_TEXTS[texts.language]
  return renderEmpty(
    { title: texts.nothingCounted },
    granted.map(
      ({ name, title, scheme, resource, tokenEndpoint, keyHeaders: [keyHeader] }) =>
        html`${renderCopyable(frame.call(title), formatCallCommand({ ...BARE_CALL, scheme, url: resource, tokenEndpoint, keyHeader }), frame)}
          <p class="alone"><a href="${developersUrl}/apis/${name}/samples">${frame.reference(title)}</a></p>`,
    ),
  )
}

/** Every member is there, so that none is inherited. */
const BARE_CALL = { method: 'GET', headers: [], body: undefined, credentials: undefined } as const

function renderApiUsage(
  { title, name, scheme }: ApiSettings,
  usage: readonly UsageEntry[],
  { now, texts }: ApplicationView,
): Html {
  const { count: format } = getFormats(texts.language)
  const { calls, refused, tokens } = sumUsage(usage)
  const id = `usage-${name}`
  return html`<li class="usage">
    <h3 id="${id}">${title}</h3>
    <dl class="totals">
      ${renderTotal(html`<dt class="allowed">${texts.allowed}</dt>`, format.format(calls - refused))}
      ${renderTotal(html`<dt class="refused">${texts.refusedCount}</dt>`, format.format(refused))}
      ${scheme === 'oauth2' && renderTotal(html`<dt>${texts.tokensIssued}</dt>`, format.format(tokens))}
    </dl>
    ${refused > 0 && html`<p class="soft">${texts.refusedWith} ${renderErrors(sumErrors(usage), texts.language)}</p>`}
    ${usage.length > 0 && renderPlotAndTable(sumByDay(usage, now), { id, title, hasTokens: scheme === 'oauth2' }, texts)}
  </li> `
}

function renderPlotAndTable(
  days: readonly DayOfApi[],
  { id, title, hasTokens }: { readonly id: string; readonly title: string; readonly hasTokens: boolean },
  texts: PortalTexts,
): Html {
  return html`${days.some(({ allowed, refused }) => allowed + refused > 0) && renderDays({ id: `days-${id}`, label: title, countsOfDay: texts.countsOfDay }, days, texts.language)}
    <details>
      <summary>${texts.table}<span class="unseen"> ${fillText(texts.ofApi, { title })}</span></summary>
      ${renderDayTable(days, { title, hasTokens }, texts)}
    </details>`
}

function renderDayTable(
  days: readonly DayOfApi[],
  { title, hasTokens }: { readonly title: string; readonly hasTokens: boolean },
  texts: PortalTexts,
): Html {
  const { count: format } = getFormats(texts.language)
  const counts = [texts.allowed, texts.refusedCount, ...(hasTokens ? [texts.tokens] : [])]
  return renderTable(
    title,
    [{ title: texts.day }, ...counts.map((each) => ({ title: each, isNumber: true }))],
    days
      .toReversed()
      .map(({ day, allowed, refused, tokens }) => [
        html`<time datetime="${day}">${formatDate(Date.parse(day), texts)}</time>`,
        ...[allowed, refused, ...(hasTokens ? [tokens] : [])].map((each) => format.format(each)),
      ]),
  )
}

/** The number of times that each error was sent. */
function sumErrors(usage: readonly UsageEntry[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const { refused } of usage)
    for (const [error, count] of Object.entries(refused)) sums.set(error, (sums.get(error) ?? 0) + count)
  return Object.fromEntries(sums)
}

export async function listUsage(usage: UsageOffer, applicationId: string, now: number): Promise<readonly UsageEntry[]> {
  const period = { from: formatDay(now - (USAGE_DAYS - 1) * DAY_MS), to: formatDay(now), by: 'day' } as const
  const entries: UsageEntry[] = []
  let after: string | undefined
  do {
    const { items, next } = ownMembers(await usage.list({ applicationId, ...period, limit: 1000, after }))
    entries.push(...items)
    after = next
  } while (after !== undefined)
  return entries
}

/** The last refusals, each with its reason and fix. */
export function renderRefusals(view: ApplicationView, refusals: readonly CountedRefusal[]): Html {
  const { texts } = view
  return renderSection(
    'refusals',
    texts.refusals,
    texts.refusalsAbout,
    refusals.length === 0
      ? renderEmpty({ title: texts.noRefusal, isGood: true })
      : renderRows(
          refusals.map((refusal) => renderRefusal(refusal, view)),
          texts.noRefusal,
        ),
  )
}

function renderRefusal(refusal: CountedRefusal, { now, texts }: ApplicationView): Html {
  const { at, count, api, error, problem, fix, route, requestId, address } = ownMembers(refusal)
  const time = renderRelativeTime(at.getTime(), now, texts)
  return html`<li class="row">
    <div>
      <h3>${problem}</h3>
      <p>${renderPlain(fix)}</p>
      <p class="facts">
        <span>${count > 1 ? fillHtml(texts.times, { count, time }) : time}</span>
        ${route !== undefined && html`<span><code class="inline">${route}</code></span>`} <span>${api}</span>
        <span><code class="inline">${error}</code></span>
        ${address !== undefined && html`<span>${fillText(texts.from, { address })}</span>`}
        ${requestId !== undefined && html`<span>${fillHtml(texts.requestId, { id: html`<code class="inline">${requestId}</code>` })}</span>`}
      </p>
    </div>
  </li> `
}
