import { describeWithFix } from '../../../shared/contracts/errors.js'
import type { AdminApi } from '../../admin/index.js'
import type { RefusalEntry, RouteUsageEntry, UsageEntry, UsageQuery } from '../../../features/usage/index.js'
import { command, option, type CommandResult } from '../command.js'
import { formatTable, formatTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { EXPORT_OPTIONS, exportList, LIST_OPTIONS, listOrExport, type ListValues } from './export.js'
import { requirePart } from '../target.js'

/** `usage`: how often applications used the APIs. */
const usageCommand = command({
  name: 'usage',
  summary:
    'Lists how often the APIs were used, by one application or by all: allowed requests, access tokens, refusals.',
  notes: ['Processes store what they have counted every minute.'],
  parameters: ['[ID]'],
  options: {
    api: option.text('API', 'Of this API only.'),
    from: option.text(
      'DAY',
      'The first day, such as 2026-11-01, or month, such as 2026-11, in UTC; the default is 29 days before the last one.',
    ),
    to: option.text('DAY', 'The last day or month; the default is today.'),
    by: option.text('PERIOD', 'Sums up by day or by month; the default is day.'),
    routes: option.flag('By route pattern, if servers count it: usage({ routes: true }).'),
    ...LIST_OPTIONS,
  },
  audited: false,
  example: 'usage --by month --from 2026-10 --to 2026-10 --format csv --db platform.sqlite',
  async run({ platform, parameters: [applicationId], values }) {
    const { api, from, to, by } = values
    const query = { applicationId, api, from, to, by: by as UsageQuery['by'] }
    const usage = requirePart(platform, 'usage')
    if (values.routes) return listRoutes(platform, query, values)
    return listOrExport('usage', values, {
      readPage: (page) => usage.list({ ...query, ...page }),
      headings: ['period', 'application', 'api', 'allowed', 'tokens', 'refused'],
      formatRow: formatEntry,
      empty: 'No usage is stored: only servers with usage() count it, and they store it once a minute.',
      columns: ['period', 'application', 'api', 'outcome', 'count', ...CUSTOMER_COLUMNS],
      formatRows: withCustomer(platform, listOutcomes),
    })
  },
})

/** `refusals`: why requests of an application were refused. */
const refusalsCommand = command({
  name: 'refusals',
  summary:
    'Lists the last refused requests of an application, newest first: why, and what its developer does about it.',
  notes: ['At most 50, of the last 7 days.'],
  parameters: ['ID'],
  options: EXPORT_OPTIONS,
  audited: false,
  example: `refusals ${EXAMPLE_ID} --db platform.sqlite`,
  async run({ platform, parameters: [applicationId], values: { format } }) {
    const { items } = await requirePart(platform, 'usage').refusals(applicationId)
    const exported = exportList(format, 'refusals', {
      pages: toPages(items),
      columns: ['at', 'api', 'error', 'reason', 'problem', 'fix', 'address', 'requestId', 'route'],
      formatRows: ({ at, api, error, reason, problem, fix, address = '', requestId = '', route = '' }) => [
        [at.toISOString(), api, error, reason, problem, fix, address, requestId, route],
      ],
    })
    if (exported) return exported
    const headings = ['at', 'api', 'error', 'route', 'address', 'request', 'why']
    return {
      json: { items },
      text: items.length === 0 ? 'No refusals.' : formatTable(headings, items.map(formatRefusal)),
    }
  },
})

export const usageCommands = [usageCommand, refusalsCommand]

/** `usage --routes` */
async function listRoutes(platform: AdminApi, query: UsageQuery, values: ListValues): Promise<CommandResult> {
  const usage = requirePart(platform, 'usage')
  const headings = ['period', 'application', 'api', 'route', 'allowed', 'units']
  return listOrExport('usage', values, {
    readPage: (page) => usage.routes({ ...query, ...page }),
    headings,
    formatRow: (entry) => formatRoute(entry).map(String),
    empty:
      'No usage is stored by route: only servers with usage({ routes: true }) count it, and they store it once a minute.',
    columns: [...headings, ...CUSTOMER_COLUMNS],
    formatRows: withCustomer(platform, (entry: RouteUsageEntry) => [formatRoute(entry)]),
  })
}

/** Whose invoice it is. They are empty for an application that was deleted, because that erases them. */
const CUSTOMER_COLUMNS = ['name', 'externalId', 'plan']

/** The same rows with these columns. The entries of an application follow one another, so each is read once. */
function withCustomer<Entry extends { readonly applicationId: string }>(
  { applications }: Pick<AdminApi, 'applications'>,
  formatRows: (entry: Entry) => (string | number)[][],
): (entry: Entry) => Promise<(string | number)[][]> {
  let known: string | undefined
  let customer: readonly string[] = []
  return async function formatRowsWithCustomer(entry) {
    if (entry.applicationId !== known) {
      const { name = '', externalId = '', plan = '' } = (await applications.get(entry.applicationId)) ?? {}
      customer = [name, externalId, plan]
      known = entry.applicationId
    }
    return formatRows(entry).map((row) => [...row, ...customer])
  }
}

function formatRoute({ period, applicationId, api, route, allowed, units }: RouteUsageEntry): (string | number)[] {
  return [period, applicationId, api, route, allowed, units]
}

async function* toPages<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items
}

function listOutcomes({
  period,
  applicationId,
  api,
  allowed,
  accessTokens,
  refused,
}: UsageEntry): (string | number)[][] {
  const outcomes: [string, number][] = [['allowed', allowed], ['token', accessTokens], ...Object.entries(refused)]
  return outcomes
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => [period, applicationId, api, outcome, count])
}

function formatEntry({ period, applicationId, api, allowed, accessTokens, refused }: UsageEntry): string[] {
  const errors = Object.entries(refused).map(([error, count]) => `${error}=${count}`)
  return [period, applicationId, api, String(allowed), String(accessTokens), errors.join(' ') || '-']
}

function formatRefusal({ at, api, error, route, address, requestId, problem, fix }: RefusalEntry): string[] {
  return [formatTime(at), api, error, route ?? '-', address ?? '-', requestId ?? '-', describeWithFix({ problem, fix })]
}
