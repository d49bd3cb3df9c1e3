import type { ReportedCount, ReportedKey } from '../../shared/contracts/usage.js'
import { isText } from '../../core/applications/call-arguments.js'
import { readPageSize } from '../../core/applications/records/validation.js'
import { invalidCursor } from '../../shared/contracts/errors.js'
import type { UsageReads } from './list-usage.js'

/** Requests that report-only guards let pass and would have refused. */
export interface ReportedRequests {
  /** The application's id; left out if it is not known: no credential, or one that is not valid. */
  readonly applicationId?: string
  readonly api: string
  /**
   * The method and the route's pattern, such as `GET /orders/items/:id`; `*` stands for the path of a router that is no
   * plain text. `unmatched` if there was no route.
   */
  readonly route: string
  /** The reason as in events, such as `no_credential` or `insufficient_scope`. */
  readonly reason: string
  readonly count: number
  readonly firstAt: Date
  readonly lastAt: Date
}

/** The query of `auth.usage.reportOnly()`. */
export interface ReportedQuery<ApiNames extends string = string> {
  readonly applicationId?: string | undefined
  readonly api?: ApiNames | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
  /** Entries in a page: 1 to 1000; 100 if left out. */
  readonly limit?: number | undefined
}

export function createListReported({ store, opened }: UsageReads, flush?: () => Promise<unknown>) {
  return async function listReported({ applicationId, api, after, limit }: ReportedQuery = {}) {
    const pageSize = readPageSize(limit)
    const key = readCursor(after)
    await opened()
    await flush?.()
    const counts = await store.listReported({ after: key, applicationId, api, limit: pageSize + 1 })
    const items = counts.slice(0, pageSize)
    const last = items.at(-1)
    return { items: items.map(describe), ...(last && counts.length > pageSize && { next: formatCursor(last) }) }
  }
}

function describe({ applicationId, api, route, reason, count, firstAt, lastAt }: ReportedCount): ReportedRequests {
  return {
    ...(applicationId !== '' && { applicationId }),
    api,
    route,
    reason,
    count,
    firstAt: new Date(firstAt),
    lastAt: new Date(lastAt),
  }
}

function formatCursor({ applicationId, api, route, reason }: ReportedKey): string {
  return Buffer.from(JSON.stringify([applicationId, api, route, reason])).toString('base64url')
}

function readCursor(after: unknown): ReportedKey | undefined {
  if (after === undefined) return undefined
  try {
    const key: unknown = JSON.parse(Buffer.from(after as string, 'base64url').toString())
    if (Array.isArray(key) && key.length === 4 && key.every(isText)) {
      const [applicationId = '', api = '', route = '', reason = ''] = key
      return { applicationId, api, route, reason }
    }
  } catch {
    // A text that is no cursor gets the error below.
  }
  throw invalidCursor()
}
