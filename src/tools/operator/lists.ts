import { html, type Html } from '../../shared/web/html.js'
import { fillIn } from '../../shared/lib/fill-in.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { type EmptyState, renderPill, renderTable } from '../../shared/web/parts.js'
import { hideContact } from '../operations/schemas.js'
import { renderDone } from './action-page.js'
import { renderActions } from './actions.js'
import { renderApplicationLink, renderEmptyCard, type NamedApplication } from './applications-page.js'
import { readPages } from './figures.js'
import { formatCsv, nameColumns, renderTime } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import { KEY_TONES, renderKeyTimeline } from './key-timeline.js'
import { maySeeNames } from './rights.js'
import { describeNone, readQuery, renderNext, renderSearch } from './search-form.js'
import type { Answer, Site, TabName, Visit } from './visit.js'

export const PAGE_SIZE = 50
/** A file has at most so many pages of 1,000 rows. */
const MAX_FILE_PAGES = 10

type Cell = Html | string | number | false | undefined

interface List {
  readonly tab: TabName
  /** Names, as `nameColumns()` takes them. */
  readonly columns: string
  readonly rows: readonly (readonly Cell[])[]
  /** The `after` of the next page. */
  readonly next?: string | undefined
  readonly actions?: Html | false
  /** Above the table. */
  readonly before?: Html | false
  /** Below it. */
  readonly after?: Html | false
  /** What stands where there are no rows, and what is next. */
  readonly empty: EmptyState
  readonly hasFile?: boolean
}

/** A table with further pages. */
export function renderList(
  visit: Visit,
  { tab, columns, rows, next, actions = false, before, after, empty, hasFile = false }: List,
): Answer {
  const { texts, query, root } = visit
  return {
    heading: texts.tabs[tab],
    tab,
    actions,
    content: html`${renderDone(visit)} ${before}
      ${rows.length > 0 ? renderTable(texts.tabs[tab], nameColumns(texts, columns), rows) : renderEmptyCard(texts.tabs[tab], empty)}
      <p class="actions after">
        ${renderNext(visit, tab, next)}
        ${hasFile && visit.method === 'GET' && rows.length > 0 && html`<a class="button quiet" href="${root}/${tab}.csv?${query.toString()}">${texts.csv}</a>`}
      </p>
      ${after}`,
  }
}

/** The e-mails that wait or have failed. */
export async function answerEmails(site: Site, visit: Visit): Promise<Answer | undefined> {
  const { texts } = visit
  const { columns } = texts
  const { emails } = site.auth
  if (!emails) return undefined
  const state = readQuery(visit, 'state') as keyof typeof texts.emailStates | undefined
  const { items, next } = await emails.list({ state, after: readQuery(visit, 'after'), limit: PAGE_SIZE })
  const rows = items.map(
    ({ applicationId: id, name, purpose, recipient, state: its, attempts, problem, createdAt, dueAt }) => [
      maySeeNames(visit) ? renderApplicationLink(visit, { id, name }) : id,
      texts.purposes[purpose],
      maySeeNames(visit) && recipient,
      renderPill(texts.emailStates[its], its === 'failed' ? 'bad' : problem === undefined ? undefined : 'warn'),
      attempts,
      problem,
      renderTime(createdAt, visit),
      its === 'due' && renderTime(dueAt, visit),
    ],
  )
  return renderList(visit, {
    tab: 'emails',
    columns: 'application purpose to state #attempts problem since nextAttempt',
    rows,
    next,
    actions: renderActions(site, visit, 'queue', {
      more: html`<a class="action" href="${visit.root}/preview">${texts.preview}</a>`,
    }),
    before: renderSearch(visit, 'emails', [
      { name: 'state', label: columns.state, choices: [['', texts.any], ...Object.entries(texts.emailStates)] },
    ]),
    empty: describeNone(visit, { title: texts.noEmails, isGood: true, next: texts.fillsItself }),
  })
}

/** The signing keys, in the order in which they sign. */
export async function answerKeys(site: Site, visit: Visit): Promise<Answer> {
  const { texts } = visit
  const { items } = await site.auth.signingKeys.list()
  return renderList(visit, {
    tab: 'keys',
    columns: 'kid state created signsFrom verifiesUntil change',
    rows: items.map(({ kid, algorithm, state, createdAt, signsFrom, verifiesUntil }) => [
      html`<code>${kid}</code> <span class="facts-line">${algorithm}</span>`,
      renderPill(texts.keyStates[state], KEY_TONES[state]),
      renderTime(createdAt, visit),
      renderTime(signsFrom, visit),
      verifiesUntil && renderTime(verifiesUntil, visit),
      renderActions(site, visit, 'key', { query: { kid }, subject: kid }),
    ]),
    actions: renderActions(site, visit, 'keys'),
    before: items.length > 0 && renderKeyTimeline(items, visit),
    empty: { title: texts.none },
  })
}

/** Changes: who, what, when. */
export async function answerAudit({ auth }: Site, visit: Visit, isFile: boolean): Promise<Answer> {
  const { texts, root, now } = visit
  const { columns } = texts
  const readDate = (name: string, days: number): Date | undefined => {
    const day = readQuery(visit, name)
    return day === undefined ? undefined : new Date(Date.parse(day) + days * DAY_MS)
  }
  // Whose address a contact's is, is for those who see contacts.
  const showActor = (by: string | undefined) => (maySeeNames(visit) ? by : hideContact(by))
  const filter = {
    order: 'newest',
    applicationId: readQuery(visit, 'application'),
    type: readQuery(visit, 'type') as 'application.updated' | undefined,
    by: showActor(readQuery(visit, 'by')),
    from: readDate('from', 0),
    // The day that is entered is the last one.
    until: readDate('until', 1),
  } as const
  if (isFile) {
    const all = await readPages((page) => auth.audit.list({ ...filter, ...page }), MAX_FILE_PAGES)
    const rows = all.map((each) => [
      each.at.toISOString(),
      each.type,
      showActor(each.by),
      each.applicationId,
      each.details,
    ])
    return { name: `audit-${formatDay(now)}`, csv: formatCsv('at type by application details', rows) }
  }
  const { items, next } = await auth.audit.list({ ...filter, after: readQuery(visit, 'after'), limit: PAGE_SIZE })
  return renderList(visit, {
    tab: 'audit',
    columns: 'change at by application details',
    rows: items.map(({ at, type, by, applicationId, details }) => [
      type,
      renderTime(at, visit),
      showActor(by),
      applicationId !== undefined &&
        html`<a href="${root}/applications/${applicationId}"><code>${applicationId}</code></a>`,
      Object.keys(details).length > 0 && html`<code>${JSON.stringify(details)}</code>`,
    ]),
    next,
    before: renderSearch(visit, 'audit', [
      { name: 'type', label: columns.change },
      { name: 'by', label: columns.by },
      { name: 'application', label: texts.facts.id },
      { name: 'from', label: columns.since, type: 'date' },
      { name: 'until', label: texts.fields.until, type: 'date' },
    ]),
    empty: describeNone(visit, { title: texts.noAudit, next: texts.fillsItself }),
    hasFile: true,
  })
}

/** The option of each API, with the first day on which nothing was reported for 7 days; not before tomorrow. */
function listEnds(items: readonly { readonly api: string; readonly lastAt: Date }[], now: number): readonly Html[] {
  return [...new Set(items.map(({ api }) => api))].map((api) => {
    const last = Math.max(...items.filter((each) => each.api === api).map(({ lastAt }) => lastAt.getTime()))
    const until = formatDay(Math.max(last + 8 * DAY_MS, now + DAY_MS))
    return html`<pre
      class="data"
    ><code>apis: { ${JSON.stringify(api)}: { ..., reportOnly: { until: '${until}' } } }</code></pre>`
  })
}

/** What report-only guards would have refused. */
export async function answerReportOnly({ auth }: Site, visit: Visit): Promise<Answer | undefined> {
  const { texts, language } = visit
  if (!auth.usage) return undefined
  const { items, next } = await auth.usage.reportOnly({ after: readQuery(visit, 'after'), limit: PAGE_SIZE })
  const isWhole = next === undefined && readQuery(visit, 'after') === undefined
  const rows = items.map(async ({ applicationId, api, route, reason, count, firstAt, lastAt }) => {
    const application: NamedApplication | undefined =
      applicationId === undefined || !maySeeNames(visit) ? undefined : await auth.applications.get(applicationId)
    return [
      application ? renderApplicationLink(visit, application) : (applicationId ?? texts.none),
      api,
      html`<code>${route}</code>`,
      reason,
      getFormats(language).count.format(count),
      renderTime(firstAt, visit),
      renderTime(lastAt, visit),
    ]
  })
  return renderList(visit, {
    tab: 'reportOnly',
    columns: 'application api route reason #count since last',
    rows: await Promise.all(rows),
    next,
    before: html`<p class="soft">${fillIn(texts.reportOnlyAbout, { option: html`<code>reportOnly</code>` })}</p>
      ${
        isWhole &&
        items.length > 0 &&
        html`<p class="soft">${texts.enforceFrom}</p>
          ${listEnds(items, visit.now)}`
      }`,
    empty: { title: texts.nothingReported, isGood: true },
  })
}
