import type { AuditEntry, EventType } from '../../../index.js'
import { command, option } from '../command.js'
import { CommandError } from '../errors.js'
import { formatTime } from '../format.js'
import { EXAMPLE_ID } from '../program.js'
import { listPages, PAGING_OPTIONS } from './paging.js'

/** `audit`: the audit log. */
export const auditCommand = command({
  name: 'audit',
  summary: 'Lists changes, oldest first unless --newest: who, what, when. Of one application, or of all.',
  parameters: ['[ID]'],
  options: {
    newest: option.flag('Newest first.'),
    type: option.text('TYPE', 'Only changes of this type, such as application.suspended.'),
    actor: option.text('NAME', 'Only changes that this actor made: what --by or the option by named.'),
    from: option.text('TIME', 'Only changes from this time on: 2027-01-31T12:00:00Z, or 2027-01-31 (UTC).'),
    until: option.text('TIME', 'Only changes before this time.'),
    ...PAGING_OPTIONS,
  },
  audited: false,
  example: `audit ${EXAMPLE_ID} --all --db platform.sqlite`,
  async run({
    platform,
    parameters: [applicationId],
    values: { after, limit, all, newest, type, actor, from, until },
  }) {
    const filter = {
      applicationId,
      order: newest ? 'newest' : 'oldest',
      type: type as EventType | undefined,
      by: actor,
      from: readTime('from', from),
      until: readTime('until', until),
    } as const
    return listPages(
      { after, limit, all },
      {
        readPage: (query) => platform.audit.list({ ...query, ...filter }),
        headings: ['id', 'at', 'what', 'by', 'application', 'details'],
        formatRow: formatEntry,
        empty: 'No changes.',
      },
    )
  },
})

/** A date or a time with its offset, because a time without one would be that of this machine. */
function readTime(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
  const time = new Date(text)
  if (isTime && !Number.isNaN(time.getTime())) return time
  throw new CommandError(`--${option} ${text} is no time, such as 2027-01-31T12:00:00Z or 2027-01-31.`)
}

function formatEntry({ id, at, type, by, applicationId, details }: AuditEntry): string[] {
  return [id, formatTime(at), type, by ?? '-', applicationId ?? '-', formatDetails(details) || '-']
}

function formatDetails(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
