import { ApplicationError } from '../contracts/errors.js'
import type { AuditRecord, Store } from '../contracts/store.js'

/** One change, as `auth.audit` shows it. */
export interface AuditEntry extends Omit<AuditRecord, 'at'> {
  readonly at: Date
}

/** `auth.audit`: who changed what, when. */
export interface Audit {
  /** Oldest first, 100 at a time unless `limit` (1 to 1000) says otherwise; `next` is the `after` of the page that follows. */
  list(query?: {
    readonly after?: string | undefined
    readonly limit?: number | undefined
    readonly applicationId?: string | undefined
  }): Promise<{ items: AuditEntry[]; next?: string }>
}

interface AuditOptions {
  readonly store: Store
  readonly opened: () => Promise<unknown>
}

export function createAudit({ store, opened }: AuditOptions): Audit {
  return {
    async list({ after, limit = 100, applicationId } = {}) {
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1000) {
        throw new ApplicationError('invalid_argument', 'limit must be a whole number from 1 to 1000.')
      }
      await opened()
      const found = await store.listAudit({ after, limit: limit + 1, applicationId })
      const items = found.slice(0, limit).map((record) => ({ ...record, at: new Date(record.at) }))
      const last = items.at(-1)
      return found.length > limit && last ? { items, next: last.id } : { items }
    },
  }
}
