import type { AuditEntry } from '../../index.js'
import { command } from '../command.js'
import { formatTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { listPages, PAGING_OPTIONS } from './paging.js'

/** `audit`: the audit log. */
export const auditCommand = command({
  name: 'audit',
  summary: 'Lists every change, oldest first: who, what, when. Of one application, or of all.',
  parameters: ['[ID]'],
  requires: 'store',
  options: PAGING_OPTIONS,
  example: `audit ${EXAMPLE_ID} --all --db platform.sqlite`,
  async run({ platform, parameters: [applicationId], values: { after, limit, all } }) {
    return listPages(
      { after, limit, all },
      {
        readPage: (query) => platform.audit.list({ ...query, applicationId }),
        headings: ['id', 'at', 'what', 'by', 'application', 'details'],
        formatRow: formatEntry,
        empty: 'No changes.',
      },
    )
  },
})

function formatEntry({ id, at, type, by, applicationId, details }: AuditEntry): string[] {
  return [id, formatTime(at), type, by ?? '-', applicationId ?? '-', formatDetails(details) || '-']
}

function formatDetails(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
