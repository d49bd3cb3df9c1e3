import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { getFormats } from '../../shared/web/formats.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderCard, renderEmpty, renderPill, renderTable, renderTiles } from '../../shared/web/parts.js'
import { renderApplicationLink } from './applications-page.js'
import { formatCsv } from './csv.js'
import { countRefused, readOverall, readRoutes, renderDays, sumUsage } from './figures.js'
import { PAGE_SIZE, renderErrors, renderList } from './lists.js'
import { readQuery, renderSearch } from './search-form.js'
import type { Answer, Site, Visit } from './visit.js'

/** How the platform does: four numbers and a plot of 30 days; false where nothing counts, or the operator may not see it. */
export async function renderOverview(site: Site, visit: Visit, actions: Html | false): Promise<Html | false> {
  const { texts, language, now } = visit
  const entries = await readOverall(site, visit)
  if (!entries) return false
  const head = { title: texts.overall, level: 2 } as const
  if (entries.length === 0) return renderCard(head, renderEmpty({ title: texts.noUsage }))
  const { count, percent } = getFormats(language)
  const { calls, refused } = sumUsage(entries)
  const tokens = entries.reduce((sum, { accessTokens }) => sum + accessTokens, 0)
  const today = sumUsage(entries.filter(({ period }) => period === formatDay(now)))
  const tiles = [
    { label: texts.columns.allowed, value: count.format(calls - refused) },
    {
      label: texts.columns.refused,
      value: count.format(refused),
      note: calls > 0 && percent.format(refused / calls),
      tone: refused * 10 > calls ? ('bad' as const) : undefined,
    },
    { label: texts.columns.tokens, value: count.format(tokens) },
    { label: texts.callsToday, value: count.format(today.calls) },
  ]
  const plot = renderDays({ id: 'overall', label: texts.overall }, entries, visit)
  return renderCard({ ...head, actions }, html`<div class="inside">${renderTiles(tiles)} ${plot}</div>`)
}

/** Calls and refusals of all applications by day, of each one in a day or a month, and of each route then. */
export async function answerUsage(site: Site, visit: Visit): Promise<Answer | undefined> {
  const { texts, language, now, root, may } = visit
  const { usage } = site.auth
  if (!usage) return undefined
  const { columns } = texts
  const { count, percent } = getFormats(language)
  const { period, sort, after } = readTotalsQuery(visit)
  const file = may('usage.overall') && html`<a class="action" href="${root}/usage-days.csv">${texts.csv}</a>`
  const [{ items, next }, overview, routes] = await Promise.all([
    usage.totals({ period, sort, after, limit: PAGE_SIZE }),
    after === undefined && renderOverview(site, visit, file),
    after === undefined && renderRoutes(site, visit, period),
  ])
  const months = [0, 1].map((back) => {
    const date = new Date(now)
    return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1)).toISOString().slice(0, 7)
  })
  const days = [0, 1, 2, 3, 4, 5, 6].map((back) => formatDay(now - back * DAY_MS))
  const search = renderSearch(visit, 'usage', [
    { name: 'period', label: columns.day, choices: [...days, ...months].map((each) => [each, each]) },
    {
      name: 'sort',
      label: texts.sort,
      choices: [
        ['refused', columns.refused],
        ['allowed', columns.allowed],
      ],
    },
  ])
  return renderList(visit, {
    tab: 'usage',
    columns: [
      { title: columns.application },
      { title: columns.allowed, isNumber: true },
      { title: columns.refused, isNumber: true },
      { title: columns.tokens, isNumber: true },
      { title: columns.reason },
    ],
    rows: items.map(({ applicationId: id, name, allowed, refused, accessTokens, errors }) => [
      renderApplicationLink(visit, { id, name }),
      count.format(allowed),
      html`${count.format(refused)}
        <span class="soft">${percent.format(refused / Math.max(1, allowed + refused))}</span>`,
      count.format(accessTokens),
      html`<div class="reasons">${renderErrors(errors, visit)}</div>`,
    ]),
    next,
    before: html`${overview} ${search}`,
    after: routes,
    empty: sort === 'refused' ? texts.noneRefused : texts.noCalls,
    hasFile: true,
  })
}

/** The routes with most calls, where servers count them. */
async function renderRoutes(site: Site, visit: Visit, period: string): Promise<Html | false> {
  const { texts, language, root } = visit
  const { columns } = texts
  const { count } = getFormats(language)
  const routes = await readRoutes(site, visit, period)
  if (routes.length === 0) return false
  return renderCard(
    {
      title: html`${texts.routes} ${renderPill(period)}`,
      level: 2,
      actions: html`<a class="action" href="${root}/usage-routes.csv?period=${encodeURIComponent(period)}"
        >${texts.csv}</a
      >`,
    },
    renderTable(
      texts.routes,
      [{ title: columns.route }, { title: columns.api }, { title: columns.allowed, isNumber: true }],
      routes
        .slice(0, PAGE_SIZE)
        .map(({ route, api, allowed }) => [html`<code>${route}</code>`, api, count.format(allowed)]),
    ),
  )
}

/** What the page shows as CSV, with every column: of applications the page that is asked for, with up to 1,000. */
export async function answerUsageFile(
  site: Site,
  visit: Visit,
  of: 'applications' | 'days' | 'routes',
): Promise<Answer | undefined> {
  const { usage } = site.auth
  if (!usage) return undefined
  const query = readTotalsQuery(visit)
  const { period } = query
  if (of === 'days') {
    const rows = ((await readOverall(site, visit)) ?? []).map((each) => [
      each.period,
      each.api,
      each.allowed,
      countRefused(each),
      each.accessTokens,
      JSON.stringify(each.refused),
    ])
    const head = ['day', 'api', 'allowed', 'refused', 'access_tokens', 'errors']
    return { name: `usage-days-${formatDay(visit.now)}`, csv: formatCsv([head, ...rows]) }
  }
  if (of === 'routes') {
    const routes = await readRoutes(site, visit, period)
    const rows = routes.map((each) => [each.period, each.api, each.route, each.allowed, each.units])
    const head = ['period', 'api', 'route', 'allowed', 'units']
    return { name: `usage-routes-${period}`, csv: formatCsv([head, ...rows]) }
  }
  const { items } = await usage.totals({ ...query, limit: 1000 })
  const rows = items.map((each) => [
    each.period,
    each.applicationId,
    each.name,
    each.allowed,
    each.refused,
    each.accessTokens,
    JSON.stringify(each.errors),
  ])
  const head = ['period', 'application', 'name', 'allowed', 'refused', 'access_tokens', 'errors']
  return { name: `usage-${period}`, csv: formatCsv([head, ...rows]) }
}

function readTotalsQuery(visit: Visit) {
  return {
    period: readQuery(visit, 'period') ?? formatDay(visit.now),
    sort: readQuery(visit, 'sort') === 'allowed' ? 'allowed' : 'refused',
    after: readQuery(visit, 'after'),
  } as const
}
