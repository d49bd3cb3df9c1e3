import { html, type Html } from '../../shared/web/html.js'
import { fillIn } from '../../shared/lib/fill-in.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { type EmptyState, renderPill } from '../../shared/web/parts.js'
import { renderDone } from './action-page.js'
import { renderActions } from './actions.js'
import { renderApplicationLink, renderEmptyCard, type NamedApplication } from './applications-page.js'
import { findTitle, renderAge, renderCells, renderTime } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import { KEY_TONES, renderKeyTimeline } from './key-timeline.js'
import { maySeeNames } from './rights.js'
import { describeNone, readQuery, renderNext, renderSearch } from './search-form.js'
import type { Answer, Site, TabName, Visit } from './visit.js'

export const PAGE_SIZE = 50
interface List {
  readonly tab: TabName
  /** The table or list; false if it has no rows. */
  readonly shown: Html | false
  /** The `after` of the next page. */
  readonly next?: string | undefined
  readonly actions?: Html | false
  /** Above the table. */
  readonly before?: Html | false
  /** Below it. */
  readonly after?: Html | false
  /** What stands where there are no rows, and what is next. */
  readonly empty: EmptyState
}

/** A table with further pages. */
export function renderList(visit: Visit, { tab, shown, next, actions = false, before, after, empty }: List): Answer {
  const { texts } = visit
  return {
    heading: texts.tabs[tab],
    tab,
    actions,
    content: html`${renderDone(visit)} ${before} ${shown || renderEmptyCard(texts.tabs[tab], empty)}
      <p class="actions after">${renderNext(visit, tab, next)}</p>
      ${after}`,
  }
}

/** The link to the page, or to what is named, as CSV: not of what was posted, which no address may have. */
export function renderFile({ texts, query, root, method }: Visit, name: string, subject: string): Html | false {
  const address = `${root}/${name}.csv?${query.toString()}`
  return (
    method === 'GET' &&
    html`<a class="action" href="${address}">${texts.csv}<span class="unseen"> ${subject}</span></a>`
  )
}

/** The e-mails that wait or have failed. */
export async function answerEmails(site: Site, visit: Visit): Promise<Answer | undefined> {
  const { texts } = visit
  const { emails } = site.auth
  if (!emails) return undefined
  const state = readQuery(visit, 'state') as keyof typeof texts.emailStates | undefined
  const { items, next } = await emails.list({ state, after: readQuery(visit, 'after'), limit: PAGE_SIZE })
  const isDue = items.some(({ state: its }) => its === 'due')
  const mayRetry = visit.may('emails.retry') && visit.may('applications.get')
  const rows = items.map(
    ({ applicationId: id, name, purpose, recipient, state: its, attempts, problem, createdAt, dueAt }) => [
      maySeeNames(visit) ? renderApplicationLink(visit, { id, name }) : id,
      texts.purposes[purpose],
      maySeeNames(visit) && recipient,
      renderPill(texts.emailStates[its], its === 'failed' ? 'bad' : problem === undefined ? undefined : 'warn'),
      attempts,
      problem,
      renderTime(createdAt, visit),
      ...(isDue ? [its === 'due' && renderAge(dueAt, visit)] : []),
      its === 'failed' &&
        mayRetry &&
        html`<a class="action" href="${visit.root}/applications/${id}/retryEmails">${texts.actions.retryEmails}</a>`,
    ],
  )
  return renderList(visit, {
    tab: 'emails',
    shown: renderCells(
      texts.tabs.emails,
      texts,
      `application purpose to state attempts problem since ${isDue ? 'nextAttempt ' : ''}action`,
      rows,
    ),
    next,
    actions: renderActions(site, visit, 'queue', {
      except: next !== undefined || items.some(({ problem }) => problem !== undefined) ? [] : ['retryAllEmails'],
      more: html`<a class="action" href="${visit.root}/preview">${texts.preview}</a>`,
    }),
    before: renderSearch(visit, 'emails', [
      { name: 'state', label: texts.labels.state, choices: [['', texts.any], ...Object.entries(texts.emailStates)] },
    ]),
    empty: describeNone(visit, { title: texts.noEmails, isGood: true }),
  })
}

/** The signing keys, in the order in which they sign. */
export async function answerKeys(site: Site, visit: Visit): Promise<Answer> {
  const { texts } = visit
  const { items } = await site.auth.signingKeys.list()
  const rows = items.map(({ kid, algorithm, state, createdAt, signsFrom, verifiesUntil }) => [
    html`<code>${kid}</code> <span class="facts-line">${algorithm}</span>`,
    renderPill(texts.keyStates[state], KEY_TONES[state]),
    renderTime(createdAt, visit),
    renderTime(signsFrom, visit),
    verifiesUntil && renderTime(verifiesUntil, visit),
    renderActions(site, visit, 'signingKey', { query: { kid }, subject: kid }),
  ])
  return renderList(visit, {
    tab: 'keys',
    shown: renderCells(texts.tabs.keys, texts, 'kid state created signsFrom verifiesUntil action', rows),
    actions: renderActions(site, visit, 'keys', { subject: texts.tabs.keys }),
    before: items.length > 0 && renderKeyTimeline(items, visit),
    empty: { title: texts.none },
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
export async function answerReportOnly(site: Site, visit: Visit): Promise<Answer | undefined> {
  const { auth } = site
  const { texts, language } = visit
  if (!auth.usage) return undefined
  const { items, next } = await auth.usage.reportOnly({ after: readQuery(visit, 'after'), limit: PAGE_SIZE })
  const isWhole = next === undefined && readQuery(visit, 'after') === undefined
  const rows = items.map(async ({ applicationId, api, route, reason, count, firstAt, lastAt }) => {
    const application: NamedApplication | undefined =
      applicationId === undefined || !maySeeNames(visit) ? undefined : await auth.applications.get(applicationId)
    return [
      application ? renderApplicationLink(visit, application) : applicationId,
      findTitle(site, api),
      html`<code>${route}</code>`,
      html`<code>${reason}</code>`,
      getFormats(language).count.format(count),
      renderTime(firstAt, visit),
      renderTime(lastAt, visit),
    ]
  })
  return renderList(visit, {
    tab: 'reportOnly',
    shown: renderCells(
      texts.tabs.reportOnly,
      texts,
      'application api route reason #reported since last',
      await Promise.all(rows),
    ),
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
