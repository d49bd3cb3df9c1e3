import type { Application } from '../../index.js'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { invalidCursor } from '../../shared/contracts/errors.js'
import type { QuotaUsage } from '../../shared/contracts/usage-entries.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderBar, renderNotice, renderPill } from '../../shared/web/parts.js'
import { countRefused, findFullestQuota, sumUsage } from '../../shared/web/usage-figures.js'
import { renderActions } from './actions.js'
import { listChoices } from './action-form.js'
import { renderAge, renderApplicationLink, renderCells } from './formats.js'
import { findPublicPart, readQuery, renderList, type SearchField } from './list-page.js'
import { readPlan, readUsage } from './usage-page.js'
import { type Answer, type Visit } from './visit.js'

/** Each row reads usage and quota of its application. */
const PAGE_SIZE = 25
/** Applications that a page of refusals or quotas, with whatever else is asked for, reads at most. */
const MAX_READ = 200
const REFUSED_DAYS = 7
export const SOON_MS = 30 * DAY_MS
const ABOVE = 80

export async function answerApplications(visit: Visit): Promise<Answer> {
  const { texts, formats } = visit
  const { items, next, searched } = await findApplications(visit)
  const rows = await Promise.all(items.map((application) => renderRow(visit, application)))
  const count = searched !== undefined && formats.count.format(searched)
  return renderList(visit, {
    tab: 'applications',
    search: listFields(visit),
    table: renderCells(visit, texts.tabs.applications, 'name status #calls #refused #lastUse quota', rows),
    count: rows.length,
    order: describeOrder(visit),
    next,
    actions: renderActions(visit, 'applications', { isMain: true }),
    before: count !== false && renderNotice(fillText(texts.searched, { count })),
    empty: { ...texts.noApplication, drawing: 'first' },
  })
}

/** The order of the index that is read for these filters; undefined where it is another one on each page. */
function describeOrder(visit: Visit): string | undefined {
  const { orders } = visit.texts
  const [q, refused, quota, ends, use] = ['q', 'refused', 'quota', 'ends', 'use'].map((name) => readQuery(visit, name))
  if (q ?? refused ?? quota) return undefined
  return ends ? orders.ends : use && use !== 'never' ? orders.used : orders.oldest
}

function listFields(visit: Visit): readonly SearchField[] {
  const { auth, planNames, texts } = visit
  const { refused, quota } = offersFilters(visit)
  const apis = auth.apis.map(({ name, title }) => [name, title] as const)
  const choose = (name: string, label: string, choices: NonNullable<SearchField['choices']>): SearchField[] =>
    choices.length > 0 ? [{ name, label, choices: [['', texts.any], ...choices] }] : []
  return [
    { name: 'q', label: texts.search, type: 'search', hint: texts.searchHint },
    ...choose('status', texts.labels.status, Object.entries(texts.statuses)),
    ...choose('api', texts.labels.api, apis),
    ...choose('plan', texts.labels.plan, listChoices(planNames)),
    ...choose('use', texts.labels.lastUse, Object.entries(texts.uses)),
    ...choose('ends', texts.credentials, [['soon', texts.within30]]),
    ...choose('refused', texts.labels.refused, refused ? [['recent', texts.uses.recent]] : []),
    ...choose('quota', texts.labels.quota, quota ? [['above', texts.above80]] : []),
  ]
}

async function renderRow(visit: Visit, application: Application) {
  const { texts } = visit
  const [usage, plan] = await Promise.all([readUsage(visit, application.id), readPlan(visit, application)])
  const { calls, refused } = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const { contact, status, lastUsedAt } = application
  const link = renderApplicationLink(visit, application)
  return [
    html`${link} ${contact !== undefined && html`<p class="facts">${contact}</p>`}`,
    status === 'active' ? html`<span class="soft on">${texts.statuses.active}</span>` : renderStatus(status, texts),
    usage && calls,
    usage && refused,
    lastUsedAt ? renderAge(lastUsedAt, visit) : html`<span class="soft">${texts.uses.never}</span>`,
    quota && describeQuota(quota, visit),
  ]
}

export function describeQuota({ used, limit }: QuotaUsage, { texts, formats: { count } }: Visit, more?: Html): Html {
  const text = fillText(texts.ofLimit, { used: count.format(used), limit: count.format(limit) })
  return html`<span class="soft">${text}${more}</span>${used > 0 && renderBar(texts.labels.quota, used, limit)}`
}

const TONES = { pending: 'warn', active: 'good', suspended: 'bad', deleted: undefined } as const

export function renderStatus(status: Application['status'], { statuses }: Visit['texts']): Html {
  return renderPill(statuses[status], TONES[status])
}

/** Reads a page of what may be what is looked for, in the order of its index. */
type Source = (after: string | undefined) => Promise<Found<Candidate>>

interface Candidate {
  readonly id: string
  readonly application?: Application
  /** The day in whose list it is, or the quota. An application is in several lists, and shown where it is first. */
  readonly day?: string
  readonly per?: string
}

interface Found<Item = Application> {
  readonly items: readonly Item[]
  readonly next?: string
  /** How many were read, if more than these, or where that ended the search. */
  readonly searched?: number
}

function offersFilters({ may }: Visit) {
  return {
    refused: may('usage.totals') && may('usage.list'),
    quota: may('plans.list') && may('plans.usage'),
  }
}

/** The filters of a search. Refusals and quotas are read by their own indexes, and looked at for each application otherwise. */
async function findApplications(visit: Visit): Promise<Found> {
  const { auth } = visit
  const offered = offersFilters(visit)
  const isRefused = offered.refused && readQuery(visit, 'refused') !== undefined
  const isFull = offered.quota && readQuery(visit, 'quota') !== undefined
  const filters = readFilters(visit)
  const text = readQuery(visit, 'q')
  const after = readQuery(visit, 'after')
  if (!isRefused && !isFull) return search(auth, filters, text, after)

  async function findFitting(candidate: Candidate): Promise<readonly Application[]> {
    const { id, day = '9999', per } = candidate
    const application = candidate.application ?? (await auth.applications.get(id))
    if (!application || !fits(application, filters)) return []
    if (isRefused) {
      const usage = (await readUsage(visit, id, REFUSED_DAYS)) ?? []
      const days = usage.filter((entry) => countRefused(entry) > 0).map(({ period }) => period)
      if (days.length === 0 || days.some((each) => each > day)) return []
    }
    const quota = isFull ? findFullestQuota(await readPlan(visit, application)) : undefined
    const isFuller = quota && quota.used * 100 >= quota.limit * ABOVE && (per === undefined || quota.per === per)
    return isFull && !isFuller ? [] : [application]
  }

  const source = text === undefined ? (isFull ? listFull(visit) : listRefused(visit)) : listSearched
  async function listSearched(from: string | undefined) {
    const { items, ...rest } = await search(auth, filters, text, from)
    return { items: items.map((application) => ({ id: application.id, application })), ...rest }
  }
  const found: Application[] = []
  let read = 0
  for (let next = after; ;) {
    const page = await source(next)
    found.push(...(await Promise.all(page.items.map(findFitting))).flat())
    read += page.searched ?? page.items.length
    if (page.next === undefined) return { items: found }
    if (found.length >= PAGE_SIZE) return { items: found, next: page.next }
    if (read >= MAX_READ) return { items: found, next: page.next, searched: read }
    next = page.next
  }
}

/** Lists applications with refusals today, most first, then those of each day before. */
function listRefused({ auth, now }: Visit): Source {
  const [today, last] = [formatDay(now), formatDay(now - (REFUSED_DAYS - 1) * DAY_MS)]
  // Where it was midnight a little earlier.
  const tomorrow = formatDay(now + DAY_MS)
  return async (after = `${today}.`) => {
    const [day = '', cursor] = after.split(/\.(.*)/s)
    if (day > tomorrow) throw invalidCursor()
    const page = { period: day, sort: 'refused', after: cursor || undefined, limit: PAGE_SIZE } as const
    const { items, next } = await auth.usage!.totals(page)
    const following = next === undefined ? `${formatDay(Date.parse(day) - DAY_MS)}.` : `${day}.${next}`
    const isLast = next === undefined && day <= last
    return { items: items.map(({ applicationId: id }) => ({ id, day })), ...(!isLast && { next: following }) }
  }
}

function listFull({ auth }: Visit): Source {
  return async (after) => {
    const { items, next } = await auth.plans!.list({ above: ABOVE, after, limit: PAGE_SIZE })
    return { items: items.map(({ applicationId: id, per }) => ({ id, per })), ...(next !== undefined && { next }) }
  }
}

function readFilters(visit: Visit) {
  const { now } = visit
  const use = readQuery(visit, 'use')
  return {
    status: readQuery(visit, 'status') as Application['status'] | undefined,
    api: readQuery(visit, 'api'),
    plan: readQuery(visit, 'plan'),
    expiringBefore: readQuery(visit, 'ends') === 'soon' ? new Date(now + SOON_MS) : undefined,
    ...(use === 'never' && { neverUsed: true }),
    ...(use === 'recent' && { usedSince: new Date(now - 7 * DAY_MS) }),
    ...(use === 'old' && { usedBefore: new Date(now - 90 * DAY_MS) }),
  }
}

type Filters = ReturnType<typeof readFilters>

function fits({ status, apis, plan, lastUsedAt, keys, secrets }: Application, filters: Filters): boolean {
  const { api, expiringBefore, neverUsed, usedSince, usedBefore } = filters
  return (
    (filters.status === undefined ? status !== 'deleted' : status === filters.status) &&
    (api === undefined || Object.hasOwn(apis, api)) &&
    (filters.plan === undefined || plan === filters.plan) &&
    (!expiringBefore || [...keys, ...secrets].some(({ expiresAt }) => expiresAt && expiresAt < expiringBefore)) &&
    (neverUsed === undefined || !lastUsedAt) &&
    (!usedSince || (lastUsedAt !== undefined && lastUsedAt >= usedSince)) &&
    (!usedBefore || (lastUsedAt !== undefined && lastUsedAt < usedBefore))
  )
}

/** An address is a contact's; a key or secret finds its application; an id is the application's or the operator's own; anything else begins a name. */
export async function search(
  { applications: { list, get } }: Visit['auth'],
  given: Partial<Filters>,
  text: string | undefined,
  after?: string,
): Promise<Found> {
  const filters = { ...given, limit: PAGE_SIZE, after }
  if (text === undefined) return list(filters)
  if (text.includes('@')) return list({ ...filters, contact: text })
  const part = findPublicPart(text)
  if (part !== undefined && /^\w+_(?:key|sec)_/.test(part)) return list({ ...filters, credential: part })
  // Whoever may see one application alone sees no other one in its place.
  if (isApplicationId(text)) return { items: [(await get(text)) ?? []].flat() }
  const [own] = after === undefined ? (await list({ ...filters, externalId: text })).items : []
  return own ? { items: [own] } : list({ ...filters, name: text })
}
