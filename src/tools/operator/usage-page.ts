import type { Application } from '../../index.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { fillIn } from '../../shared/lib/fill-in.js'
import { renderCopyable, renderNoCalls } from '../../shared/web/first-steps.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderCard, renderEmpty, renderPill, renderTiles } from '../../shared/web/parts.js'
import {
  countRefused,
  describeRefused,
  nameColor,
  renderDays,
  renderErrors,
  sumByDay,
  sumUsage,
  USAGE_DAYS,
} from '../../shared/web/usage-figures.js'
import { findTitle, formatCsv, renderAge, renderApplicationLink, renderCells } from './formats.js'
import { PAGE_SIZE, readEntries, readQuery, renderFile, renderList, renderSearch } from './list-page.js'
import { maySeeNames, type Answer, type Visit } from './visit.js'

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

export async function answerUsage(visit: Visit): Promise<Answer> {
  const { auth, texts, language, now, may } = visit
  const { count, date: day, month } = visit.formats
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
    auth.usage!.totals({ period, sort, after, limit: PAGE_SIZE }),
    after === undefined && renderOverview(visit, file),
    after === undefined && renderRoutes(visit, period, label),
  ])
  const orders = (['refused', 'allowed'] as const).map((each) => [each, texts.labels[each]] as const)
  const search = renderSearch(visit, 'usage', [
    { name: 'period', label: texts.labels.day, choices },
    { name: 'sort', label: texts.sort, choices: orders },
  ])
  const rows = items.map(({ applicationId: id, name, allowed, refused, share, accessTokens, errors }) => [
    renderApplicationLink(visit, { id, name }),
    allowed,
    refused > 0
      ? html`${count.format(refused)}
          <span class="share ${share < 10 ? 'soft' : 'wrong'}">${visit.formats.share.format(share / 100)}</span>`
      : 0,
    accessTokens,
    refused > 0 && html`<div class="reasons">${renderErrors(errors, language)}</div>`,
  ])
  const none = sort === 'refused' ? { title: texts.noRefusals, isGood: true } : texts.noneFound
  const table = renderCells(visit, texts.byApplication, 'application #allowed #refused #tokens errors', rows)
  const actions = table && renderFile(visit, 'usage', texts.tabs.applications)
  const title = html`${texts.byApplication} ${renderPill(label)}`
  const card = renderCard({ title, actions }, html`${search} ${table || renderEmpty(none)}`)
  return renderList(visit, { tab: 'usage', table: card, next, before: overview, after: routes })
}

async function renderRoutes(visit: Visit, period: string, label: string): Promise<Html | false> {
  const { texts } = visit
  const routes = await readRoutes(visit, period)
  if (routes.length === 0) return false
  const actions = renderFile(visit, 'usage-routes', texts.routes)
  const rows = routes
    .slice(0, PAGE_SIZE)
    .map(({ route, api, allowed }) => [html`<code>${route}</code>`, findTitle(visit, api), allowed])
  const table = renderCells(visit, texts.routes, 'route api #allowed', rows)
  return renderCard({ title: html`${texts.routes} ${renderPill(label)}`, actions }, table)
}

/** The page that is asked for as CSV, with every column and up to 1,000 applications. */
export async function answerTotalsFile(visit: Visit): Promise<Answer> {
  const query = readTotalsQuery(visit)
  const { items } = await visit.auth.usage!.totals({ ...query, limit: 1000 })
  const rows = items.map((e) => [e.period, e.applicationId, e.name, e.allowed, e.refused, e.accessTokens, e.errors])
  const csv = formatCsv('period application name allowed refused access_tokens errors', rows)
  return { name: `usage-${query.period}`, csv }
}

export async function answerDaysFile(visit: Visit): Promise<Answer> {
  const entries = (await readOverall(visit)) ?? []
  const rows = entries.map((e) => [e.period, e.api, e.allowed, countRefused(e), e.accessTokens, e.refused])
  const csv = formatCsv('day api allowed refused access_tokens errors', rows)
  return { name: `usage-days-${formatDay(visit.now)}`, csv }
}

export async function answerRoutesFile(visit: Visit): Promise<Answer> {
  const { period } = readTotalsQuery(visit)
  const rows = (await readRoutes(visit, period)).map((e) => [e.period, e.api, e.route, e.allowed, e.units])
  return { name: `usage-routes-${period}`, csv: formatCsv('period api route allowed units', rows) }
}

function readTotalsQuery(visit: Visit) {
  return {
    period: readQuery(visit, 'period') ?? formatDay(visit.now),
    sort: readQuery(visit, 'sort') === 'allowed' ? 'allowed' : 'refused',
    after: readQuery(visit, 'after'),
  } as const
}

export async function answerReportOnly(visit: Visit): Promise<Answer> {
  const { auth, texts } = visit
  const after = readQuery(visit, 'after')
  const { items, next } = await auth.usage!.reportOnly({ after, limit: PAGE_SIZE })
  const rows = items.map(async ({ applicationId, api, route, reason, count, lastAt }) => {
    const isNamed = applicationId !== undefined && maySeeNames(visit)
    const application = isNamed && (await auth.applications.get(applicationId))
    return [
      html`${application ? renderApplicationLink(visit, application) : (applicationId ?? texts.noKey)}
        <p class="facts"><span>${findTitle(visit, api)}</span> <code>${route}</code></p>`,
      html`<code>${reason}</code>`,
      count,
      renderAge(lastAt, visit),
    ]
  })
  const ends = next === undefined && after === undefined && items.length > 0
  return renderList(visit, {
    tab: 'reportOnly',
    table: renderCells(visit, texts.tabs.reportOnly, 'application reason #reported #last', await Promise.all(rows)),
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

/** The counts of an application in so many days; undefined if nothing counts, or the operator may not see it. */
export async function readUsage({ auth, may, now }: Visit, applicationId: string, days = USAGE_DAYS) {
  if (!may('usage.list')) return undefined
  return readEntries((page) => auth.usage!.list({ applicationId, ...spanDays(days, now), by: 'day', ...page }))
}

/** The counts of all applications together in the shown days; undefined if nothing counts, or the operator may not see it. */
async function readOverall({ auth, may, now }: Visit) {
  if (!may('usage.overall')) return undefined
  return readEntries((page) => auth.usage!.overall({ ...spanDays(USAGE_DAYS, now), by: 'day', ...page }))
}

async function readRoutes({ auth, may }: Visit, period: string) {
  if (!may('usage.overallRoutes')) return []
  const by = period.length > 'YYYY-MM'.length ? 'day' : 'month'
  const entries = await readEntries((page) => auth.usage!.overallRoutes({ from: period, to: period, by, ...page }))
  return entries.toSorted((one, other) => other.allowed - one.allowed)
}

function spanDays(days: number, now: number) {
  return { from: formatDay(now - (days - 1) * DAY_MS), to: formatDay(now) }
}

/** What is used of its plan; undefined without one, or if the operator may not see it. */
export async function readPlan({ core, may }: Visit, { id, plan }: Application) {
  return may('plans.usage') ? core.find('plans')?.usage({ id, plan }) : undefined
}
