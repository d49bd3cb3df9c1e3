import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { fillIn, fillText } from '../../shared/lib/fill-in.js'
import { renderCopyable } from '../../shared/web/first-steps.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderEmpty, renderRows, type EmptyState } from '../../shared/web/parts.js'
import { renderDone } from './actions.js'
import { findTitle, renderAge, renderApplicationLink, renderCells, renderPlainCard } from './formats.js'
import { isNarrowed, readQuery, renderNext } from './search-form.js'
import { maySeeNames, type Answer, type PageAnswer, type TabName, type Visit } from './visit.js'

export const PAGE_SIZE = 50

interface List {
  readonly tab: TabName
  readonly table?: Html | false
  readonly rows?: readonly Html[]
  /** How many rows there are: said of all that a search has found. */
  readonly count?: number
  /** In which order, in words. */
  readonly order?: string | undefined
  readonly next?: string | undefined
  readonly actions?: Html | false
  readonly before?: Html | false
  readonly after?: Html | false
  readonly empty?: EmptyState
}

export function renderList(
  visit: Visit,
  { tab, table, rows = [], count = 0, order, next, actions = false, before, after, empty = {} }: List,
): PageAnswer {
  const { texts, formats } = visit
  const isAll = count > 0 && next === undefined && readQuery(visit, 'after') === undefined && isNarrowed(visit)
  const counted = fillText(isAll ? texts.found : texts.shown, { count: formats.count.format(count) })
  return {
    heading: texts.tabs[tab],
    tab,
    actions,
    content: html`${renderDone(visit)} ${before}
    ${count > 0 && (isAll || order) && html`<p class="soft">${counted}${order && `, ${order}`}</p>`}
    ${table || renderPlainCard(texts.tabs[tab], renderRows(rows, renderEmpty(empty)))} ${renderNext(visit, tab, next)}
    ${after}`,
  }
}

/** The link to the page, or to what is named, as CSV: not of what was posted, which no address may have. */
export function renderFile({ texts, query, root, method }: Visit, name: string, subject: string): Html | false {
  const address = `${root}/${name}.csv?${query.toString()}`
  return method === 'GET' && html`<a class="action" href="${address}">${fillText(texts.csv, { subject })}</a>`
}

export async function answerReportOnly(visit: Visit): Promise<Answer | undefined> {
  const { auth, texts, formats } = visit
  if (!auth.usage) return undefined
  const after = readQuery(visit, 'after')
  const { items, next } = await auth.usage.reportOnly({ after, limit: PAGE_SIZE })
  const rows = items.map(async ({ applicationId, api, route, reason, count, lastAt }) => {
    const isNamed = applicationId !== undefined && maySeeNames(visit)
    const application = isNamed && (await auth.applications.get(applicationId))
    return [
      html`${application ? renderApplicationLink(visit, application) : (applicationId ?? texts.noKey)}
        <p class="facts"><span>${findTitle(visit, api)}</span> <code>${route}</code></p>`,
      html`<code>${reason}</code>`,
      formats.count.format(count),
      renderAge(lastAt, visit),
    ]
  })
  const ends = next === undefined && after === undefined && items.length > 0
  return renderList(visit, {
    tab: 'reportOnly',
    table: renderCells(texts.tabs.reportOnly, texts, 'application reason #reported #last', await Promise.all(rows)),
    next,
    before:
      items.length > 0 &&
      html`<p class="lead">
          ${fillIn(texts.reportOnlyAbout, { option: html`<code>reportOnly</code>` })} ${ends && texts.enforceFrom}
        </p>
        ${ends && listEnds(items, visit)}`,
    empty: { ...texts.nothingReported, isGood: true },
  })
}

/** The option of each API, with the first day on which nothing was reported for 7 days; not before tomorrow. */
function listEnds(
  items: readonly { readonly api: string; readonly lastAt: Date }[],
  { now, language }: Visit,
): readonly Html[] {
  return [...new Set(items.map(({ api }) => api))].map((api) => {
    const last = Math.max(...items.filter((each) => each.api === api).map(({ lastAt }) => lastAt.getTime()))
    const until = formatDay(Math.max(last + 8 * DAY_MS, now + DAY_MS))
    return renderCopyable(`apis.${api}.reportOnly`, `{ until: '${until}' }`, FRAME_TEXTS[language])
  })
}
