import type { ReportedRequests } from '../../../features/usage/index.js'
import { command, option } from '../command.js'
import { formatTime } from '../format.js'
import { LIST_OPTIONS, listOrExport } from './export.js'
import { requirePart } from '../target.js'

/** `report-only`: what report-only guards would refuse. */
export const reportOnlyCommand = command({
  name: 'report-only',
  summary: 'Lists the requests that report-only guards would refuse: of one application or of all, by route.',
  notes: [
    'Requests without a valid credential are listed first: their application is not known.',
    'Processes store what they have counted every minute.',
  ],
  parameters: ['[ID]'],
  options: { api: option.text('API', 'Of this API only.'), ...LIST_OPTIONS },
  audited: false,
  example: 'report-only --api orders --db platform.sqlite',
  async run({ platform, parameters: [applicationId], values }) {
    const { reportOnly } = requirePart(platform, 'usage')
    return listOrExport('report-only', values, {
      readPage: (page) => reportOnly({ applicationId, api: values.api, ...page }),
      headings: ['application', 'api', 'route', 'reason', 'count', 'since', 'last'],
      formatRow: formatEntry,
      empty:
        'No requests that would have been refused are stored: only servers with usage() count them, and they store them once a minute.',
      columns: ['application', 'api', 'route', 'reason', 'count', 'firstAt', 'lastAt'],
      formatRows: ({ applicationId: id = '', count, firstAt, lastAt, ...entry }) => [
        [id, entry.api, entry.route, entry.reason, count, firstAt.toISOString(), lastAt.toISOString()],
      ],
    })
  },
})

function formatEntry({ applicationId = '-', api, route, reason, count, firstAt, lastAt }: ReportedRequests): string[] {
  return [applicationId, api, route, reason, String(count), formatTime(firstAt), formatTime(lastAt)]
}
