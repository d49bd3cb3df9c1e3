import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { fillIn } from '../../shared/lib/fill-in.js'
import { renderCopyable } from '../../shared/web/first-steps.js'
import { renderDateTime } from '../../shared/web/times.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderEmpty, renderRows, type EmptyState } from '../../shared/web/parts.js'
import { renderDone } from './action-page.js'
import { findTitle, renderApplicationLink, renderCells, renderPlainCard } from './formats.js'
import { readQuery, renderNext } from './search-form.js'
import { maySeeNames, type Answer, type TabName, type Visit } from './visit.js'

export const PAGE_SIZE = 50

interface List {
  readonly tab: TabName
  /** The table; false if it has no rows. */
  readonly table?: Html | false
  /** In place of a table. */
  readonly rows?: readonly Html[]
  /** The `after` of the next page. */
  readonly next?: string | undefined
  readonly actions?: Html | false
  readonly before?: Html | false
  readonly after?: Html | false
  /** What stands where there are no rows, and what is next. */
  readonly empty?: EmptyState
}

/** A list with further pages. */
export function renderList(
  visit: Visit,
  { tab, table, rows = [], next, actions = false, before, after, empty = {} }: List,
): Answer {
  const { texts } = visit
  return {
    heading: texts.tabs[tab],
    tab,
    actions,
    content: html`${renderDone(visit)} ${before}
    ${table || renderPlainCard(texts.tabs[tab], renderRows(rows, renderEmpty(empty)))} ${renderNext(visit, tab, next)}
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

/** What report-only guards would have refused. */
export async function answerReportOnly(visit: Visit): Promise<Answer | undefined> {
  const { auth, texts, formats } = visit
  if (!auth.usage) return undefined
  const after = readQuery(visit, 'after')
  const { items, next } = await auth.usage.reportOnly({ after, limit: PAGE_SIZE })
  const rows = items.map(async ({ applicationId, api, route, reason, count, lastAt }) => {
    const isNamed = applicationId !== undefined && maySeeNames(visit)
    const application = isNamed && (await auth.applications.get(applicationId))
    return [
      application ? renderApplicationLink(visit, application) : (applicationId ?? texts.none),
      findTitle(visit, api),
      html`<code>${route}</code>`,
      html`<code>${reason}</code>`,
      formats.count.format(count),
      renderDateTime(lastAt, visit),
    ]
  })
  const ends = next === undefined && after === undefined && items.length > 0
  return renderList(visit, {
    tab: 'reportOnly',
    table: renderCells(
      texts.tabs.reportOnly,
      texts,
      'application api route reason #reported last',
      await Promise.all(rows),
    ),
    next,
    before: html`<p class="soft">
        ${fillIn(texts.reportOnlyAbout, { option: html`<code>reportOnly</code>` })} ${ends && texts.enforceFrom}
      </p>
      ${ends && listEnds(items, visit)}`,
    empty: { title: texts.nothingReported, isGood: true },
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
    const option = `apis: { ${JSON.stringify(api)}: { ..., reportOnly: { until: '${until}' } } }`
    return renderCopyable('reportOnly', option, FRAME_TEXTS[language])
  })
}
