import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type {
  ReportedCount,
  ReportedCountQuery,
  ReportedKey,
  ExpiredUsage,
  RefusalRecord,
  UsageBatch,
  UsageCount,
  UsageCountQuery,
  UsageSum,
  UsageSumQuery,
} from '../../shared/contracts/usage.js'
import { copyFrozen } from './deep-freeze.js'

export function createMemoryUsage(options: {
  readonly findApplication: (id: string) => ApplicationRecord | undefined
  /** Ids in the order in which the applications were added. */
  readonly listApplicationIds: () => Iterable<string>
}) {
  const { findApplication, listApplicationIds } = options
  const batches = new Map<string, number>()
  /** Counts by application, then by route, day, API and outcome. */
  const counts = new Map<string, Map<string, UsageCount>>()
  const overall = new Map<string, UsageCount>()
  const refusals = new Map<string, RefusalRecord[]>()
  const reported = createMemoryReported()

  /** Returns false for a batch that was added before. */
  function addBatch({ id, at }: UsageBatch): boolean {
    if (batches.has(id)) return false
    batches.set(id, at)
    return true
  }

  function addCount(given: UsageCount): void {
    const { applicationId } = given
    if (!findApplication(applicationId)) return
    const own = counts.get(applicationId) ?? new Map<string, UsageCount>()
    counts.set(applicationId, own)
    addTo(own, given)
    addTo(overall, { ...given, applicationId: '' })
  }

  function addUsage(batch: UsageBatch, given: readonly UsageCount[]): void {
    if (addBatch(batch)) for (const count of given) addCount(count)
  }

  function listUsage(query: UsageCountQuery): readonly UsageCount[] {
    const { after, applicationId, overall: isOverall, api, by, routes = false, from, to, limit } = query
    const page: UsageCount[] = []
    let isAfter = after === undefined
    for (const id of isOverall ? [''] : listApplicationIds()) {
      const start = after?.applicationId === id ? formatName(after) : ''
      isAfter ||= start !== ''
      if (!isAfter || (applicationId ?? id) !== id) continue
      const own = [...(isOverall ? overall : (counts.get(id) ?? []))].filter(
        ([, { day, api: ofApi, route = '' }]) =>
          day >= from && day <= to && (api ?? ofApi) === ofApi && routes === (route !== ''),
      )
      const listed = by === 'month' ? [...sumByMonth(own)] : own
      for (const [name, count] of listed.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
        if (page.length >= limit) return page
        if (name > start) page.push(count)
      }
    }
    return page
  }

  function listSums({ period, sort, after, limit }: UsageSumQuery): readonly UsageSum[] {
    const sums = [...counts].map(([applicationId, own]) => {
      const sum = { applicationId, name: findApplication(applicationId)!.name, allowed: 0, accessTokens: 0, refused: 0 }
      for (const { day, route = '', outcome, count } of own.values())
        if (route === '' && day.startsWith(period))
          sum[outcome === 'allowed' ? 'allowed' : outcome === 'token' ? 'accessTokens' : 'refused'] += count
      return sum
    })
    const compare = (one: UsageSum, id: string, count: number): number =>
      count - one[sort] || (one.applicationId > id ? -1 : 1)
    return sums
      .filter((sum) => sum[sort] > 0 && (!after || compare(sum, after.applicationId, after.count) > 0))
      .filter(({ applicationId }) => applicationId !== after?.applicationId)
      .toSorted((one, other) => compare(one, other.applicationId, other[sort]))
      .slice(0, limit)
  }

  function addRefusals(batch: UsageBatch, given: readonly RefusalRecord[], kept: number): void {
    if (!addBatch(batch)) return
    for (const refusal of given) {
      const { applicationId } = refusal
      if ((findApplication(applicationId)?.status ?? 'deleted') === 'deleted') continue
      refusals.set(applicationId, [...(refusals.get(applicationId) ?? []), copyFrozen(refusal)].slice(-kept))
    }
  }

  function addReported(batch: UsageBatch, given: readonly ReportedCount[]): void {
    if (addBatch(batch)) for (const count of given) reported.add(count)
  }

  function listRefusals(applicationId: string, after: number): readonly RefusalRecord[] {
    return (refusals.get(applicationId) ?? []).filter(({ at }) => at > after).toReversed()
  }

  function deleteExpired({ countsBefore, refusalsBefore, reportedBefore, batchesBefore }: ExpiredUsage): void {
    for (const own of [overall, ...counts.values()])
      for (const [name, { day }] of own) if (day < countsBefore) own.delete(name)
    for (const [id, own] of refusals)
      refusals.set(
        id,
        own.filter(({ at }) => at >= refusalsBefore),
      )
    reported.deleteExpired(reportedBefore)
    deleteBatches(batchesBefore)
  }

  function deleteBatches(before: number): void {
    for (const [id, at] of batches) if (at < before) batches.delete(id)
  }

  return {
    addBatch,
    deleteBatches,
    addUsage,
    listUsage,
    listSums,
    addRefusals,
    listRefusals,
    addReported,
    listReported: reported.list,
    deleteRefusals: (applicationId: string) => refusals.delete(applicationId),
    deleteExpired,
  }
}

function addTo(counts: Map<string, UsageCount>, given: UsageCount): void {
  const name = formatName(given)
  counts.set(name, copyFrozen({ ...given, count: given.count + (counts.get(name)?.count ?? 0) }))
}

function sumByMonth(counts: readonly (readonly [string, UsageCount])[]): Map<string, UsageCount> {
  const sums = new Map<string, UsageCount>()
  for (const [, count] of counts) addTo(sums, { ...count, day: count.day.slice(0, 'YYYY-MM'.length) })
  return sums
}

function formatName({ route = '', day, api, outcome }: Omit<UsageCount, 'applicationId' | 'count'>): string {
  return [route, day, api, outcome].join('\0')
}

function createMemoryReported() {
  const counts = new Map<string, ReportedCount>()

  return {
    add(given: ReportedCount): void {
      const name = formatReportedName(given)
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
      const start = after === undefined ? '' : formatReportedName(after)
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
function formatReportedName({ applicationId, api, route, reason }: ReportedKey): string {
  return [applicationId, api, route, reason].join('\0')
}
