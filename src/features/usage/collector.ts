import type { ApiObserver, ReportedRequest } from '../../shared/contracts/api-observer.js'
import { readOrigin } from '../../core/http/origin.js'
import type { RefusalRecord, UsageCount, UsageStore, ReportedCount } from '../../shared/contracts/usage.js'
import { createBatchWriter } from '../../shared/lib/batch-writer.js'
import { createCounts, isCounted } from './counts.js'
import { createRouteCounts, OTHER_ROUTES } from './route-counts.js'
import { describeRefusedRoute, describeRoute } from './route-name.js'

const COUNTS_INTERVAL_MS = 60_000
const REFUSALS_INTERVAL_MS = 1000
const REFUSALS_RETRY_INTERVAL_MS = 10_000
/** Counts are written early when this many counters exist (application, API, outcome, and as many with routes; those of report-only guards). */
const MAX_COUNTS = 10_000
/** Outcomes that are no refusals: an `allow` of the host may answer any error code. */
const OTHER_OUTCOMES: readonly string[] = ['allowed', 'token']
const LIMIT_ERRORS: readonly string[] = ['too_many_requests', 'quota_exceeded']

/** Collects usage and refusals in memory, and writes them to the store. None of its methods throws or rejects. */
export function createUsageCollector(
  store: Pick<UsageStore, 'add' | 'addRefusals'>,
  now: () => number,
  countsRoutes = false,
) {
  const counts = createCounts(now, MAX_COUNTS, () => countsWriter.schedule())
  /** They have a limit of their own, so that they displace no others. */
  const ofRoutes = createCounts(now, MAX_COUNTS, () => countsWriter.schedule())
  const routeCounts = countsRoutes ? createRouteCounts(ofRoutes) : undefined
  const refusals = createRefusalBuffer()
  const countsWriter = createBatchWriter({
    add: (batch, rows: readonly UsageCount[]) => store.add(batch, rows),
    size: () => Math.max(counts.size, ofRoutes.size),
    manyRows: MAX_COUNTS,
    takeAll() {
      routeCounts?.countUnanswered()
      return [...counts.takeAll(), ...ofRoutes.takeAll()].filter(isCounted)
    },
    intervalMs: COUNTS_INTERVAL_MS,
    now,
  })
  const refusalsWriter = createBatchWriter({
    add: (batch, rows: readonly RefusalRecord[]) => store.addRefusals(batch, rows, KEPT_REFUSALS),
    size: () => refusals.size,
    takeAll: () => refusals.takeAll().filter(isCounted),
    intervalMs: REFUSALS_INTERVAL_MS,
    retryMs: REFUSALS_RETRY_INTERVAL_MS,
    now,
  })

  return {
    observe(api: string): ApiObserver {
      const allowed = counts.counter(api, 'allowed')
      return {
        allowed,
        ...routeCounts?.observe(api, allowed),
        tokenIssued: counts.counter(api, 'token'),
        refused({ applicationId, denied: { error, headers }, reason, details = {} }, req) {
          counts.count({ api, outcome: OTHER_OUTCOMES.includes(error) ? 'access_denied' : error }, applicationId)
          const origin = readOrigin(req)
          const retryAfter = LIMIT_ERRORS.includes(error) ? { retryAfter: Number(headers['Retry-After']) } : undefined
          refusals.add({
            applicationId,
            at: now(),
            api,
            error,
            reason,
            requestId: readRequestId(origin.requestId),
            address: origin.address,
            details: { ...details, ...retryAfter, route: details['route'] ?? describeRefusedRoute(req) },
          })
          refusalsWriter.schedule()
        },
      }
    },
    /** Writes everything that has been collected. Resolves also if the store does not answer; it is then written later. */
    async flush(): Promise<void> {
      await Promise.all([countsWriter.write(), refusalsWriter.write()])
    },
    async close(): Promise<void> {
      await Promise.all([countsWriter.close(), refusalsWriter.close()])
    },
  }
}

export function createUsageObserver(
  api: string,
  collector: ReturnType<typeof createUsageCollector> | undefined,
  reported: Pick<ReturnType<typeof createReportedCollector>, 'count'>,
): ApiObserver {
  return {
    ...collector?.observe(api),
    reported: (request, req) => reported.count({ ...request, api, route: describeRoute(req) }),
  }
}

/** The characters exclude `/`, `?` and `&`: some hosts use the path as id. */
const REQUEST_ID = /^[\w.:;=+@-]{1,128}$/

/** A request id that may be stored. Callers can often choose it, so that it could be anything; none holds a credential (`http/origin`). */
function readRequestId(id: string | undefined): string | undefined {
  return id !== undefined && REQUEST_ID.test(id) ? id : undefined
}

/** The number of refusals that are kept of an application, in memory and in the store. */
export const KEPT_REFUSALS = 50
const MAX_REFUSALS = 2000

function createRefusalBuffer() {
  let byApplication = new Map<string, RefusalRecord[]>()
  let size = 0

  function removeOldest(): void {
    const [oldest] = byApplication
    if (!oldest) return
    const [applicationId, refusals] = oldest
    refusals.shift()
    size -= 1
    if (refusals.length === 0) byApplication.delete(applicationId)
  }

  return {
    add(refusal: RefusalRecord): void {
      const refusals = byApplication.get(refusal.applicationId) ?? []
      if (refusals.length === 0) byApplication.set(refusal.applicationId, refusals)
      else if (refusals.length === KEPT_REFUSALS) {
        refusals.shift()
        size -= 1
      }
      refusals.push(refusal)
      size += 1
      if (size > MAX_REFUSALS) removeOldest()
    },
    takeAll(): readonly RefusalRecord[] {
      const taken = [...byApplication.values()].flat()
      byApplication = new Map()
      size = 0
      return taken
    },
    get size() {
      return size
    },
  }
}

type Cell = { -readonly [Name in keyof ReportedCount]: ReportedCount[Name] }

export function createReportedCollector(store: Pick<UsageStore, 'addReported'>, now: () => number) {
  let cells = new Map<string, Cell>()
  const writer = createBatchWriter({
    add: (batch, rows: readonly ReportedCount[]) => store.addReported(batch, rows),
    size: () => cells.size,
    manyRows: MAX_COUNTS,
    takeAll() {
      const taken = [...cells.values()]
      cells = new Map()
      return taken.filter(isCounted)
    },
    intervalMs: COUNTS_INTERVAL_MS,
    now,
  })

  function count(request: ReportedRequest & Pick<ReportedCount, 'api' | 'route'>): void {
    const { applicationId = '', api, route, reason, at } = request
    const name = [applicationId, api, route, reason].join('\0')
    const cell = cells.get(name)
    if (cell) {
      cell.count += 1
      cell.firstAt = Math.min(cell.firstAt, at)
      cell.lastAt = Math.max(cell.lastAt, at)
    } else if (cells.size < MAX_COUNTS || route === OTHER_ROUTES) {
      cells.set(name, { applicationId, api, route, reason, count: 1, firstAt: at, lastAt: at })
      writer.schedule()
    } else count({ ...request, applicationId: '', route: OTHER_ROUTES })
  }

  return { count, flush: writer.write, close: writer.close }
}
