import type { AdminApi, DryRunEntry, DryRunQuery } from '../../index.js'
import { command, type OptionTable } from '../command.js'
import { formatTime } from '../format.js'
import { EXPORT_OPTIONS, exportList } from './export.js'
import { listPages, PAGING_OPTIONS } from './paging.js'

const DRY_RUN_OPTIONS = {
  api: { kind: 'text', placeholder: 'API', description: 'Of this API only.' },
  ...EXPORT_OPTIONS,
  ...PAGING_OPTIONS,
} as const satisfies OptionTable

/** `dry-run`: what guards with `enforce: false` would refuse. */
export const dryRunCommand = command({
  name: 'dry-run',
  summary: 'Lists the requests that guards with enforce: false would refuse: of one application or of all, by route.',
  notes: [
    'Requests without a valid credential are listed first: their application is not known.',
    'Processes store what they have counted every minute.',
  ],
  parameters: ['[ID]'],
  requires: 'store',
  options: DRY_RUN_OPTIONS,
  example: 'dry-run --api orders --db platform.sqlite',
  async run({ platform, parameters: [applicationId], values: { api, format, after, limit, all } }) {
    const exported = exportList(format, 'dry-run', {
      pages: readAll(platform, { applicationId, api, after, limit: 1000 }),
      columns: ['application', 'api', 'route', 'reason', 'count', 'firstAt', 'lastAt'],
      formatRows: ({ applicationId: id = '', count, firstAt, lastAt, ...entry }) => [
        [id, entry.api, entry.route, entry.reason, count, firstAt.toISOString(), lastAt.toISOString()],
      ],
    })
    if (exported) return exported
    return listPages(
      { after, limit, all },
      {
        readPage: (page) => platform.dryRun.report({ applicationId, api, ...page }),
        headings: ['application', 'api', 'route', 'reason', 'count', 'since', 'last'],
        formatRow: formatEntry,
        empty: 'No requests that would have been refused.',
      },
    )
  },
})

async function* readAll({ dryRun }: Pick<AdminApi, 'dryRun'>, query: DryRunQuery): AsyncGenerator<DryRunEntry[]> {
  for (let { after } = query; ;) {
    const { items, next } = await dryRun.report({ ...query, after })
    yield items
    if (next === undefined) return
    after = next
  }
}

function formatEntry({ applicationId = '-', api, route, reason, count, firstAt, lastAt }: DryRunEntry): string[] {
  return [applicationId, api, route, reason, String(count), formatTime(firstAt), formatTime(lastAt)]
}
