import type { PlanUsage } from '../../../shared/contracts/plan-usage.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { renderApis } from '../sections/api-section.js'
import { renderStatus } from './applications-page.js'
import { renderContacts } from '../sections/contact-section.js'
import { renderCredentials } from '../sections/credential-section.js'
import type { UsageEntry, CountedRefusal } from '../../../shared/contracts/usage-entries.js'
import { renderNetworks } from './network-page.js'
import { renderPlan } from '../sections/plan-section.js'
import { renderRefusals, renderUsage } from '../sections/usage-section.js'
import type { PortalTexts } from '../texts/en.js'
import { renderSummary } from '../sections/summary.js'
import { renderTermsNote } from './terms.js'
import { renderDate } from './times.js'
import { renderCard } from '../../../shared/web/parts.js'
import { isOffered, renderAction, type ApplicationView } from './view.js'

export function renderApplication(
  view: ApplicationView,
  counted: {
    /** The last 30 days; undefined if the platform stores no usage. */
    readonly usage: readonly UsageEntry[] | undefined
    /** Undefined if it has no plan, or the platform knows none. */
    readonly plan: PlanUsage | undefined
    /** Newest first; undefined if the platform stores no refusals. */
    readonly refusals: readonly CountedRefusal[] | undefined
  },
): Html {
  const { record, texts } = view
  const { plan, usage, refusals } = counted
  const networks = renderNetworks(view)
  const sections = [
    plan && ['plan', texts.plan],
    usage && ['usage', texts.usage],
    refusals && ['refusals', texts.refusals],
    ['credentials', texts.credentials],
    ['apis', texts.apis],
    networks !== false && ['networks', texts.networks],
    ['colleagues', texts.colleagues],
  ].filter((each): each is [string, string] => each !== undefined && each !== false)
  const note = { pending: texts.isPending, suspended: texts.isSuspended, active: undefined, deleted: undefined }[
    record.status
  ]
  return html`${renderNotices(texts)}
    <p class="facts">
      ${renderStatus(record, texts)}
      <span>${texts.applicationId} <code class="inline">${record.id}</code></span>
      <span>${fillHtml(texts.created, { date: renderDate(record.createdAt, texts) })}</span>
    </p>
    ${note !== undefined && html`<p class="note">${note}</p>`} ${renderTermsNote(view)}
    ${renderSummary(view, { usage, plan })}
    <nav class="contents" aria-label="${texts.parts}">
      <ul>
        ${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
      </ul>
    </nav>
    ${plan && renderPlan(view, plan)} ${usage && renderUsage(view, usage)} ${refusals && renderRefusals(view, refusals)}
    ${renderCredentials(view)} ${renderApis(view)} ${networks} ${renderContacts(view)} ${renderDeletion(view)}`
}

/** The style sheet shows the one that a redirect names in its fragment. */
function renderNotices({ notices: { deleted: _deleted, left: _left, ...notices } }: PortalTexts): Html[] {
  return Object.entries(notices).map(([id, text]) => html`<p class="notice" id="${id}" tabindex="-1">${text}</p> `)
}

function renderDeletion(view: ApplicationView): Html | false {
  if (!isOffered(view, 'delete')) return false
  const { texts } = view
  const action = html`<p class="actions">
    ${renderAction(view.link(view.record.id, 'delete'), texts.deleteIt, '', 'danger')}
  </p>`
  return renderCard(
    { title: texts.deletion, level: 2, isDanger: true },
    html`<div class="row">
      <p>${texts.deletionMeans}</p>
      ${action}
    </div>`,
  )
}
