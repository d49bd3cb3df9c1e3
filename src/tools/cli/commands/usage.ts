import type { OverallRouteEntry, RefusalEntry, UsageEntry, UsageTotal } from '../../../features/usage/index.js'
import { describeWithFix } from '../../../shared/contracts/errors.js'
import type { AdminApi } from '../../admin/index.js'
import { command, option } from '../command.js'
import { UsageError, EXAMPLE_ID } from '../errors.js'
import { formatTime } from '../format.js'
import { EXPORT_OPTIONS, LIST_OPTIONS, listCommand, runList } from './lists.js'
import { createMemberOptions } from './member-options.js'
import { findOperation } from './operation-command.js'

const usageMembers = createMemberOptions(findOperation('usage.list'), {
  without: ['after', 'limit'],
  parameters: ['applicationId'],
  members: { by: { placeholder: 'PERIOD' } },
})

const totalMembers = createMemberOptions(findOperation('usage.totals'), { without: ['after', 'limit'] })

const TOTALS = {
  headings: ['application', 'name', 'allowed', 'tokens', 'refused', 'percent', '7 days before', 'errors'],
  formatRow: ({ applicationId, name, allowed, accessTokens, refused, share, mean, errors }: UsageTotal) => [
    ...[applicationId, name, allowed, accessTokens, refused, share].map(String),
    mean ? `${Math.round(mean.refused)} a day` : '-',
    formatErrors(errors),
  ],
  empty: 'None is stored of that time: only servers with usage() count, and they store it once a minute.',
  columns: ['period', 'application', 'name', 'allowed', 'tokens', 'refused', 'errors'],
  formatRows: ({ period, applicationId, name, allowed, accessTokens, refused, errors }: UsageTotal) => [
    [period, applicationId, name, allowed, accessTokens, refused, formatErrors(errors)],
  ],
}

const usageCommand = command({
  name: 'usage',
  summary: findOperation('usage.list').summary,
  notes: ['Processes store what they have counted every minute.'],
  parameters: usageMembers.parameters,
  options: {
    ...usageMembers.options,
    routes: option.flag('By route pattern, if servers count it: usage({ routes: true }).'),
    overall: option.flag('All applications together.'),
    total: option.flag('One line for each application, with its name, for a --period: most refused requests first.'),
    ...totalMembers.options,
    ...EXPORT_OPTIONS,
    ...LIST_OPTIONS,
  },
  audited: false,
  example: 'usage --by month --from 2026-10 --to 2026-10 --format csv --db platform.sqlite',
  async run(context) {
    const input = await usageMembers.read(context.values, context.parameters, 'usage')
    const total = await totalMembers.read(context.values, [], 'usage')
    const { total: isTotal, overall, routes } = context.values
    const others = isTotal ? { ...input, routes: routes || undefined, overall: overall || undefined } : total
    if (Object.values(others).some((value) => value !== undefined))
      throw new UsageError('--total goes with --period and --sort alone, and they need --total.', 'usage')
    if (isTotal) return runList('usage.totals', TOTALS, { name: 'usage', input: total, context })
    if (overall && Object.hasOwn(input, 'applicationId'))
      throw new UsageError('--overall is of all applications: give no ID.', 'usage')
    const call = overall ? (routes ? 'overallRoutes' : 'overall') : routes ? 'routes' : 'list'
    const shown = showUsage(context.platform, overall, routes)
    return runList(`usage.${call}`, shown, { name: 'usage', input, context })
  },
})

/** An entry of each list of usage: some members are left out where it is of all applications, or not by route. */
type AnyEntry = OverallRouteEntry & UsageEntry
type Cells = (string | number)[]

function showUsage({ applications }: Pick<AdminApi, 'applications'>, overall: boolean, routes: boolean) {
  const of = overall ? ['period', 'api'] : ['period', 'application', 'api']
  const start = ({ period, applicationId, api }: AnyEntry): Cells => [period, ...(overall ? [] : [applicationId]), api]
  const formatCells = (entry: AnyEntry): Cells => [
    ...start(entry),
    ...(routes
      ? [entry.route, entry.allowed, entry.units]
      : [entry.allowed, entry.accessTokens, formatErrors(entry.refused)]),
  ]
  const listCells = (entry: AnyEntry): Cells[] =>
    routes ? [formatCells(entry)] : listOutcomes(entry).map((outcome) => [...start(entry), ...outcome])
  const headings = [...of, ...(routes ? ['route', 'allowed', 'units'] : ['allowed', 'tokens', 'refused'])]
  const columns = routes ? headings : [...of, 'outcome', 'count']
  const none = `No usage is stored${routes ? ' by route' : ''}`
  const counting = routes ? 'usage({ routes: true })' : 'usage()'
  return {
    headings,
    formatRow: (entry: AnyEntry) => formatCells(entry).map(String),
    empty: overall
      ? `${none}: servers with usage() count it, and store it once a minute.`
      : `${none}: only servers with ${counting} count it, and they store it once a minute.`,
    columns: overall ? columns : [...columns, ...CUSTOMER_COLUMNS],
    formatRows: overall ? listCells : withCustomer(applications, listCells),
  }
}

const refusalsCommand = command({
  name: 'refusals',
  summary: findOperation('usage.refusals').summary,
  notes: [
    'At most 50, of the last 7 days. Without ID it lists the applications that were refused most today, as "usage --total".',
  ],
  parameters: ['[ID]'],
  options: { ...EXPORT_OPTIONS, ...LIST_OPTIONS },
  audited: false,
  example: `refusals ${EXAMPLE_ID} --db platform.sqlite`,
  async run(context) {
    const [id] = context.parameters
    if (id === undefined) return runList('usage.totals', TOTALS, { name: 'refusals', input: {}, context })
    if (context.values.after !== undefined || context.values.limit !== undefined)
      throw new UsageError(
        'With ID all its refusals are listed, at most 50: leave out --after and --limit.',
        'refusals',
      )
    const shown = {
      headings: ['at', 'api', 'error', 'route', 'address', 'request', 'why'],
      formatRow: ({ at, api, error, route = '-', address = '-', requestId = '-', ...why }: RefusalEntry) => {
        return [formatTime(at), api, error, route, address, requestId, describeWithFix(why)]
      },
      empty: 'No refusals.',
      columns: ['at', 'api', 'error', 'reason', 'problem', 'fix', 'address', 'requestId', 'route'],
      formatRows: (refusal: RefusalEntry) => {
        const { at, api, error, reason, problem, fix, address = '', requestId = '', route = '' } = refusal
        return [[at.toISOString(), api, error, reason, problem, fix, address, requestId, route]]
      },
    }
    return runList('usage.refusals', shown, { name: 'refusals', input: { id }, context })
  },
})

const reportOnlyCommand = listCommand('usage.reportOnly', {
  name: 'report-only',
  notes: [
    'Requests without a valid credential are listed first: their application is not known.',
    'Processes store what they have counted every minute.',
  ],
  parameters: ['applicationId'],
  exports: true,
  example: '--api orders',
  list: () => ({
    headings: ['application', 'api', 'route', 'reason', 'count', 'since', 'last'],
    formatRow: ({ applicationId = '-', api, route, reason, count, firstAt, lastAt }) => {
      return [applicationId, api, route, reason, String(count), formatTime(firstAt), formatTime(lastAt)]
    },
    empty:
      'No requests that would have been refused are stored: only servers with usage() count them, and they store them once a minute.',
    columns: ['application', 'api', 'route', 'reason', 'count', 'firstAt', 'lastAt'],
    formatRows: ({ applicationId = '', api, route, reason, count, firstAt, lastAt }) => [
      [applicationId, api, route, reason, count, firstAt.toISOString(), lastAt.toISOString()],
    ],
  }),
})

export const usageCommands = [usageCommand, refusalsCommand, reportOnlyCommand]
/** Whose invoice it is. They are empty for an application that was deleted, because that erases them. */
const CUSTOMER_COLUMNS = ['name', 'externalId', 'plan']

function withCustomer(applications: AdminApi['applications'], formatRows: (entry: AnyEntry) => Cells[]) {
  let known: string | undefined
  let customer: readonly string[] = []
  return async function formatRowsWithCustomer(entry: AnyEntry) {
    if (entry.applicationId !== known) {
      const { name = '', externalId = '', plan = '' } = (await applications.get(entry.applicationId)) ?? {}
      customer = [name, externalId, plan]
      known = entry.applicationId
    }
    return formatRows(entry).map((row) => [...row, ...customer])
  }
}

function listOutcomes({ allowed, accessTokens, refused }: UsageEntry): [outcome: string, count: number][] {
  const outcomes: [string, number][] = [['allowed', allowed], ['token', accessTokens], ...Object.entries(refused)]
  return outcomes.filter(([, count]) => count > 0)
}

function formatErrors(errors: Readonly<Record<string, number>>): string {
  const counts = Object.entries(errors).map(([error, count]) => `${error}=${count}`)
  return counts.join(' ') || '-'
}
