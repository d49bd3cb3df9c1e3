import { AsyncResource } from 'node:async_hooks'
import type { ReportedRequest } from '../../shared/contracts/api-observer.js'
import type { ReportedCount } from '../../shared/contracts/reported.js'
import type { UsageStore } from '../../shared/contracts/usage.js'
import { createBatchWriter } from './batch-writer.js'

/** Counts in memory the requests that guards would have refused, and writes the counts to the store. */
export interface ReportedCollector {
  count(request: ReportedRequest & { readonly api: string; readonly route: string }): void
  /** Writes all counts. Resolves also if the store does not answer; they are then written later. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface ReportedCollectorOptions {
  readonly store: Pick<UsageStore, 'addReported'>
  readonly now: () => number
  /** The limit of counters, which tests lower. */
  readonly maxCounts?: number
}

/** A process that is killed loses the counts of this time at most. */
const WRITE_INTERVAL_MS = 60_000
/** Flush early when this many counters exist (application, API, route, reason). */
const MAX_COUNTS = 10_000
/** One transaction blocks SQLite's event loop, so the number of its counts is limited. */
const MAX_COUNTS_PER_WRITE = 1000
/** The route under which requests are counted while there is no place for more counts: none is lost. */
const OTHER_ROUTES = 'other'

type Cell = { -readonly [Name in keyof ReportedCount]: ReportedCount[Name] }

export function createReportedCollector(options: ReportedCollectorOptions): ReportedCollector {
  const { store, now, maxCounts = MAX_COUNTS } = options
  let cells = new Map<string, Cell>()
  let timer: NodeJS.Timeout | undefined
  let isWrittenEarly = false
  let closed = false
  const writer = createBatchWriter({
    write: (batch, rows) => store.addReported(batch, rows),
    takeAll,
    maxRows: MAX_COUNTS_PER_WRITE,
    now,
  })

  function takeAll(): readonly ReportedCount[] {
    const taken = [...cells.values()]
    cells = new Map()
    return taken
  }

  function add(applicationId: string, api: string, route: string, reason: string, at: number): void {
    const name = [applicationId, api, route, reason].join('\0')
    const cell = cells.get(name)
    if (cell) {
      cell.count += 1
      cell.firstAt = Math.min(cell.firstAt, at)
      cell.lastAt = Math.max(cell.lastAt, at)
    } else if (cells.size < maxCounts || route === OTHER_ROUTES) {
      cells.set(name, { applicationId, api, route, reason, count: 1, firstAt: at, lastAt: at })
      schedule()
    } else add('', api, OTHER_ROUTES, reason, at)
  }

  function schedule(): void {
    if (closed) return
    timer ??= setTimeout(writeOnTimer, WRITE_INTERVAL_MS).unref()
    if (cells.size < maxCounts || isWrittenEarly) return
    isWrittenEarly = true
    setImmediate(writeOnTimer)
  }

  async function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // While writes fail, the next one is in a minute.
    if (await writer.write()) isWrittenEarly = false
    if (cells.size > 0 || writer.waiting > 0) schedule()
  }

  // The function is bound here, because a request starts the timer: the write must not be part of that request's trace.
  const writeOnTimer = AsyncResource.bind(() => void write())

  return {
    count: ({ applicationId = '', api, route, reason, at }) => add(applicationId, api, route, reason, at),
    flush: write,
    async close() {
      closed = true
      clearTimeout(timer)
      await writer.write()
    },
  }
}
