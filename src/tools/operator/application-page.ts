import type { Application } from '../../index.js'
import type { PlanUsage } from '../../shared/contracts/plan-usage.js'
import type { UsageEntry } from '../../shared/contracts/usage-entries.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { html, renderPlain, type Html } from '../../shared/web/html.js'
import {
  renderBar,
  renderCard,
  renderChip,
  renderEmpty,
  renderPill,
  renderProperty,
  renderTiles,
} from '../../shared/web/parts.js'
import { renderDone } from './action-page.js'
import { renderActions } from './actions.js'
import { renderAccess, renderContacts, renderCredentials, renderDanger } from './application-sections.js'
import { renderStatus } from './applications-page.js'
import { renderChange } from './audit.js'
import { readPlan, readUsage } from './figures.js'
import {
  describeRefused,
  findFullestQuota,
  findQuotaTone,
  renderDays,
  sumByDay,
  sumUsage,
} from '../../shared/web/usage-figures.js'
import { fillTime, findTitle, renderAge, renderCells, renderItem, renderSection, renderTime } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import { renderNoUsage } from './usage-page.js'
import type { Answer, Site, Visit } from './visit.js'

const MAX_AUDIT = 8
const MAX_EMAILS = 20

/** All that is known of one application. Each part is there if the operator may see it. */
export async function answerApplication(site: Site, visit: Visit): Promise<Answer | undefined> {
  const { texts, path } = visit
  const [, id = ''] = path
  await site.core.lastUsed.flush()
  const application = await site.auth.applications.get(id)
  if (!application) return undefined
  const [usage, plan, refusals, emails, audit] = await Promise.all([
    readUsage(site, visit, id),
    readPlan(site, visit, application),
    renderRefusals(site, visit, application),
    renderEmails(site, visit, application),
    renderAudit(site, visit, application),
  ])
  const { name, contact, status } = application
  const isAlive = status !== 'deleted'
  return {
    heading: name !== '' ? name : texts.deletedName,
    tab: 'applications',
    parent: ['/applications', texts.tabs.applications],
    actions: renderActions(site, visit, 'top', { application, isMain: true, shown: 2 }),
    content: html`<p class="facts-line">
        ${renderStatus(status, texts)} ${contact !== undefined && html`<span>${contact}</span>`} <code>${id}</code>
      </p>
      ${renderDone(visit)} ${renderSummary(visit, application, usage, plan)}
      <div class="columns">
        <div>
          ${usage && renderUsage(site, visit, usage)} ${refusals}
          ${isAlive && html`${renderCredentials(site, visit, application)} ${renderAccess(site, visit, application)}`}
        </div>
        <div>
          ${renderFacts(site, visit, application)} ${isAlive && renderContacts(site, visit, application)} ${emails}
          ${renderDanger(site, visit, application)}
        </div>
      </div>
      ${audit}`,
  }
}

function renderSummary(
  visit: Visit,
  application: Application,
  usage: readonly UsageEntry[] | undefined,
  plan: PlanUsage | undefined,
): Html {
  const { texts, language } = visit
  const { count, percent } = getFormats(language)
  const sum = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const { lastUsedAt } = application
  const { calls30, quotaUsed, labels } = texts
  return renderTiles([
    ...(usage
      ? [{ label: calls30, value: count.format(sum.calls) }, describeRefused(labels.refused, sum, language)]
      : []),
    quota
      ? {
          label: quotaUsed,
          value: percent.format(quota.used / quota.limit),
          note: html`${fillText(texts.ofLimit, { share: count.format(quota.used), limit: count.format(quota.limit) })},
          ${fillTime(texts.resets, quota.endsAt, visit)}${renderBar(quotaUsed, quota.used, quota.limit)}`,
          tone: findQuotaTone(quota),
        }
      : { label: quotaUsed, value: texts.none, tone: 'word' },
    { label: labels.lastUse, value: lastUsedAt ? renderAge(lastUsedAt, visit) : texts.uses.never, tone: 'word' },
  ])
}

function renderUsage(site: Site, visit: Visit, usage: readonly UsageEntry[]): Html {
  const { texts, language, now } = visit
  const { count } = getFormats(language)
  if (usage.length === 0) return renderCard({ title: texts.tabs.usage, level: 2 }, renderNoUsage(site, visit))
  const apis = [...new Set(usage.map(({ api }) => api))]
  const rows = apis.map((api) => {
    const { calls, refused, tokens } = sumUsage(usage.filter((entry) => entry.api === api))
    return [findTitle(site, api), ...[calls - refused, refused, tokens].map((each) => count.format(each))]
  })
  const table = renderCells(texts.tabs.usage, texts, 'api #allowed #refused #tokens', rows)
  return renderCard(
    { title: texts.tabs.usage, level: 2 },
    html`<div class="inside">
        ${renderDays({ id: 'days', label: texts.tabs.usage, countsOfDay: texts.countsOfDay }, sumByDay(usage, now), language)}
      </div>
      ${table}`,
  )
}

async function renderRefusals(site: Site, visit: Visit, { id }: Application): Promise<Html | false> {
  const { texts, may, language } = visit
  const usage = site.core.find('usage')
  if (!usage || !may('usage.refusals')) return false
  const { items } = await usage.countRefusals(id, language)
  const rows = items.map(({ at, count, api, error, problem, fix, route, address, requestId }) => {
    const text = count > 1 ? texts.times : '{time}'
    return html`<li>
      <h3>${problem}</h3>
      <p class="soft">${renderPlain(fix)}</p>
      <p class="facts-line">
        <span>${fillTime(text, at, visit, { count: String(count) })}</span>
        ${route === undefined && html`<span>${findTitle(site, api)}</span>`}
        ${[route, error, address, requestId].map((each) => each !== undefined && html`<code>${each}</code>`)}
      </p>
    </li> `
  })
  const empty = renderEmpty({ title: texts.noRefusals, isGood: true })
  return html`<div id="refusals">${renderSection(texts.refusals, rows, { empty })}</div>`
}

function renderFacts(site: Site, visit: Visit, application: Application): Html {
  const { texts, language } = visit
  const { labels } = texts
  const { externalId, plan, networks, acceptedTerms, createdAt, metadata, resourceServer } = application
  const chips = (values: readonly string[]): Html => html`${values.map((each) => html`${renderChip(each)} `)}`
  const rows: readonly (readonly [string, Html | string | undefined])[] = [
    [labels.plan, plan],
    [labels.networks, networks ? chips(networks) : texts.any],
    ...(resourceServer
      ? [[labels.resourceServer, resourceServer.map((each) => findTitle(site, each)).join(', ')] as const]
      : []),
    [labels.language, getFormats(language).language.of(application.language ?? 'en')],
    [labels.terms, acceptedTerms && html`${acceptedTerms.version}, ${renderTime(acceptedTerms.at, visit)}`],
    [labels.created, renderTime(createdAt, visit)],
    [labels.externalId, externalId],
    [labels.metadata, metadata && html`${Object.entries(metadata).map(renderMember)}`],
  ]
  return renderCard(
    { title: texts.settings, level: 2, actions: renderActions(site, visit, 'settings', { application }) },
    html`<ul class="properties">
      ${rows.map(([name, about]) => renderProperty({ name, about: about ?? html`<span class="soft">${texts.none}</span>` }))}
    </ul>`,
  )
}

function renderMember([name, value]: readonly [string, unknown]): Html {
  return html`<span class="pair"
    ><span class="soft">${name}</span>
    ${Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)}</span
  > `
}

async function renderEmails(site: Site, visit: Visit, application: Application): Promise<Html | false> {
  const { texts, may } = visit
  const { emails } = site.auth
  if (!may('emails.list') || !emails) return false
  const { items } = await emails.list({ applicationId: application.id, limit: MAX_EMAILS })
  const rows = items.map(({ purpose, state, problem, createdAt }) => {
    const tone = state === 'failed' ? 'bad' : state === 'due' ? 'info' : undefined
    return renderItem(html`${texts.purposes[purpose]} ${renderPill(texts.emailStates[state], tone)}`, [
      renderTime(createdAt, visit),
      problem !== undefined && html`<span class="warn">${problem}</span>`,
    ])
  })
  const actions = rows.length > 0 && renderActions(site, visit, 'emails', { application })
  return renderSection(texts.tabs.emails, rows, {
    empty: renderEmpty({ title: texts.noEmails, isGood: true }),
    actions,
  })
}

async function renderAudit(site: Site, visit: Visit, { id, name }: Application): Promise<Html | false> {
  const { texts, may, root } = visit
  if (!may('audit.list')) return false
  const { items } = await site.auth.audit.list({ applicationId: id, order: 'newest', limit: MAX_AUDIT })
  const rows = items.map((change) => renderChange(site, visit, change, name || id))
  const actions = html`<a class="action" href="${root}/audit?application=${id}">${texts.more}</a>`
  return renderSection(texts.tabs.audit, rows, { empty: texts.noAudit, actions })
}
