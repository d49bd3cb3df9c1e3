import type { AuditRecord } from '../contracts/store-records.js'
import type { Store } from '../contracts/store.js'
import { readPageSize } from './validation.js'

/** One change, as `auth.audit` shows it. */
export interface AuditEntry extends Omit<AuditRecord, 'at'> {
  readonly at: Date
}

/** `auth.audit`: who changed what, when. */
export interface Audit {
  /** Oldest first, 100 at a time unless `limit` (1 to 1000) is given; `next` is the `after` of the next page. */
  list(query?: {
    readonly after?: string | undefined
    readonly limit?: number | undefined
    readonly applicationId?: string | undefined
  }): Promise<{ items: AuditEntry[]; next?: string }>
}

interface AuditOptions {
  readonly store: Store
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
}

export function createAudit({ store, opened }: AuditOptions): Audit {
  return {
    async list({ after, limit, applicationId } = {}) {
      const pageSize = readPageSize(limit)
      await opened()
      // One more than the page holds: whether there is a next page.
      const records = await store.listAudit({ after, limit: pageSize + 1, applicationId })
      const items = records.slice(0, pageSize).map((record) => ({ ...record, at: new Date(record.at) }))
      const last = items.at(-1)
      return records.length > pageSize && last ? { items, next: last.id } : { items }
    },
  }
}
