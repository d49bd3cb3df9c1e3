import type { Application } from '../../index.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderBar, renderEmpty, renderPill, renderTable } from '../../shared/web/parts.js'
import { renderActions } from './actions.js'
import { findFullestQuota, findLastUse, readPlan, readUsage, sumUsage } from './figures.js'
import { renderTime } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import type { OperatorTexts } from './texts/languages.js'
import type { Page, Site, Visit } from './visit.js'

/** Each row reads usage and quota of its application. */
const PAGE_SIZE = 25
const SOON_MS = 30 * 24 * 3_600_000

/** The list of applications: found by one text, narrowed by filters. */
export function createApplicationsPage(site: Site): Page {
  return async function answerApplications(visit) {
    const { texts, root, query, may } = visit
    if (!may('applications.list')) return undefined
    const { items, next } = await findApplications(site, visit)
    const rows = await Promise.all(items.map((application) => renderRow(site, visit, application)))
    const isNarrowed = [...query.keys()].some((name) => name !== 'after' && query.get(name) !== '')
    const following = new URLSearchParams(query)
    if (next !== undefined) following.set('after', next)
    const [title, advice] = isNarrowed
      ? [texts.noneFound, texts.noneFoundNext]
      : [texts.noApplication, texts.noApplicationNext]
    return {
      heading: texts.tabs.applications,
      tab: 'applications',
      content: html`${renderSearch(site, visit)} ${renderActions(site, visit, 'list')}
      ${rows.length > 0 ? renderTable(texts.tabs.applications, listColumns(texts), rows) : renderEmptyCard(texts.tabs.applications, { title }, html`<p>${advice}</p>`)}
      ${next !== undefined && html`<p class="crumb"><a class="button quiet" href="${root}/applications?${following.toString()}">${texts.more}</a></p>`}`,
    }
  }
}

/** An address is a contact's; an id is the application's or the operator's own; anything else begins a name. */
async function findApplications(
  { auth }: Pick<Site, 'auth'>,
  { query, now }: Visit,
): Promise<{ readonly items: readonly Application[]; readonly next?: string }> {
  const read = (name: string): string | undefined => query.get(name)?.trim() || undefined
  const text = read('q')
  const filters = {
    status: read('status') as Application['status'] | undefined,
    api: read('api'),
    plan: read('plan'),
    expiringBefore: query.get('ends') === 'soon' ? new Date(now + SOON_MS) : undefined,
    limit: PAGE_SIZE,
    after: read('after'),
  }
  const { list, get } = auth.applications
  if (text === undefined) return list(filters)
  if (text.includes('@')) return list({ ...filters, contact: text })
  if (filters.after === undefined) {
    const found = (await get(text)) ?? (await list({ ...filters, externalId: text })).items[0]
    if (found) return { items: [found] }
  }
  return list({ ...filters, name: text })
}

function renderSearch({ auth, planNames }: Site, { root, texts, query }: Visit): Html {
  const select = (name: string, label: string, options: readonly (readonly [value: string, text: string])[]): Html =>
    html`<div class="field">
      <label for="${name}">${label}</label>
      <select id="${name}" name="${name}">
        <option value="">${texts.any}</option>
        ${options.map(([value, text]) => html`<option value="${value}" ${query.get(name) === value && html` selected`}>${text}</option>`)}
      </select>
    </div> `
  return html`<form class="search" role="search" action="${root}/applications">
    <div class="field">
      <label for="q">${texts.search}</label>
      <input
        id="q"
        name="q"
        type="search"
        value="${query.get('q') ?? ''}"
        maxlength="254"
        placeholder="${texts.searchHint}"
      />
    </div>
    ${select('status', texts.status, Object.entries(texts.statuses))}
    ${select(
      'api',
      texts.api,
      auth.apis.map(({ name, title }) => [name, title]),
    )}
    ${
      planNames.length > 0 &&
      select(
        'plan',
        texts.plan,
        planNames.map((name) => [name, name]),
      )
    }
    ${select('ends', texts.ends, [['soon', texts.within30]])}
    <p>
      <button>${texts.show}</button>
      <a class="button quiet" href="${root}/applications">${texts.clear}</a>
    </p>
  </form>`
}

function listColumns({ columns }: OperatorTexts) {
  return [
    { title: columns.name },
    { title: columns.status },
    { title: columns.calls, isNumber: true },
    { title: columns.refused, isNumber: true },
    { title: columns.quota },
    { title: columns.lastUse },
  ]
}

async function renderRow(site: Site, visit: Visit, application: Application) {
  const { texts, language } = visit
  const { count, percent } = getFormats(language)
  const [usage, plan] = await Promise.all([readUsage(site, visit, application.id), readPlan(site, visit, application)])
  const { calls, refused } = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const lastUse = findLastUse(application)
  return [
    html`${renderApplicationLink(visit, application)}${application.contact !== undefined && html`<span class="facts-line">${application.contact}</span>`}`,
    renderStatus(application.status, texts),
    usage && count.format(calls),
    usage &&
      (refused > 0
        ? html`${count.format(refused)} <span class="soft">${percent.format(refused / calls)}</span>`
        : count.format(0)),
    quota &&
      html`${renderBar(texts.quotaUsed, quota.used, quota.limit)}<span class="soft"
          >${percent.format(quota.used / quota.limit)} / ${count.format(quota.limit)}</span
        >`,
    lastUse ? renderTime(lastUse, visit) : html`<span class="soft">${texts.never}</span>`,
  ]
}

/** What a link to an application needs. */
export type NamedApplication = Pick<Application, 'id' | 'name'> & Partial<Pick<Application, 'status' | 'contact'>>

export function renderApplicationLink(
  { root, texts }: Pick<Visit, 'root' | 'texts'>,
  application: NamedApplication,
): Html {
  const { id, name, status } = application
  const label = name !== '' ? name : status === 'deleted' || status === undefined ? texts.deletedName : texts.unnamed
  return html`<a href="${root}/applications/${encodeURIComponent(id)}">${label}</a>`
}

const TONES = { pending: 'warn', active: 'good', suspended: 'bad', deleted: undefined } as const

export function renderStatus(status: Application['status'], { statuses }: OperatorTexts): Html {
  return renderPill(statuses[status], TONES[status])
}

/** What stands where a page has nothing to list. */
export function renderEmptyCard(heading: string, empty: Parameters<typeof renderEmpty>[0], content?: Html): Html {
  return html`<div class="card">
    <h2 class="unseen">${heading}</h2>
    ${renderEmpty(empty, content)}
  </div>`
}
