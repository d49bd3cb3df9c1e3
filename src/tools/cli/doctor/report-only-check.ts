import type { AdminApi } from '../../admin/index.js'
import type { ReportedRequests } from '../../../features/usage/index.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { readPages } from '../commands/paging.js'
import { formatTime } from '../format.js'
import { PROGRAM } from '../program.js'
import { MAX_LISTED, note, problem, type Check } from './finding.js'

/** Entries that are read at most, so that the doctor soon answers. */
const MAX_READ = 10_000

/**
 * Whether guards only report. The options of a guard are in the code of the app, but what it reports is in the store; the check
 * of the options finds those of the platform and of APIs.
 */
export const reportOnlyCheck: Check = {
  name: 'guards that only report',
  async run({ admin, production }) {
    const recent = await listRecent(admin!.usage)
    if (recent.length === 0) return []
    const last = Math.max(...recent.map(({ lastAt }) => lastAt.getTime()))
    const apis = [...new Set(recent.map(({ api }) => `"${api}"`))].join(', ')
    const create = production ? problem : note
    return create(
      `In the last 24 hours report-only guards let requests pass that they would refuse, the last at ${formatTime(last)}: API ${apis}.`,
      `${PROGRAM} report-only. Then remove reportOnly from guard, API or platform.`,
    )
  },
}

async function listRecent(usage: AdminApi['usage']): Promise<readonly ReportedRequests[]> {
  if (!usage) return []
  const since = Date.now() - DAY_MS
  const recent: ReportedRequests[] = []
  let read = 0
  for await (const items of readPages((after) => usage.reportOnly({ after, limit: MAX_LISTED }))) {
    recent.push(...items.filter(({ lastAt }) => lastAt.getTime() > since))
    read += items.length
    if (read >= MAX_READ) break
  }
  return recent
}
