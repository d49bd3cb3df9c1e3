import type { AuditEntry } from '../index.js'
import { command, PAGING } from './command.js'
import { defined } from './defined.js'
import { pagesOf } from './pages.js'
import { EXAMPLE_ID } from './program.js'
import { instant, table } from './table.js'

/** `audit`: who changed what, when. */
export const auditCommand = command({
  name: 'audit',
  summary: 'Lists every change, oldest first: who, what, when. Of one application, or all.',
  parameters: ['[ID]'],
  needs: 'store',
  options: PAGING,
  example: `audit ${EXAMPLE_ID} --all --db platform.sqlite`,
  async run({ platform, parameters: [applicationId], values: { after, limit, all } }) {
    const { items, next } = await pagesOf({ after, all }, async (from) => {
      const { items: records, next } = await platform.audit.list(defined({ after: from, limit, applicationId }))
      return { items: records, next }
    })
    const more = next ? `\n\nThere are more: --after ${next}` : ''
    return {
      json: { items, next },
      text: items.length > 0 ? listOf(items) + more : 'Nothing has been changed.',
    }
  },
})

function listOf(records: readonly AuditEntry[]): string {
  const rows = records.map(({ id, at, type, by, applicationId, details }) => [
    id,
    instant(at),
    type,
    by ?? '-',
    applicationId ?? '-',
    Object.entries(details)
      .map(([name, value]) => `${name}=${plain(value)}`)
      .join(' ') || '-',
  ])
  return table(['id', 'at', 'what', 'by', 'application', 'details'], rows)
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
