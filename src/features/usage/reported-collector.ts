import type { ReportedRequest } from '../../shared/contracts/api-observer.js'
import type { ReportedCount, UsageStore } from '../../shared/contracts/usage.js'
import { createBatchWriter } from '../../shared/lib/batch-writer.js'
import { isCounted } from './counts.js'

const WRITE_INTERVAL_MS = 60_000
const MAX_COUNTS = 10_000
/** The route under which requests are counted while there is no place for more counts: none is lost. */
const OTHER_ROUTES = 'other'

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
    intervalMs: WRITE_INTERVAL_MS,
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
