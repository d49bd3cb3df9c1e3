import { invalidArgument } from '../../../shared/contracts/errors.js'
import type { Store } from '../../../shared/contracts/store.js'
import { readPageSize, readTime } from './validation.js'
import type { AuditRecord, EventType } from '../../../shared/contracts/events.js'

/** One change, as `auth.audit` shows it. */
export interface AuditEntry extends Omit<AuditRecord, 'at'> {
  readonly at: Date
}

/** The filter of `auth.audit.list()`. */
export interface AuditListQuery {
  /** The `next` of the page before. */
  readonly after?: string | undefined
  /** 1 to 1000; 100 if left out. */
  readonly limit?: number | undefined
  readonly applicationId?: string | undefined
  /** `oldest` first if left out. */
  readonly order?: 'oldest' | 'newest' | undefined
  /** The type, such as `application.suspended`. */
  readonly type?: EventType | undefined
  /** The actor, as given in `by`; compared exactly. */
  readonly by?: string | undefined
  /** Only changes from this time on. */
  readonly from?: Date | undefined
  /** Only changes before this time. */
  readonly until?: Date | undefined
}

/** `auth.audit`: changes with their actors and times. */
export interface Audit {
  /** A page of changes; `next` is the `after` of the next page, in the same order. Rejects with code `invalid_argument`. */
  list(query?: AuditListQuery): Promise<{ items: AuditEntry[]; next?: string }>
}

export function createAudit(options: { readonly store: Store; readonly opened: () => Promise<unknown> }): Audit {
  const { store, opened } = options
  return {
    async list({ after, limit, applicationId, order, type, by, from, until } = {}) {
      const pageSize = readPageSize(limit)
      const filter = {
        applicationId,
        newestFirst: readOrder(order) === 'newest',
        types: type === undefined ? undefined : [type],
        by,
        from: readTime('from', from),
        until: readTime('until', until),
      }
      await opened()
      // One record more than the page holds shows whether there is a next page.
      const records = await store.listAudit({ after, limit: pageSize + 1, ...filter })
      const items = records.slice(0, pageSize).map((record) => ({ ...record, at: new Date(record.at) }))
      const last = items.at(-1)
      return records.length > pageSize && last ? { items, next: last.id } : { items }
    },
  }
}

function readOrder(order: unknown = 'oldest'): 'oldest' | 'newest' {
  if (order === 'oldest' || order === 'newest') return order
  throw invalidArgument("order must be 'oldest' or 'newest'.")
}
