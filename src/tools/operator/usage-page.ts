import type { Application } from '../../index.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { renderNoCalls } from '../../shared/web/first-steps.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderCard, renderEmpty, renderPill, renderTiles } from '../../shared/web/parts.js'
import { findTitle, formatCsv, renderApplicationLink, renderCells } from './formats.js'
import { readOverall, readRoutes } from './figures.js'
import { PAGE_SIZE, renderFile, renderList } from './lists.js'
import {
  countRefused,
  describeRefused,
  nameColor,
  renderDays,
  renderErrors,
  sumByDay,
  sumUsage,
} from '../../shared/web/usage-figures.js'
import { readQuery, renderSearch } from './search-form.js'
import type { Answer, Visit } from './visit.js'

/** How the platform does: four numbers and a plot of 30 days; false where nothing counts, or the operator may not see it. */
export async function renderOverview(visit: Visit, actions: Html | false): Promise<Html | false> {
  const { texts, language, now } = visit
  const entries = await readOverall(visit)
  if (!entries) return false
  const title = texts.overall
  if (entries.length === 0) return renderCard({ title }, renderNoUsage(visit))
  const { count } = visit.formats
  const sum = sumUsage(entries)
  const today = sumUsage(entries.filter(({ period }) => period === formatDay(now)))
  const tiles = [
    { label: nameColor('allowed', texts.labels.allowed), value: count.format(sum.calls - sum.refused) },
    describeRefused(texts.labels.refused, sum, language),
    { label: texts.labels.tokens, value: count.format(sum.tokens) },
    { label: texts.callsToday, value: count.format(today.calls) },
  ]
  const shown = { id: 'overall', label: title, countsOfDay: texts.countsOfDay }
  const plot = renderDays(shown, sumByDay(entries, now), language)
  return renderCard({ title, actions }, html`<div class="inside">${renderTiles(tiles)} ${plot}</div>`)
}

/** No call in 30 days: one as a command, of the first API; of those that an application may use. */
export function renderNoUsage({ auth, core, texts, language }: Visit, granted?: Application['apis']): Html {
  const usable = auth.apis.filter(({ name }) => !granted || Object.hasOwn(granted, name))
  const words = { title: texts.noUsage, next: texts.noUsageNext }
  return renderNoCalls(usable, words, { developersUrl: core.settings.developersUrl, texts: FRAME_TEXTS[language] })
}

export async function answerUsage(visit: Visit): Promise<Answer | undefined> {
  const { texts, language, now, may } = visit
  const { usage } = visit.auth
  if (!usage) return undefined
  const { count, percent, date: day, month } = visit.formats
  const { period, sort, after } = readTotalsQuery(visit)
  const file = may('usage.overall') && renderFile(visit, 'usage-days', texts.days)
  const days = [0, 1, 2, 3, 4, 5, 6].map((back) => now - back * DAY_MS)
  const date = new Date(now)
  const months = [0, 1].map((back) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1))
  const choices = [
    ...days.map((at) => [formatDay(at), day.format(at)] as const),
    ...months.map((at) => [formatDay(at).slice(0, 7), month.format(at)] as const),
  ]
  const label = choices.find(([value]) => value === period)?.[1] ?? period
  const [{ items, next }, overview, routes] = await Promise.all([
    usage.totals({ period, sort, after, limit: PAGE_SIZE }),
    after === undefined && renderOverview(visit, file),
    after === undefined && renderRoutes(visit, period, label),
  ])
  const search = renderSearch(visit, 'usage', [
    { name: 'period', label: texts.labels.day, choices },
    {
      name: 'sort',
      label: texts.sort,
      choices: (['refused', 'allowed'] as const).map((each) => [each, texts.labels[each]]),
    },
  ])
  const rows = items.map(({ applicationId: id, name, allowed, refused, share, accessTokens, errors }) => [
    renderApplicationLink(visit, { id, name }),
    count.format(allowed),
    refused > 0
      ? html`${count.format(refused)}
          <span class="share ${share < 10 ? 'soft' : 'wrong'}">${percent.format(share / 100)}</span>`
      : '0',
    count.format(accessTokens),
    refused > 0 && html`<div class="reasons">${renderErrors(errors, language)}</div>`,
  ])
  const none = sort === 'refused' ? { title: texts.noRefusals, isGood: true } : texts.noneFound
  const table = renderCells(texts.byApplication, texts, 'application #allowed #refused #tokens errors', rows)
  const actions = table && renderFile(visit, 'usage', texts.tabs.applications)
  const title = html`${texts.byApplication} ${renderPill(label)}`
  const shown = html`${search} ${table || renderEmpty(none)}`
  return renderList(visit, {
    tab: 'usage',
    table: renderCard({ title, actions }, shown),
    next,
    before: overview,
    after: routes,
    empty: none,
  })
}

async function renderRoutes(visit: Visit, period: string, label: string): Promise<Html | false> {
  const { texts, formats } = visit
  const routes = await readRoutes(visit, period)
  if (routes.length === 0) return false
  const actions = renderFile(visit, 'usage-routes', texts.routes)
  const rows = routes
    .slice(0, PAGE_SIZE)
    .map(({ route, api, allowed }) => [
      html`<code>${route}</code>`,
      findTitle(visit, api),
      formats.count.format(allowed),
    ])
  const table = renderCells(texts.routes, texts, 'route api #allowed', rows)
  return renderCard({ title: html`${texts.routes} ${renderPill(label)}`, actions }, table)
}

/** The page as CSV, with every column: of applications the page that is asked for, with up to 1,000. */
export async function answerUsageFile(
  visit: Visit,
  of: 'applications' | 'days' | 'routes',
): Promise<Answer | undefined> {
  const { usage } = visit.auth
  if (!usage) return undefined
  const query = readTotalsQuery(visit)
  if (of === 'days') {
    const entries = (await readOverall(visit)) ?? []
    const rows = entries.map((e) => [e.period, e.api, e.allowed, countRefused(e), e.accessTokens, e.refused])
    const csv = formatCsv('day api allowed refused access_tokens errors', rows)
    return { name: `usage-days-${formatDay(visit.now)}`, csv }
  }
  if (of === 'routes') {
    const routes = await readRoutes(visit, query.period)
    const rows = routes.map((each) => [each.period, each.api, each.route, each.allowed, each.units])
    return { name: `usage-routes-${query.period}`, csv: formatCsv('period api route allowed units', rows) }
  }
  const { items } = await usage.totals({ ...query, limit: 1000 })
  const rows = items.map((e) => [e.period, e.applicationId, e.name, e.allowed, e.refused, e.accessTokens, e.errors])
  const csv = formatCsv('period application name allowed refused access_tokens errors', rows)
  return { name: `usage-${query.period}`, csv }
}

function readTotalsQuery(visit: Visit) {
  return {
    period: readQuery(visit, 'period') ?? formatDay(visit.now),
    sort: readQuery(visit, 'sort') === 'allowed' ? 'allowed' : 'refused',
    after: readQuery(visit, 'after'),
  } as const
}
