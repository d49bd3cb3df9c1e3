import { isText } from '../applications/call-arguments.js'
import { readPageSize } from '../applications/validation.js'
import type { DryRunCount, DryRunKey, DryRunStore } from '../contracts/dry-run.js'
import { ApplicationError } from '../contracts/errors.js'

/** Requests that guards with `enforce: false` let pass and would have refused. */
export interface DryRunEntry {
  /** Left out if the application is not known: no credential, or one that is not valid. */
  readonly applicationId?: string
  readonly api: string
  /**
   * The method and the route's pattern, such as `GET /orders/items/:id`; `*` stands for parts that may have been chosen by the
   * client. `unmatched` if there was no route.
   */
  readonly route: string
  /** Why, as in events: such as `no_credential` or `insufficient_scope`. */
  readonly reason: string
  readonly count: number
  readonly firstAt: Date
  readonly lastAt: Date
}

/** What `auth.dryRun.report()` lists. */
export interface DryRunQuery {
  readonly applicationId?: string | undefined
  readonly api?: string | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
  /** Entries in a page: 1 to 1000; 100 if left out. */
  readonly limit?: number | undefined
}

/** `auth.dryRun`: what guards with `enforce: false` would refuse. */
export interface DryRun {
  /**
   * How often requests would have been refused, by application (those that are not known first), API, route and reason. Other
   * processes write what they have counted every minute. Rejects with `ApplicationError` for a wrong argument.
   *
   * @example
   * ```ts
   * import type { PlatformAuth } from 'express-platform-auth'
   *
   * async function listAffected(auth: PlatformAuth): Promise<string[]> {
   *   const { items } = await auth.dryRun.report({ limit: 1000 })
   *   return items.map(({ applicationId = 'unknown', route, reason, count }) => `${applicationId} ${route}: ${reason}, ${count} times`)
   * }
   * ```
   */
  report(query?: DryRunQuery): Promise<{ items: DryRunEntry[]; next?: string }>
}

interface DryRunOptions {
  readonly store: Pick<DryRunStore, 'listDryRun'>
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  /** Writes what this process has counted. */
  readonly flush: () => Promise<void>
}

export function createDryRun({ store, opened, flush }: DryRunOptions): DryRun {
  return {
    async report({ applicationId, api, after, limit } = {}) {
      const pageSize = readPageSize(limit)
      const key = readCursor(after)
      await opened()
      await flush()
      // One more than the page holds: there is a next page.
      const counts = await store.listDryRun({ after: key, applicationId, api, limit: pageSize + 1 })
      const items = counts.slice(0, pageSize)
      const last = items.at(-1)
      return { items: items.map(describe), ...(last && counts.length > pageSize && { next: formatCursor(last) }) }
    },
  }
}

function describe({ applicationId, api, route, reason, count, firstAt, lastAt }: DryRunCount): DryRunEntry {
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

function formatCursor({ applicationId, api, route, reason }: DryRunKey): string {
  return Buffer.from(JSON.stringify([applicationId, api, route, reason])).toString('base64url')
}

function readCursor(after: unknown): DryRunKey | undefined {
  if (after === undefined) return undefined
  try {
    const key: unknown = JSON.parse(Buffer.from(after as string, 'base64url').toString())
    if (Array.isArray(key) && key.length === 4 && key.every(isText)) {
      const [applicationId = '', api = '', route = '', reason = ''] = key
      return { applicationId, api, route, reason }
    }
  } catch {
    // As below.
  }
  throw new ApplicationError('invalid_argument', 'after must be the `next` of the page before.')
}
