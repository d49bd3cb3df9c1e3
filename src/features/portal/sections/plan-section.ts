import type { PlanUsage, QuotaUsage } from '../../../shared/contracts/usage-entries.js'
import { DAY_MS, formatDay } from '../../../shared/lib/day.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { renderBar } from '../../../shared/web/parts.js'
import { renderDateTime } from '../../../shared/web/times.js'
import { getFormats } from '../../../shared/web/formats.js'
import { renderSection, renderTotal, type ApplicationView } from '../pages/view.js'
import type { PortalTexts } from '../texts/en.js'
import { describeLimit } from './api-section.js'
import { renderDays } from '../../../shared/web/usage-figures.js'

export function renderPlan({ texts, now }: ApplicationView, { plan, quotas, rates, days }: PlanUsage): Html {
  const limits = rates.map(({ limit, window }) => describeLimit(limit, window, texts))
  const hasDays = quotas.length > 0 && days.filter(({ used }) => used > 0).length > 1
  return renderSection(
    { id: 'plan', title: html`${texts.plan} <span class="soft">${plan}</span>`, about: texts.planAbout },
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
