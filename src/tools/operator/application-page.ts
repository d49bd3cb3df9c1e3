import type { Application, AuditEntry } from '../../index.js'
import type { PlanUsage, UsageEntry } from '../../shared/contracts/usage-entries.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { formatKeySet } from '../../shared/lib/key-set-text.js'
import { hasOwnMember, ownMembers } from '../../shared/lib/own-members.js'
import { formatGrants } from '../../shared/web/formats.js'
import { renderDateTime } from '../../shared/web/times.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderCopyButton } from '../../shared/web/first-steps.js'
import { FRAME_TEXTS, renderContents } from '../../shared/web/page-frame.js'
import { renderCard, renderChip, renderNotice, renderPill, renderRows, renderTiles } from '../../shared/web/parts.js'
import {
  describeRefused,
  findFullestQuota,
  findQuotaTone,
  renderDays,
  renderRefusals,
  sumByDay,
  sumUsage,
} from '../../shared/web/usage-figures.js'
import { ACTIONS, labelAction, renderActions, renderDone, type ActionName } from './actions.js'
import { describeQuota, renderStatus, SOON_MS } from './applications-page.js'
import { describeActor, describeLimit, renderChanges } from './audit-page.js'
import { renderEmail } from './emails-page.js'
import { readPlan, readUsage, renderNoUsage } from './usage-page.js'
import { fillTime, findTitle, renderAge, renderCells, renderItem, renderSection } from './formats.js'
import { listGrantable, type Answer, type Visit } from './visit.js'

const MAX_AUDIT = 8
/** The last suspension is among so many changes, as a suspended application changes seldom. */
const MAX_SEARCHED = 100
const MAX_EMAILS = 20

/** All that is known of one application. Each part is there if the operator may see it. */
export async function answerApplication(visit: Visit): Promise<Answer | undefined> {
  const { auth, core, texts, path } = visit
  const [, id = ''] = path
  await core.lastUsed.flush()
  const application = await auth.applications.get(id)
  if (!application) return undefined
  const [usage, plan, refusals, emails, changes] = await Promise.all([
    readUsage(visit, id),
    readPlan(visit, application),
    listRefusals(visit, application),
    renderEmails(visit, application),
    readChanges(visit, application),
  ])
  const { name, contact, status } = application
  const isAlive = status !== 'deleted'
  // Before it is approved it has no credentials, and makes no calls.
  const wasApproved = status !== 'pending'
  const main: readonly Part[] = [
    ['usage', texts.tabs.usage, usage && wasApproved && renderUsage(visit, usage, application.apis)],
    ['refusals', texts.refusals, refusals],
    ['credentials', texts.credentials, isAlive && wasApproved && renderCredentials(visit, application)],
    ['access', texts.access, isAlive && renderAccess(visit, application)],
    ['audit', texts.tabs.audit, changes && renderAudit(visit, application, changes)],
  ]
  const side: readonly Part[] = [
    ['settings', texts.settings, renderFacts(visit, application)],
    ['contacts', texts.contacts, isAlive && renderContacts(visit, application)],
    ['emails', texts.tabs.emails, emails],
    ['danger', texts.dangerZone, renderDanger(visit, 'danger', application)],
  ]
  const contents = [...main, ...side].filter(([, , part]) => part)
  const frame = FRAME_TEXTS[visit.language]
  return {
    heading: name !== '' ? name : texts.deletedName,
    tab: 'applications',
    parent: ['/applications', texts.tabs.applications],
    actions: renderActions(visit, 'top', { application, isMain: true, shown: 2 }),
    state: html`${renderStatus(status, texts)}
      <p class="facts">
        ${contact !== undefined && html`<span>${contact}</span>`}
        <span>${fillTime(texts.created, application.createdAt, visit)}</span>
        <span class="copyable"><code>${id}</code>${renderCopyButton(texts.labels.application, frame)}</span>
      </p>`,
    content: html`${renderDone(visit)} ${status === 'suspended' && renderSuspension(visit, changes)}
      ${wasApproved && renderSummary(visit, application, usage, plan)} ${renderContents(contents, visit)}
      <div class="columns">${[main, side].map((parts) => html`<div>${parts.map(([, , part]) => part)}</div>`)}</div>`,
  }
}

type Part = readonly [id: string, title: string, content: Html | false | undefined]

function renderSuspension(visit: Visit, changes: readonly AuditEntry[] = []): Html {
  const { texts } = visit
  const { at, by, details } = changes.find(({ type }) => type === 'application.suspended') ?? {}
  const { reason } = ownMembers<{ readonly reason?: unknown }>({ ...details })
  const since = at && fillTime(texts.suspendedBy, at, visit, { by: describeActor(by, texts) })
  const why = typeof reason === 'string' && `${texts.labels.reason}: ${reason}`
  return renderNotice(html`<p>${since} ${texts.warnings.suspend} ${why}</p>`, 'bad')
}

function renderSummary(
  visit: Visit,
  { lastUsedAt }: Application,
  usage: readonly UsageEntry[] | undefined,
  plan: PlanUsage | undefined,
): Html {
  const { texts, language, formats } = visit
  const { calls, refusedIn30: refused, quota: used, lastUse } = texts.labels
  const sum = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const counts = [{ label: calls, value: formats.count.format(sum.calls) }, describeRefused(refused, sum, language)]
  return renderTiles([
    ...(usage ? counts : []),
    quota
      ? {
          label: used,
          value: formats.percent.format(quota.used / quota.limit),
          note: describeQuota(quota, visit, html`, ${fillTime(texts.resets, quota.endsAt, visit)}`),
          tone: findQuotaTone(quota),
        }
      : { label: used, value: html`<span class="soft">${texts.noQuota}</span>` },
    {
      label: lastUse,
      value: lastUsedAt ? renderAge(lastUsedAt, visit) : html`<span class="soft">${texts.uses.never}</span>`,
    },
  ])
}

function renderUsage(visit: Visit, usage: readonly UsageEntry[], apis: Application['apis']): Html {
  const { texts, language, now } = visit
  const head = { title: texts.tabs.usage, id: 'usage' }
  if (usage.length === 0) return renderCard(head, renderNoUsage(visit, apis))
  const rows = [...new Set(usage.map(({ api }) => api))].map((api) => {
    const { calls, refused, tokens } = sumUsage(usage.filter((entry) => entry.api === api))
    return [findTitle(visit, api), calls - refused, refused, tokens]
  })
  const plot = renderDays(
    { id: 'days', label: head.title, countsOfDay: texts.countsOfDay },
    sumByDay(usage, now),
    language,
  )
  const table = renderCells(visit, head.title, 'api #allowed #refused #tokens', rows)
  return renderCard(
    head,
    html`<div class="inside">${plot}</div>
      ${table}`,
  )
}

async function listRefusals(visit: Visit, application: Application): Promise<Html | false> {
  const { core, texts, may, language } = visit
  const usage = core.find('usage')
  if (!usage || !may('usage.refusals')) return false
  const { items } = await usage.countRefusals(application.id, language)
  const rows = renderRefusals(items, (api) => findTitle(visit, api), visit)
  const wasCalled = items.length > 0 || application.lastUsedAt !== undefined
  return wasCalled && renderCard({ title: texts.refusals, id: 'refusals' }, rows)
}

function renderCredentials(visit: Visit, application: Application): Html {
  const { texts } = visit
  const { keys, secrets } = application
  const rows = [...keys, ...secrets].map((credential) => {
    const { id, name, prefix, createdAt, lastUsedAt, expiresAt, apis, networks, keySet } = credential
    const ofSecret = keySet ? 'keySet' : 'secret'
    const kind = keys.includes(credential) ? 'key' : ofSecret
    const since = keySet && hasOwnMember(keySet, 'jwksUri') ? keySet.unreadableSince : undefined
    const isSoon = expiresAt && expiresAt.getTime() - visit.now < SOON_MS
    const shown = keySet ? formatKeySet(keySet) : [`${prefix}\u2026`]
    return renderItem(
      html`${name} ${renderPill(texts.kinds[kind])}`,
      [
        ...shown.map((each) => html`<code>${each}</code>`),
        lastUsedAt ? fillTime(texts.lastUsed, lastUsedAt, visit) : texts.neverUsed,
        since && html`<span class="wrong">${fillTime(texts.unreadable, since, visit)}</span>`,
        expiresAt && html`<span class="${isSoon && 'warn'}">${fillTime(texts.expires, expiresAt, visit)}</span>`,
        fillTime(texts.created, createdAt, visit),
        apis && fillText(texts.onlyFor, { apis: formatGrants(apis, (api) => findTitle(visit, api)) }),
        networks && fillText(texts.onlyFrom, { networks: networks.join(', ') }),
      ],
      renderActions(visit, `${kind} credential`, { application, query: { credential: id }, subject: name }),
    )
  })
  const actions = renderActions(visit, 'credentials', { application, subject: texts.credentials, shown: 3 })
  return renderSection(texts.credentials, rows, { id: 'credentials', empty: texts.noCredentials, actions })
}

function renderAccess(visit: Visit, application: Application): Html {
  const { auth, texts } = visit
  const { apis: granted, accessRequests, rateLimits, status } = application
  const isPending = status === 'pending'
  const known = listGrantable(visit).map(({ name }) => name)
  const others = Object.keys(granted).filter((name) => isPending || !known.includes(name))
  const names = isPending ? others : [...known, ...others]
  const rows = names.map((name) => {
    const title = findTitle(visit, name)
    const hasScopes = Object.keys(auth.apis.find((api) => api.name === name)?.scopes ?? {}).length > 0
    const grant = ownMembers(granted)[name]
    const request = accessRequests.find(({ api }) => api === name)
    const limit = ownMembers(rateLimits)[name]
    const scopes = (request ?? grant)?.scopes ?? []
    const place = isPending ? '' : request ? 'request' : grant ? 'api' : 'otherApi'
    const waiting = request ? texts.waiting : grant && isPending && texts.statuses.pending
    const state = waiting ? renderPill(waiting, 'warn') : grant && renderPill(texts.granted, 'good')
    return renderItem(
      html`${title} ${state}`,
      [
        request && fillTime(texts.requested, request.requestedAt, visit, { by: describeActor(request.by, texts) }),
        !request && !grant && texts.notSignedIn,
        ...scopes.map((scope) => renderChip(scope)),
        limit && `${texts.labels.rateLimits}: ${describeLimit(limit, texts)}`,
        limit?.until && fillTime(texts.limitEnds, limit.until, visit),
      ],
      renderActions(visit, place, {
        application,
        query: { api: name },
        subject: title,
        shown: request ? 2 : 1,
        except: hasScopes ? [] : ['allow'],
      }),
    )
  })
  return renderSection(texts.access, rows, { id: 'access' })
}

function renderContacts(visit: Visit, application: Application): Html {
  const { texts } = visit
  const { contacts, invitations } = application
  const rows = [
    ...contacts.map((address, at) => ({ place: 'contact', address, at, fact: at === 0 && texts.getsEmails })),
    ...invitations.map(({ address, expiresAt }, at) => {
      return { place: 'invitation', address, at, fact: fillTime(texts.invited, expiresAt, visit) }
    }),
  ].map(({ place, address, at, fact }) => {
    const about = { application, query: { at: String(at) }, subject: address, shown: 0 }
    return renderItem(address, [fact], renderActions(visit, place, about))
  })
  const actions = renderActions(visit, 'contacts', { application, subject: texts.contacts })
  return renderSection(texts.contacts, rows, { id: 'contacts', empty: texts.noContact, actions })
}

export function renderDanger(visit: Visit, place: string, application?: Application): Html | false {
  const { texts } = visit
  const names = (Object.keys(ACTIONS) as ActionName[]).filter((name) => ACTIONS[name].place === place)
  const rows = names.flatMap((name) => {
    const except = names.filter((each) => each !== name)
    const actions = renderActions(visit, place, { application, except })
    const warning = texts.warnings[name as keyof typeof texts.warnings]
    return actions ? [renderItem(labelAction(name, texts), [warning], actions)] : []
  })
  return rows.length > 0 && renderCard({ title: texts.dangerZone, id: 'danger', isDanger: true }, renderRows(rows))
}

function renderFacts(visit: Visit, application: Application): Html {
  const { texts, formats } = visit
  const { labels } = texts
  const { externalId, plan, networks, acceptedTerms, metadata, resourceServer, language } = application
  const rows: readonly (readonly [string, Html | string | undefined])[] = [
    [labels.plan, plan ?? texts.none],
    [labels.networks, networks ? html`${networks.map((each) => html`${renderChip(each)} `)}` : texts.any],
    [labels.resourceServer, resourceServer?.map((each) => findTitle(visit, each)).join(', ')],
    [labels.language, formats.language.of(language ?? 'en')],
    [labels.terms, acceptedTerms && html`${acceptedTerms.version}, ${renderDateTime(acceptedTerms.at, visit)}`],
    [labels.externalId, externalId],
    [labels.metadata, metadata && html`${Object.entries(metadata).map(renderMember)}`],
  ]
  return renderCard(
    { title: texts.settings, id: 'settings', actions: renderActions(visit, 'settings', { application }) },
    html`<dl class="settings">
      ${rows.map(
        ([name, value]) =>
          value !== undefined &&
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div> `,
      )}
    </dl>`,
  )
}

function renderMember([name, value]: readonly [string, unknown]): Html {
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)
  return html`<span><span class="soft">${name}</span> ${text}</span> `
}

async function renderEmails(visit: Visit, application: Application): Promise<Html | false> {
  const { auth, texts, may } = visit
  if (!may('emails.list')) return false
  const { items } = await auth.emails!.list({ applicationId: application.id, limit: MAX_EMAILS })
  const rows = items.map((email) => renderEmail(visit, email, false))
  const isHeld = items.every(({ state }) => state === 'held')
  const actions = renderActions(visit, 'emails', { application, except: isHeld ? ['retryEmails', 'cancelEmails'] : [] })
  return rows.length > 0 && renderSection(texts.tabs.emails, rows, { id: 'emails', actions })
}

async function readChanges({ auth, may }: Visit, { id, status }: Application) {
  if (!may('audit.list')) return undefined
  const limit = status === 'suspended' ? MAX_SEARCHED : MAX_AUDIT
  return (await auth.audit.list({ applicationId: id, order: 'newest', limit })).items
}

function renderAudit(visit: Visit, { id, name }: Application, changes: readonly AuditEntry[]): Html {
  const { texts, root } = visit
  const rows = renderChanges(visit, changes.slice(0, MAX_AUDIT), () => name || id)
  const actions = html`<a class="action" href="${root}/audit?application=${id}">${texts.allEvents}</a>`
  return renderSection(texts.tabs.audit, rows, { id: 'audit', empty: texts.noAudit, actions })
}
