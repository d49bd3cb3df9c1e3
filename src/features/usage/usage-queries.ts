import {
  filter,
  options as readOptions,
  withCheckedArguments,
  type CallParameters,
} from '../../core/applications/call-arguments.js'
import type { Usage } from './usage-calls.js'
import { createListReported, type ReportedQuery } from './report-only.js'
import { createListRefusals } from './refusals.js'
import { createListTotals } from './totals.js'
import { createListUsage, type UsageQuery, type UsageReads } from './list-usage.js'

const OVERALL = { api: 'text', from: 'own', to: 'own', by: 'text', after: 'text', limit: 'own' } as const
const query = readOptions<UsageQuery>({ applicationId: 'text', ...OVERALL })
const overall = readOptions<Omit<UsageQuery, 'applicationId'>>(OVERALL)

const PARAMETERS: CallParameters<Usage> = {
  list: [query],
  routes: [query],
  overall: [overall],
  overallRoutes: [overall],
  totals: [
    readOptions<NonNullable<Parameters<Usage['totals']>[0]>>({
      period: 'text',
      sort: 'text',
      after: 'text',
      limit: 'own',
    }),
  ],
  refusals: [filter],
  reportOnly: [readOptions<ReportedQuery>({ applicationId: 'text', api: 'text', after: 'text', limit: 'own' })],
}

export function createUsageCalls(reads: UsageReads, flushReported?: () => Promise<void>): Usage {
  const lists = createListUsage(reads)
  return withCheckedArguments(PARAMETERS, {
    ...lists,
    totals: createListTotals(reads, lists.list),
    refusals: createListRefusals(reads),
    reportOnly: createListReported(reads, flushReported),
  })
}
