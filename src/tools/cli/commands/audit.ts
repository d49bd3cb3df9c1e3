import type { AuditEntry } from '../../../index.js'
import { formatTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { listCommand } from './lists.js'

export const auditCommand = listCommand('audit.list', {
  name: 'audit',
  summary: 'Lists changes, oldest first unless --newest: who, what, when. Of one application, or of all.',
  parameters: ['applicationId'],
  members: {
    by: { option: 'actor', placeholder: 'NAME', hint: 'What --by or the option by named.' },
    from: { placeholder: 'TIME', hint: '2027-01-31T12:00:00Z, or 2027-01-31 (UTC).' },
  },
  example: `audit ${EXAMPLE_ID} --all --db platform.sqlite`,
  list: () => ({
    headings: ['id', 'at', 'what', 'by', 'application', 'details'],
    formatRow: formatEntry,
    empty: 'No changes.',
  }),
})

/** The types of events are text here. */
type Entry = Omit<AuditEntry, 'type'> & { readonly type: string }

function formatEntry({ id, at, type, by, applicationId, details }: Entry): string[] {
  const shown = Object.entries(details).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return [id, formatTime(at), type, by ?? '-', applicationId ?? '-', shown.join(' ') || '-']
}
