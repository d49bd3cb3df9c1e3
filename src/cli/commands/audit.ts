import type { AuditEntry } from '../../index.js'
import { command } from '../command.js'
import { formatTable, formatTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { formatNextPage, listPages, PAGING_OPTIONS } from './paging.js'

/** `audit`: the audit log. */
export const auditCommand = command({
  name: 'audit',
  summary: 'Lists every change, oldest first: who, what, when. Of one application, or of all.',
  parameters: ['[ID]'],
  requires: 'store',
  options: PAGING_OPTIONS,
  example: `audit ${EXAMPLE_ID} --all --db platform.sqlite`,
  async run({ platform, parameters: [applicationId], values: { after, limit, all } }) {
    const { items, next } = await listPages({ after, all }, (after) =>
      platform.audit.list({ after, limit, applicationId }),
    )
    const text = items.length === 0 ? 'No changes.' : formatEntries(items)
    return { json: { items, next }, text: text + formatNextPage(next) }
  },
})

function formatEntries(entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ id, at, type, by, applicationId, details }) => [
    id,
    formatTime(at),
    type,
    by ?? '-',
    applicationId ?? '-',
    formatDetails(details) || '-',
  ])
  return formatTable(['id', 'at', 'what', 'by', 'application', 'details'], rows)
}

function formatDetails(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
