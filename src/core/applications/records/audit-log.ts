import type { Audit } from '../audit-api.js'
import { ApplicationError } from '../../../shared/contracts/errors.js'
import type { Store } from '../../../shared/contracts/store.js'
import { readPageSize, readTime } from './validation.js'

interface AuditOptions {
  readonly store: Store
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
}

export function createAudit({ store, opened }: AuditOptions): Audit {
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
  throw new ApplicationError('invalid_argument', "order must be 'oldest' or 'newest'.")
}
