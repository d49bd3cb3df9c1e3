import type { ReportedCount, ReportedCountQuery, ReportedKey } from '../../shared/contracts/usage.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryReported() {
  const counts = new Map<string, ReportedCount>()

  return {
    add(given: ReportedCount): void {
      const name = formatName(given)
      const known = counts.get(name) ?? { ...given, count: 0 }
      counts.set(
        name,
        copyFrozen({
          ...given,
          count: known.count + given.count,
          firstAt: Math.min(known.firstAt, given.firstAt),
          lastAt: Math.max(known.lastAt, given.lastAt),
        }),
      )
    },
    list({ after, applicationId, api, limit }: ReportedCountQuery): readonly ReportedCount[] {
      const start = after === undefined ? '' : formatName(after)
      return [...counts]
        .filter(([name, count]) => {
          const isAsked =
            (applicationId ?? count.applicationId) === count.applicationId && (api ?? count.api) === count.api
          return isAsked && name > start
        })
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([, count]) => count)
    },
    deleteExpired(before: number): void {
      for (const [name, { lastAt }] of counts) if (lastAt < before) counts.delete(name)
    },
  }
}

/** Compares counts in the order of the list. */
function formatName({ applicationId, api, route, reason }: ReportedKey): string {
  return [applicationId, api, route, reason].join('\0')
}
