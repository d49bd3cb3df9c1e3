import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import type { ApiObserver, CountRequest, KnownRefusal } from '../../shared/contracts/api-observer.js'
import { readOrigin } from '../../core/http/origin.js'
import type { UsageCount, UsageStore } from '../../shared/contracts/usage.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { createBatchWriter } from './batch-writer.js'
import { createCounts } from './counts.js'
import { createRefusalBuffer, KEPT_REFUSALS } from './refusal-buffer.js'
import { readRequestId } from './request-id.js'
import { createRouteCounts } from './route-counts.js'
import { describeRefusedRoute } from './route-name.js'

/** Collects usage and refusals in memory, and writes them to the store. None of its methods throws or rejects. */
export interface UsageCollector {
  /** The function that counts the requests that the guards of an API allow. */
  allowedCounter(api: string): CountRequest
  /** The functions that count them by route, too, if that is wanted. */
  routeCounter(api: string): Pick<ApiObserver, 'allowed' | 'noted'> | undefined
  /** The function that counts the access tokens that are issued for an API. */
  accessTokenCounter(api: string): CountRequest
  noteRefusal(refusal: KnownRefusal & { readonly api: string }, req: IncomingMessage): void
  /** Writes everything that has been collected. Resolves also if the store does not answer; it is then written later. */
  flush(): Promise<void>
  /** The same, for the last time. */
  close(): Promise<void>
}

export interface UsageCollectorOptions {
  readonly store: Pick<UsageStore, 'add' | 'addRefusals'>
  readonly now: () => number
  /** Whether requests are counted by route, too. */
  readonly routes?: boolean
  /** The interval of writes, which tests shorten. */
  readonly countsInterval?: number
}

/** A process that is killed loses the counts of this time at most. */
const COUNTS_INTERVAL_MS = 60_000
const REFUSALS_INTERVAL_MS = 1000
/** The wait after a failed write of refusals. */
const REFUSALS_RETRY_INTERVAL_MS = 10_000
/** Timers may end early. */
const TIMER_INACCURACY_MS = 5
/** Flush early when this many counters exist (application, API, outcome, and as many with routes). */
const MAX_COUNTS = 10_000
/** One transaction blocks SQLite's event loop, so the number of its counts is limited. */
const MAX_COUNTS_PER_WRITE = 1000
/** Outcomes that are no refusals: an `allow` of the host may answer any error code. */
const OTHER_OUTCOMES: readonly string[] = ['allowed', 'token']
const LIMIT_ERRORS: readonly string[] = ['too_many_requests', 'quota_exceeded']

export function createUsageCollector(options: UsageCollectorOptions): UsageCollector {
  const { store, now, routes = false, countsInterval = COUNTS_INTERVAL_MS } = options
  const counts = createCounts({ now, limit: MAX_COUNTS, onNew: scheduleCounts })
  /** They have a limit of their own, so that they displace no others. */
  const ofRoutes = createCounts({ now, limit: MAX_COUNTS, onNew: scheduleCounts })
  const routeCounts = routes ? createRouteCounts(ofRoutes) : undefined
  const refusals = createRefusalBuffer()
  const countsWriter = createBatchWriter({
    write: (batch, rows) => store.add(batch, rows),
    takeAll: takeCounts,
    maxRows: MAX_COUNTS_PER_WRITE,
    now,
  })
  const refusalsWriter = createBatchWriter({
    write: (batch, rows) => store.addRefusals(batch, rows, KEPT_REFUSALS),
    takeAll: refusals.takeAll,
    maxRows: Infinity,
    now,
  })
  let countsTimer: NodeJS.Timeout | undefined
  let dayTimer: NodeJS.Timeout | undefined
  let refusalsTimer: NodeJS.Timeout | undefined
  let isWrittenEarly = false
  let closed = false

  function takeCounts(): readonly UsageCount[] {
    routeCounts?.countUnanswered()
    return [...counts.takeAll(), ...ofRoutes.takeAll()]
  }

  function scheduleCounts(): void {
    if (closed) return
    if (!countsTimer) startCountsTimers()
    if (Math.max(counts.size, ofRoutes.size) < MAX_COUNTS || isWrittenEarly) return
    isWrittenEarly = true
    setImmediate(writeCountsOnTimer)
  }

  function startCountsTimers(): void {
    countsTimer = setTimeout(writeCountsOnTimer, countsInterval).unref()
    const restOfDay = DAY_MS - (now() % DAY_MS)
    if (restOfDay < countsInterval) dayTimer = setTimeout(endDay, restOfDay + TIMER_INACCURACY_MS).unref()
  }

  function endDay(): void {
    counts.endDay()
    ofRoutes.endDay()
  }

  function scheduleRefusals(delay: number): void {
    if (!closed) refusalsTimer ??= setTimeout(writeRefusalsOnTimer, delay).unref()
  }

  async function writeCounts(): Promise<void> {
    clearTimers()
    countsTimer = undefined
    endDay()
    // While writes fail, the next one is in a minute.
    if (await countsWriter.write()) isWrittenEarly = false
    if (counts.size + ofRoutes.size + countsWriter.waiting > 0) scheduleCounts()
  }

  async function writeRefusals(): Promise<void> {
    const isWritten = await refusalsWriter.write()
    refusalsTimer = undefined
    if (!isWritten) scheduleRefusals(REFUSALS_RETRY_INTERVAL_MS)
    else if (refusals.size > 0) scheduleRefusals(REFUSALS_INTERVAL_MS)
  }

  async function flush(): Promise<void> {
    await Promise.all([countsWriter.write(), refusalsWriter.write()])
  }

  function clearTimers(): void {
    clearTimeout(countsTimer)
    clearTimeout(dayTimer)
  }

  // The functions are bound here, because a request starts the timers: the writes must not be part of that request's trace.
  const writeCountsOnTimer = AsyncResource.bind(() => void writeCounts())
  const writeRefusalsOnTimer = AsyncResource.bind(() => void writeRefusals())

  return {
    allowedCounter: (api) => counts.counter(api, 'allowed'),
    routeCounter: (api) => routeCounts?.observe(api, counts.counter(api, 'allowed')),
    accessTokenCounter: (api) => counts.counter(api, 'token'),
    noteRefusal({ applicationId, api, denied: { error, headers }, reason, details = {} }, req) {
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
      scheduleRefusals(REFUSALS_INTERVAL_MS)
    },
    flush,
    async close() {
      closed = true
      clearTimers()
      clearTimeout(refusalsTimer)
      await flush()
    },
  }
}
