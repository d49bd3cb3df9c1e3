import type { Application } from '../../index.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { html, type Html } from '../../shared/web/html.js'
import { type EmptyState, renderBar, renderEmpty, renderNotice, renderPill } from '../../shared/web/parts.js'
import { renderActions } from './actions.js'
import { readPlan, readUsage } from './figures.js'
import { findFullestQuota, sumUsage } from '../../shared/web/usage-figures.js'
import { renderAge, renderCells } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import type { OperatorTexts } from './texts/en.js'
import { listChoices } from './fields.js'
import { findApplications, offersFilters } from './find-applications.js'
import { describeNone, renderNext, renderSearch, type SearchField } from './search-form.js'
import type { Answer, Site, Visit } from './visit.js'

/** The list of applications: found by one text, narrowed by filters. */
export async function answerApplications(site: Site, visit: Visit): Promise<Answer> {
  const { texts } = visit
  const { items, next, searched } = await findApplications(site, visit)
  const rows = await Promise.all(items.map((application) => renderRow(site, visit, application)))
  const none = describeNone(visit, {
    title: texts.noApplication,
    drawing: 'first',
    next: texts.noApplicationNext,
  })
  return {
    heading: texts.tabs.applications,
    tab: 'applications',
    actions: renderActions(site, visit, 'list', { isMain: true, shown: 2 }),
    content: html`${renderSearch(visit, 'applications', listFields(site, visit))}
      ${searched !== undefined && renderNotice(fillText(texts.searched, { count: getFormats(visit.language).count.format(searched) }))}
      ${renderCells(texts.tabs.applications, texts, 'name status #calls #refused #share quota lastUse', rows) || renderEmptyCard(texts.tabs.applications, none)}
      <p class="actions after">${renderNext(visit, 'applications', next)}</p>`,
  }
}

function listFields(site: Site, visit: Visit): readonly SearchField[] {
  const { auth, planNames } = site
  const { texts } = visit
  const { refused, quota } = offersFilters(site, visit)
  const apis = auth.apis.map(({ name, title }) => [name, title] as const)
  const choose = (name: string, label: string, choices: NonNullable<SearchField['choices']>): SearchField[] =>
    choices.length > 0 ? [{ name, label, choices: [['', texts.any], ...choices] }] : []
  return [
    { name: 'q', label: texts.search, type: 'search', hint: texts.searchHint },
    ...choose('status', texts.labels.status, Object.entries(texts.statuses)),
    ...choose('api', texts.labels.api, apis),
    ...choose('plan', texts.labels.plan, listChoices(planNames)),
    ...choose('use', texts.labels.lastUse, Object.entries(texts.uses)),
    ...choose('ends', texts.ends, [['soon', texts.within30]]),
    ...choose('refused', texts.labels.refused, refused ? [['recent', texts.uses.recent]] : []),
    ...choose('quota', texts.labels.quota, quota ? [['above', texts.above80]] : []),
  ]
}

async function renderRow(site: Site, visit: Visit, application: Application) {
  const { texts, language } = visit
  const { count, percent } = getFormats(language)
  const [usage, plan] = await Promise.all([readUsage(site, visit, application.id), readPlan(site, visit, application)])
  const { calls, refused, share } = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const { lastUsedAt } = application
  return [
    html`${renderApplicationLink(visit, application)}${application.contact !== undefined && html`<span class="facts-line">${application.contact}</span>`}`,
    renderStatus(application.status, texts),
    usage && count.format(calls),
    usage && count.format(refused),
    refused > 0 && percent.format(share),
    quota &&
      html`${quota.used > 0 && renderBar(texts.quotaUsed, quota.used, quota.limit)}<span class="soft"
          >${fillText(texts.ofLimit, { share: percent.format(quota.used / quota.limit), limit: count.format(quota.limit) })}</span
        >`,
    lastUsedAt ? renderAge(lastUsedAt, visit) : html`<span class="soft">${texts.uses.never}</span>`,
  ]
}

export type NamedApplication = Pick<Application, 'id' | 'name'>

export function renderApplicationLink(
  { root, texts }: Pick<Visit, 'root' | 'texts'>,
  application: NamedApplication,
): Html {
  const { id, name } = application
  return html`<a href="${root}/applications/${encodeURIComponent(id)}">${name || texts.deletedName}</a>`
}

const TONES = { pending: 'warn', active: 'good', suspended: 'bad', deleted: undefined } as const

export function renderStatus(status: Application['status'], { statuses }: OperatorTexts): Html {
  return renderPill(statuses[status], TONES[status])
}

/** What stands where a page has nothing to list. */
export function renderEmptyCard(heading: string, empty: EmptyState, content?: Html | false): Html {
  return html`<div class="card">
    <h2 class="unseen">${heading}</h2>
    ${renderEmpty(empty, content)}
  </div>`
}
