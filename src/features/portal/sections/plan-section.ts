import type { PlanUsage, QuotaUsage } from '../../../shared/contracts/plan-usage.js'
import { DAY_MS, formatDay } from '../../../shared/lib/day.js'
import { html, type Html } from '../../../shared/web/html.js'
import { renderBar } from '../../../shared/web/parts.js'
import { renderDateTime } from '../pages/times.js'
import { getFormats } from '../../../shared/web/formats.js'
import { renderSection, renderTotal, type ApplicationView } from '../pages/view.js'
import type { PortalTexts } from '../texts/en.js'
import { describeLimit } from './api-section.js'
import { renderDays } from '../../../shared/web/usage-figures.js'

/** What is used of the application's plan, what is left, and until when, with a bar for each day of the month. */
export function renderPlan({ texts, now }: ApplicationView, { plan, quotas, rates, days }: PlanUsage): Html {
  const limits = rates.map(({ limit, window }) => describeLimit(limit, window, texts))
  return renderSection(
    'plan',
    texts.plan,
    texts.planAbout,
    html`<ul class="rows">
      <li class="usage">
        <h3>${plan}</h3>
        ${limits.length > 0 && html`<p class="soft">${limits.join(', ')}</p>`}
        ${quotas.map((quota) => renderQuota(quota, texts))}
        ${quotas.length > 0 && days.some(({ used }) => used > 0) && renderDays({ id: 'days-of-plan', label: texts.plan, countsOfDay: texts.countsOfDay }, listDays(days, now), texts.language)}
      </li>
    </ul>`,
  )
}

function renderQuota({ per, limit, used, left, soft, endsAt }: QuotaUsage, texts: PortalTexts): Html {
  const { count: format } = getFormats(texts.language)
  const name = per === 'day' ? texts.today : texts.thisMonth
  return html`<dl class="totals">
      ${renderTotal(html`<dt>${name}</dt>`, `${format.format(used)} / ${format.format(limit)}`)}
      ${renderTotal(html`<dt>${texts.left}</dt>`, format.format(left))}
      ${renderTotal(html`<dt>${texts.quotaEnds}</dt>`, renderDateTime(endsAt.getTime(), texts))}
    </dl>
    ${renderBar(name, used, limit)}
    ${used >= limit && html`<p class="soft">${soft ? texts.softQuotaReached : texts.quotaReached}</p>`}`
}

function listDays(days: PlanUsage['days'], now: number) {
  const today = new Date(now).getUTCDate()
  return Array.from({ length: today }, (_, index) => {
    const day = formatDay(now - (today - 1 - index) * DAY_MS)
    return { day, allowed: days.find((each) => each.day === day)?.used ?? 0, refused: 0 }
  })
}
