import type { ReportedRequests } from '../../features/usage/index.js'
import { command, option, type OptionTable } from '../command.js'
import { formatTime } from '../format.js'
import { EXPORT_OPTIONS, exportList } from './export.js'
import { requirePart } from '../target.js'
import { listPages, PAGING_OPTIONS, readPages } from './paging.js'

const REPORT_ONLY_OPTIONS = {
  api: option.text('API', 'Of this API only.'),
  ...EXPORT_OPTIONS,
  ...PAGING_OPTIONS,
} as const satisfies OptionTable

/** `report-only`: what report-only guards would refuse. */
export const reportOnlyCommand = command({
  name: 'report-only',
  summary: 'Lists the requests that report-only guards would refuse: of one application or of all, by route.',
  notes: [
    'Requests without a valid credential are listed first: their application is not known.',
    'Processes store what they have counted every minute.',
  ],
  parameters: ['[ID]'],
  requires: 'store',
  options: REPORT_ONLY_OPTIONS,
  example: 'report-only --api orders --db platform.sqlite',
  async run({ platform, parameters: [applicationId], values: { api, format, after, limit, all } }) {
    const { reportOnly } = requirePart(platform, 'usage')
    const exported = exportList(format, 'report-only', {
      pages: readPages((next) => reportOnly({ applicationId, api, after: next, limit: 1000 }), after),
      columns: ['application', 'api', 'route', 'reason', 'count', 'firstAt', 'lastAt'],
      formatRows: ({ applicationId: id = '', count, firstAt, lastAt, ...entry }) => [
        [id, entry.api, entry.route, entry.reason, count, firstAt.toISOString(), lastAt.toISOString()],
      ],
    })
    if (exported) return exported
    return listPages(
      { after, limit, all },
      {
        readPage: (page) => reportOnly({ applicationId, api, ...page }),
        headings: ['application', 'api', 'route', 'reason', 'count', 'since', 'last'],
        formatRow: formatEntry,
        empty: 'No requests that would have been refused were counted: only servers with usage() count them.',
      },
    )
  },
})

function formatEntry({ applicationId = '-', api, route, reason, count, firstAt, lastAt }: ReportedRequests): string[] {
  return [applicationId, api, route, reason, String(count), formatTime(firstAt), formatTime(lastAt)]
}
