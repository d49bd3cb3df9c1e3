import type { Application, AuditEntry } from '../../index.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import type { GrantedApis } from '../../shared/contracts/application-record.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { formatGrants } from '../../shared/web/formats.js'
import { renderDateTime } from '../../shared/web/times.js'
import { fillHtml, html, type Html } from '../../shared/web/html.js'
import { hideContact } from '../operations/schemas.js'
import { search } from './applications-page.js'
import { describeMailProblem } from './emails-page.js'
import { findTitle, formatCsv, renderApplicationLink, renderItem, shortenKid } from './formats.js'
import { PAGE_SIZE, readEntries, readQuery, renderFile, renderList } from './list-page.js'
import { maySeeNames, type Answer, type Visit } from './visit.js'

/** A file has at most so many pages of 1,000 rows. */
const MAX_FILE_PAGES = 10

export async function answerAudit(visit: Visit, isFile: boolean): Promise<Answer> {
  const { auth, texts, now, root } = visit
  const readDate = (name: string, days: number): Date | undefined => {
    const day = readQuery(visit, name)
    return day === undefined ? undefined : new Date(Date.parse(day) + days * DAY_MS)
  }
  // Only who may see contacts sees a contact's address.
  const showActor = (by: string | undefined) => (maySeeNames(visit) ? by : hideContact(by))
  const filter = {
    order: 'newest',
    applicationId: await findApplication(visit, readQuery(visit, 'application')),
    type: readQuery(visit, 'type') as 'application.updated' | undefined,
    by: await findActor(auth, readQuery(visit, 'by'), showActor),
    from: readDate('from', 0),
    // The day that is entered is the last one.
    until: readDate('until', 1),
  } as const
  if (isFile) {
    const all = await readEntries((page) => auth.audit.list({ ...filter, ...page }), MAX_FILE_PAGES)
    const rows = all.map(({ at, type, by, applicationId, details }) => {
      return [at.toISOString(), type, showActor(by), applicationId, details]
    })
    return { name: `audit-${formatDay(now)}`, csv: formatCsv('at type by application details', rows) }
  }
  const { items, next } = await auth.audit.list({ ...filter, after: readQuery(visit, 'after'), limit: PAGE_SIZE })
  const ids = maySeeNames(visit) ? [...new Set(items.flatMap(({ applicationId }) => applicationId ?? []))] : []
  const named = await Promise.all(ids.map((id) => auth.applications.get(id)))
  const shown = items.map((change) => ({ ...change, by: showActor(change.by) }))
  const rows = renderChanges(visit, shown, (id) => {
    const application = named.find((each) => each?.id === id)
    if (application && application.name !== '') return renderApplicationLink(visit, application)
    return id !== undefined && html`<a href="${root}/applications/${id}"><code>${id.slice(0, 12)}&hellip;</code></a>`
  })
  const types = Object.entries(texts.changes).flatMap(([name, sentence]) =>
    name.split('.').length === 2 ? [[name, sentence.replaceAll(/\{\w+\}/g, '\u2026')] as const] : [],
  )
  return renderList(visit, {
    tab: 'audit',
    rows,
    count: items.length,
    next,
    search: [
      { name: 'type', label: texts.labels.change, choices: [['', texts.any], ...types] },
      { name: 'by', label: texts.labels.by, hint: 'alice@example.com' },
      { name: 'application', label: texts.labels.application },
      { name: 'from', label: texts.labels.since, type: 'date' },
      { name: 'until', label: texts.labels.until, type: 'date' },
    ],
    actions: rows.length > 0 && renderFile(visit, 'audit', texts.tabs.audit),
    empty: { title: texts.noAudit },
  })
}

/** Rows show an actor without its kind. Whoever sees no contact finds none. Each question reads one row, by the index of actors. */
async function findActor(
  { audit }: Visit['auth'],
  given: string | undefined,
  showActor: (by: string | undefined) => string | undefined,
): Promise<string | undefined> {
  for (const kind of given === undefined ? [] : ['', 'operator:', 'contact:']) {
    const by = showActor(`${kind}${given}`)
    const { items } = await audit.list({ by, limit: 1 })
    if (items.length > 0) return by
  }
  return showActor(given)
}

/** The id of what a search finds alone, or by its whole name. */
async function findApplication({ auth, may }: Visit, given: string | undefined): Promise<string | undefined> {
  if (given === undefined || isApplicationId(given) || !may('applications.list')) return given
  const { items } = await search(auth, {}, given)
  return (items.length === 1 ? items[0] : items.find(({ name }) => name === given))?.id ?? given
}

/** Changes below their days. `name`: how an application is called. */
export function renderChanges(
  visit: Visit,
  changes: readonly Change[],
  name: (id: string | undefined) => Html | string | false,
): readonly Html[] {
  const days = changes.map(({ at }) => visit.formats.date.format(at))
  return changes.map((change, at) => {
    const day = days[at] !== days[at - 1] && html`<li class="day">${days[at]}</li>`
    return html`${day} ${renderChange(visit, change, name(change.applicationId))}`
  })
}

type Change = Omit<AuditEntry, 'by'> & { readonly by?: string | undefined }

/** Who did what to which application, in a sentence, with the name of the event and its details. They never hold a secret. */
export function renderChange(
  visit: Visit,
  { type, by, at, details }: Change,
  application: Html | string | false,
): Html {
  const { texts } = visit
  const own = ownMembers<Readonly<Record<string, unknown>>>(details)
  const { allowed, disallowed, api = allowed ?? disallowed, changed } = own
  const members = Array.isArray(changed) ? (changed as unknown[]) : []
  const keys = [`${type}.${members.join('.')}`, ...(disallowed === undefined ? [] : [`${type}.removed`]), type]
  const sentence = keys.map((key) => ownMembers<Words>(texts.changes)[key]).find(Boolean) ?? type
  const actor = describeActor(by, texts)
  const named = ['name', 'purpose', 'plan'].map((member) => [member, describeValue(visit, member, own[member] ?? '')])
  const words: Readonly<Record<string, Html | string>> = {
    by: html`<strong title="${by}">${actor}</strong>`,
    application: html`${application}`,
    api: typeof api === 'string' ? findTitle(visit, api) : texts.labels.api,
    ...Object.fromEntries(named),
  }
  const facts = Object.entries(details).map(([member, value]) => {
    const isSaid = member === 'credentialId' || sentence.includes(`{${member.endsWith('allowed') ? 'api' : member}}`)
    // What has changed to a value is said with the value.
    const left = member === 'changed' ? members.filter((each) => !(String(each) in own)) : value
    const isCount = typeof left === 'number' && /contacts|invitations/i.test(member)
    const isSaidByKeys = member === 'credential' && Object.hasOwn(own, 'keySet')
    const isNothing = (Array.isArray(left) && left.length === 0) || left === 'private_key_jwt'
    if (isSaid || isCount || isSaidByKeys || isNothing) return false
    return html`${labelMember(member, texts)}${left !== true && html`: ${describeValue(visit, member, left)}`}`
  })
  return renderItem(
    fillHtml(sentence, words),
    [html`<code>${type}</code>`, ...facts],
    html`<p class="age"><time datetime="${at.toISOString()}">${visit.formats.time.format(at)}</time></p>`,
  )
}

type Words = Readonly<Record<string, string>>

export function describeActor(by: string | undefined, { platform, someContact }: Visit['texts']): string {
  return by === undefined ? platform : by === 'contact' ? someContact : by.replace(/^(?:operator|contact):/, '')
}

export function describeLimit(limit: Application['rateLimits'][string] | null, texts: Visit['texts']): string {
  return limit ? fillText(texts.ownLimit, { limit: limit.limit, window: limit.window }) : texts.none
}

function labelMember(member: string, { labels, contacts, kinds }: Visit['texts']): string {
  const others = { contacts, keySet: kinds.keySet, notified: labels.notify, tokensRevoked: labels.revokeTokens }
  return ownMembers<Words>({ ...labels, ...others })[member] ?? member
}

function describeValue(visit: Visit, member: string, value: unknown): Html | string {
  const { texts } = visit
  const { purposes, overlaps, byEmail: email, kinds } = texts
  const lists: Readonly<Record<string, Words>> = { purpose: purposes, cancelledEmails: purposes, overlap: overlaps }
  const words = ownMembers<Words>({ email, ...kinds, ...ownMembers(lists)[member] })
  const describe = (each: unknown): string =>
    member === 'changed' ? labelMember(String(each), texts) : (words[String(each)] ?? String(each))
  if (value === null) return texts.none
  if (member === 'kid' && typeof value === 'string') return html`<code>${shortenKid(value)}</code>`
  if (member === 'problem' && typeof value === 'string') return describeMailProblem(value, texts)
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.map(describe).join(', ')
  if (member === 'apis' && isObject(value)) return formatGrants(value as GrantedApis, (api) => findTitle(visit, api))
  if (member === 'rateLimits' && isObject(value)) {
    const limits = Object.entries(value as Application['rateLimits'])
    return limits.map(([api, limit]) => `${findTitle(visit, api)}, ${describeLimit(limit, texts)}`).join('; ')
  }
  if (isObject(value))
    return html`<code>${typeof value['jwksUri'] === 'string' ? value['jwksUri'] : JSON.stringify(value)}</code>`
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
  return isTime ? renderDateTime(new Date(value), visit) : describe(value)
}
