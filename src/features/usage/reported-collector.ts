import type { ReportedRequest } from '../../shared/contracts/api-observer.js'
import type { ReportedCount, UsageStore } from '../../shared/contracts/usage.js'
import { createBatchWriter } from '../../shared/lib/batch-writer.js'
import { isCounted } from './counts.js'

/** A process that is killed loses the counts of this time at most. */
const WRITE_INTERVAL_MS = 60_000
/** Counts are written early when this many counters exist (application, API, route, reason). */
const MAX_COUNTS = 10_000
/** The route under which requests are counted while there is no place for more counts: none is lost. */
const OTHER_ROUTES = 'other'

type Cell = { -readonly [Name in keyof ReportedCount]: ReportedCount[Name] }

export function createReportedCollector(options: {
  readonly store: Pick<UsageStore, 'addReported'>
  /** The limit of counters, which tests lower. */
  readonly maxCounts?: number
  readonly now: () => number
}) {
  const { store, maxCounts = MAX_COUNTS, now } = options
  let cells = new Map<string, Cell>()
  const writer = createBatchWriter({
    add: (batch, rows: readonly ReportedCount[]) => store.addReported(batch, rows),
    size: () => cells.size,
    manyRows: maxCounts,
    takeAll() {
      const taken = [...cells.values()]
      cells = new Map()
      return taken.filter(isCounted)
    },
    intervalMs: WRITE_INTERVAL_MS,
    now,
  })

  function add(applicationId: string, api: string, route: string, reason: string, at: number): void {
    const name = [applicationId, api, route, reason].join('\0')
    const cell = cells.get(name)
    if (cell) {
      cell.count += 1
      cell.firstAt = Math.min(cell.firstAt, at)
      cell.lastAt = Math.max(cell.lastAt, at)
    } else if (cells.size < maxCounts || route === OTHER_ROUTES) {
      cells.set(name, { applicationId, api, route, reason, count: 1, firstAt: at, lastAt: at })
      writer.schedule()
    } else add('', api, OTHER_ROUTES, reason, at)
  }

  return {
    count: ({
      applicationId = '',
      api,
      route,
      reason,
      at,
    }: ReportedRequest & { readonly api: string; readonly route: string }): void =>
      add(applicationId, api, route, reason, at),
    async flush(): Promise<void> {
      await writer.write()
    },
    close: writer.close,
  }
}
