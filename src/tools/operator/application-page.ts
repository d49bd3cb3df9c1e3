import type { Application, AuditEntry } from '../../index.js'
import type { PlanUsage } from '../../shared/contracts/plan-usage.js'
import type { UsageEntry } from '../../shared/contracts/usage-entries.js'
import { fillIn } from '../../shared/lib/fill-in.js'
import { html, type Html } from '../../shared/web/html.js'
import {
  renderBar,
  renderCard,
  renderChip,
  renderEmpty,
  renderPill,
  renderProperty,
  renderRows,
  renderTable,
  renderTiles,
} from '../../shared/web/parts.js'
import { renderDone } from './action-page.js'
import { renderActions } from './actions.js'
import { renderAccess, renderContacts, renderCredentials } from './application-sections.js'
import { renderStatus } from './applications-page.js'
import { countRefused, findFullestQuota, findLastUse, readPlan, readUsage, renderDays, sumUsage } from './figures.js'
import { renderTime } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import type { Answer, Site, Visit } from './visit.js'

const MAX_AUDIT = 15
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
  return {
    heading: name !== '' ? name : texts.deletedName,
    tab: 'applications',
    parent: ['/applications', texts.tabs.applications],
    content: html`${renderDone(visit)}
      <p class="facts-line">
        ${renderStatus(status, texts)} ${contact !== undefined && html`<span>${contact}</span>`} <span>${id}</span>
      </p>
      ${renderActions(site, visit, 'top', { application })} ${renderSummary(visit, application, usage, plan)}
      <div class="columns">
        <div>
          ${usage && renderUsage(visit, usage)} ${refusals} ${renderCredentials(site, visit, application)}
          ${renderAccess(site, visit, application)} ${audit}
        </div>
        <div>
          ${renderFacts(site, visit, application)} ${renderContacts(site, visit, application)} ${emails}
          ${renderDanger(site, visit, application)}
        </div>
      </div>`,
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
  const { calls, refused } = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const lastUse = findLastUse(application)
  const isMany = refused * 10 > calls
  return renderTiles([
    ...(usage
      ? [
          { label: texts.calls30, value: count.format(calls) },
          {
            label: texts.columns.refused,
            value: count.format(refused),
            note: calls > 0 && percent.format(refused / calls),
            tone: isMany ? ('bad' as const) : undefined,
          },
        ]
      : []),
    quota
      ? {
          label: texts.quotaUsed,
          value: percent.format(quota.used / quota.limit),
          note: html`${fillIn<string | Html>(texts.ofLimit, { limit: count.format(quota.limit), end: renderTime(quota.endsAt, visit) })}${renderBar(texts.quotaUsed, quota.used, quota.limit)}`,
          tone: quota.left === 0 ? 'bad' : quota.left * 5 <= quota.limit ? 'warn' : undefined,
        }
      : { label: texts.quotaUsed, value: texts.noQuota },
    { label: texts.columns.lastUse, value: lastUse ? renderTime(lastUse, visit) : texts.never },
  ])
}

function renderUsage(visit: Visit, usage: readonly UsageEntry[]): Html {
  const { texts, language } = visit
  const { count } = getFormats(language)
  if (usage.length === 0)
    return renderCard({ title: texts.tabs.usage, level: 2 }, renderEmpty({ title: texts.noUsage }))
  const { columns } = texts
  const apis = [...new Set(usage.map(({ api }) => api))]
  const table = renderTable(
    texts.tabs.usage,
    [
      { title: columns.api },
      ...[columns.allowed, columns.refused, columns.tokens].map((title) => ({ title, isNumber: true })),
    ],
    apis.map((api) => {
      const entries = usage.filter((entry) => entry.api === api)
      const sum = (of: (entry: (typeof entries)[number]) => number): string =>
        count.format(entries.reduce((total, entry) => total + of(entry), 0))
      return [api, sum(({ allowed }) => allowed), sum(countRefused), sum(({ accessTokens }) => accessTokens)]
    }),
  )
  return renderCard(
    { title: texts.tabs.usage, level: 2 },
    html`<div class="inside">${renderDays({ id: 'days', label: texts.tabs.usage }, usage, visit)}</div>
      ${table}`,
  )
}

async function renderRefusals({ core }: Site, visit: Visit, { id }: Application): Promise<Html | false> {
  const { texts, may, language } = visit
  const usage = core.find('usage')
  if (!usage || !may('usage.refusals')) return false
  const { items } = await usage.countRefusals(id, language)
  const rows = items.map(({ at, count, api, error, problem, fix, route, address, requestId }) => {
    const time = renderTime(at, visit)
    return html`<li>
      <h3>${problem}</h3>
      <p class="soft">${fix}</p>
      <p class="facts-line">
        <span>${count > 1 ? fillIn<string | Html>(texts.times, { count: String(count), time }) : time}</span>
        ${[route ?? api, error, address, requestId].map((each) => each !== undefined && html`<code>${each}</code>`)}
      </p>
    </li> `
  })
  return renderCard(
    { title: texts.refusals, level: 2 },
    rows.length > 0 ? renderRows(rows) : renderEmpty({ title: texts.noRefusals, isGood: true }),
  )
}

function renderFacts(site: Site, visit: Visit, application: Application): Html {
  const { texts, language } = visit
  const { facts } = texts
  const {
    id,
    externalId,
    plan,
    networks,
    acceptedTerms,
    createdAt,
    metadata,
    resourceServer,
    language: ofEmails,
  } = application
  const rows: readonly (readonly [string, Html | string])[] = [
    [facts.id, html`<code>${id}</code>`],
    [facts.externalId, externalId ?? texts.none],
    [facts.plan, plan ?? texts.none],
    [facts.networks, networks ? html`${networks.map((each) => html`${renderChip(each)} `)}` : texts.anyNetwork],
    ...(resourceServer
      ? [[facts.resourceServer, html`${resourceServer.map((each) => html`${renderChip(each)} `)}`] as const]
      : []),
    [facts.language, getFormats(language).language.of(ofEmails ?? 'en') ?? ''],
    [facts.terms, acceptedTerms ? html`${acceptedTerms.version}, ${renderTime(acceptedTerms.at, visit)}` : texts.none],
    [facts.created, renderTime(createdAt, visit)],
  ]
  const data = metadata && html`<pre class="data">${JSON.stringify(metadata, undefined, 2)}</pre>`
  return renderCard(
    { title: texts.settings, level: 2, actions: renderActions(site, visit, 'settings', { application }) },
    html`<ul class="properties">
      ${rows.map(([name, about]) => renderProperty({ name, about }))}
      ${data && renderProperty({ name: facts.metadata, about: data })}
    </ul>`,
  )
}

async function renderEmails(site: Site, visit: Visit, application: Application): Promise<Html | false> {
  const { texts, may } = visit
  const { emails } = site.auth
  if (!may('emails.list') || !emails) return false
  const { items } = await emails.list({ applicationId: application.id, limit: MAX_EMAILS })
  const rows = items.map(
    ({ purpose, state, problem, createdAt }) =>
      html`<li>
        <h3>
          ${texts.purposes[purpose]}
          ${renderPill(texts.emailStates[state], state === 'failed' ? 'bad' : state === 'due' ? 'info' : undefined)}
        </h3>
        <p class="facts-line">
          <span>${renderTime(createdAt, visit)}</span>
          ${problem !== undefined && html`<span class="warn">${problem}</span>`}
        </p>
      </li> `,
  )
  return renderCard(
    {
      title: texts.tabs.emails,
      level: 2,
      actions: rows.length > 0 && renderActions(site, visit, 'emails', { application }),
    },
    rows.length > 0 ? renderRows(rows) : html`<p class="soft">${texts.noEmails}</p>`,
  )
}

/** What takes something away from the whole application. */
function renderDanger(site: Site, visit: Visit, application: Application): Html | false {
  const actions = renderActions(site, visit, 'danger', { application })
  return actions && renderCard({ title: visit.texts.dangerZone, level: 2, isDanger: true }, actions)
}

async function renderAudit({ auth }: Site, visit: Visit, { id }: Application): Promise<Html | false> {
  const { texts, may } = visit
  if (!may('audit.list')) return false
  const { items } = await auth.audit.list({ applicationId: id, order: 'newest', limit: MAX_AUDIT })
  return renderCard(
    { title: texts.tabs.audit, level: 2 },
    items.length > 0
      ? renderRows(items.map((entry) => renderAuditEntry(visit, entry)))
      : html`<p class="soft">${texts.noAudit}</p>`,
  )
}

/** One change: what, who, when, and its details. */
function renderAuditEntry(visit: Visit, { type, by, at, details }: AuditEntry): Html {
  return html`<li>
    <h3>${type}</h3>
    <p class="facts-line"><span>${renderTime(at, visit)}</span> ${by !== undefined && html`<span>${by}</span>`}</p>
    ${renderDetails(details)}
  </li> `
}

/** The details of a change, which never hold a secret. */
function renderDetails(details: AuditEntry['details']): Html | false {
  const members = Object.entries(details)
  if (members.length === 0) return false
  return html`<p class="facts-line">
    ${members.map(([name, value]) => html`<span>${name}: <code>${typeof value === 'string' ? value : JSON.stringify(value)}</code></span>`)}
  </p>`
}
