import type { PortalTexts } from '../texts/languages.js'
import type { ApiSettings } from '../../../core/options/settings.js'
import { DAY_MS, formatDay } from '../../../shared/lib/day.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { renderNoCalls } from '../../../shared/web/first-steps.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import { renderBar, renderPill, renderTable } from '../../../shared/web/parts.js'
import { formatDate, renderDateTime } from '../../../shared/web/times.js'
import { getFormats } from '../../../shared/web/formats.js'
import type { PlanUsage, QuotaUsage, UsageEntry } from '../../../shared/contracts/usage-entries.js'
import { renderSection, renderTotal, type ApplicationView } from '../pages/view.js'
import { renderDays, renderErrors, sumByDay, sumUsage, USAGE_DAYS } from '../../../shared/web/usage-figures.js'
import { describeLimit } from './api-section.js'
import type { UsageOffer } from '../../../shared/contracts/offers.js'
import { readPages } from '../../../shared/lib/own-members.js'

export function renderUsage(view: ApplicationView, usage: readonly UsageEntry[]): Html {
  const { texts, record, apis, developersUrl } = view
  const counted = (name: string): readonly UsageEntry[] => usage.filter(({ api }) => api === name)
  const used = apis.filter(({ name }) => Object.hasOwn(record.apis, name) || counted(name).length > 0)
  const rows = used.map((api) => renderApiUsage(api, counted(api.name), view))
  const about = fillText(texts.usageAbout, { days: USAGE_DAYS })
  const content =
    sumUsage(usage).calls === 0
      ? renderNoCalls(
          apis.filter(({ name }) => Object.hasOwn(record.apis, name)),
          { title: texts.nothingCounted, next: texts.firstCall },
          { developersUrl, texts: FRAME_TEXTS[texts.language] },
        )
      : html`<ul class="rows pair">
          ${rows}
        </ul>`
  return renderSection({ id: 'usage', title: texts.usage, about }, content)
}

function renderApiUsage(
  { title, name, scheme }: ApiSettings,
  usage: readonly UsageEntry[],
  { now, texts }: ApplicationView,
): Html {
  const { count: format } = getFormats(texts.language)
  const { calls, refused, tokens } = sumUsage(usage)
  const days = sumByDay(usage, now)
  const id = `usage-${name}`
  const hasTokens = scheme === 'oauth2'
  const names = [texts.allowed, texts.refusedCount, ...(hasTokens ? [texts.tokens] : [])]
  const columns = [{ title: texts.day }, ...names.map((each) => ({ title: each, isNumber: true }))]
  const rows = days.toReversed().map((of) => {
    const time = html`<time datetime="${of.day}">${formatDate(Date.parse(of.day), texts)}</time>`
    return [time, ...[of.allowed, of.refused, of.tokens].slice(0, names.length).map((each) => format.format(each))]
  })
  return html`<li class="usage">
    <h3 id="${id}">${title}</h3>
    <dl class="totals">
      ${renderTotal(html`<dt><i class="mark"></i>${texts.allowed}</dt>`, format.format(calls - refused))}
      ${renderTotal(html`<dt>${refused > 0 && html`<i class="mark refused"></i>`}${texts.refusedCount}</dt>`, format.format(refused), refused > 0 && describeErrors(usage, texts))}
      ${hasTokens && renderTotal(html`<dt>${texts.tokens}</dt>`, format.format(tokens))}
    </dl>
    ${calls > 0 && renderDays({ id: `days-${id}`, label: title, countsOfDay: texts.countsOfDay }, days, texts.language)}
    ${
      usage.length > 0 &&
      html`<details>
        <summary>${texts.table}<span class="unseen"> ${fillText(texts.ofApi, { title })}</span></summary>
        ${renderTable(title, columns, rows)}
      </details>`
    }
  </li> `
}

/** The only error alone: its number stands above it. */
function describeErrors(usage: readonly UsageEntry[], texts: PortalTexts): Html {
  const sums = new Map<string, number>()
  for (const { refused } of usage)
    for (const [error, count] of Object.entries(refused)) sums.set(error, (sums.get(error) ?? 0) + count)
  if (sums.size === 1) return fillHtml(texts.onlyError, { error: html`<code>${[...sums.keys()]}</code>` })
  return renderErrors(Object.fromEntries(sums), texts.language)
}

export async function listUsage(usage: UsageOffer, applicationId: string, now: number): Promise<readonly UsageEntry[]> {
  const period = { from: formatDay(now - (USAGE_DAYS - 1) * DAY_MS), to: formatDay(now), by: 'day' } as const
  const entries: UsageEntry[] = []
  const pages = readPages((after) => usage.list({ applicationId, ...period, limit: 1000, after }))
  for await (const items of pages) entries.push(...items)
  return entries
}

export function renderPlan({ texts, now }: ApplicationView, { plan, quotas, rates, days }: PlanUsage): Html {
  const limits = rates.map(({ limit, window }) => describeLimit(limit, window, texts))
  const hasDays = quotas.length > 0 && days.filter(({ used }) => used > 0).length > 1
  return renderSection(
    { id: 'plan', title: html`${texts.plan} ${renderPill(plan)}`, about: texts.planAbout },
    html`<ul class="rows pair">
      <li class="usage">
        ${quotas.map((quota) => renderQuota(quota, texts))}
        ${limits.length > 0 && html`<p class="soft">${limits.join(', ')}</p>`}
      </li>
      ${
        hasDays &&
        html`<li class="usage">
          <h3>${texts.callsByDay}</h3>
          ${renderDays({ id: 'days-of-plan', label: texts.callsByDay, countsOfDay: texts.usedOfDay }, listDays(days, now), texts.language)}
        </li>`
      }
    </ul>`,
  )
}

function renderQuota({ per, limit, used, left, soft, endsAt }: QuotaUsage, texts: PortalTexts): Html {
  const { count: format } = getFormats(texts.language)
  const name = per === 'day' ? texts.today : texts.thisMonth
  const amounts = { left: format.format(left), time: renderDateTime(endsAt.getTime(), texts) }
  return html`<dl class="totals">
      ${renderTotal(html`<dt>${name}</dt>`, html`${format.format(used)} <small>/ ${format.format(limit)}</small>`)}
    </dl>
    ${renderBar(name, used, limit)}
    <p class="soft">${fillHtml(soft && used >= limit ? texts.softQuotaReached : texts.leftUntil, amounts)}</p>`
}

function listDays(days: PlanUsage['days'], now: number) {
  const today = new Date(now).getUTCDate()
  return Array.from({ length: today }, (_, index) => {
    const day = formatDay(now - (today - 1 - index) * DAY_MS)
    return { day, allowed: days.find((each) => each.day === day)?.used ?? 0, refused: 0 }
  })
}
