import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type {
  RefusalRecord,
  ReportedCount,
  ReportedCountQuery,
  ReportedKey,
  UsageBatch,
  UsageCount,
  UsageSum,
} from '../../shared/contracts/usage.js'
import { copyFrozen } from './deep-freeze.js'
import type { QuotaCount, QuotaTotals, QuotaUse } from '../../shared/contracts/quotas.js'
import type { StoreWith } from '../../shared/contracts/store.js'

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

  function deleteBatches(before: number): void {
    for (const [id, at] of batches) if (at < before) batches.delete(id)
  }

  const usage: StoreWith['usage'] = {
    async add(batch, given) {
      if (addBatch(batch)) given.forEach(addCount)
    },
    async list(query) {
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
    },
    async listSums({ period, sort, after, limit }) {
      const sums = [...counts].map(([applicationId, own]) => {
        const sum = {
          applicationId,
          name: findApplication(applicationId)!.name,
          allowed: 0,
          accessTokens: 0,
          refused: 0,
        }
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
    },
    async addRefusals(batch, given, kept) {
      if (!addBatch(batch)) return
      for (const refusal of given) {
        const { applicationId } = refusal
        if ((findApplication(applicationId)?.status ?? 'deleted') === 'deleted') continue
        refusals.set(applicationId, [...(refusals.get(applicationId) ?? []), copyFrozen(refusal)].slice(-kept))
      }
    },
    async listRefusals(applicationId, after) {
      return (refusals.get(applicationId) ?? []).filter(({ at }) => at > after).toReversed()
    },
    async deleteExpired({ countsBefore, refusalsBefore, reportedBefore, batchesBefore }) {
      for (const own of [overall, ...counts.values()])
        for (const [name, { day }] of own) if (day < countsBefore) own.delete(name)
      for (const [id, own] of refusals)
        refusals.set(
          id,
          own.filter(({ at }) => at >= refusalsBefore),
        )
      reported.deleteExpired(reportedBefore)
      deleteBatches(batchesBefore)
      // All collections are cleared at once, so that nothing is left.
      return 0
    },
    async addReported(batch, given) {
      if (addBatch(batch)) given.forEach(reported.add)
    },
    listReported: async (query) => reported.list(query),
  }

  return {
    usage,
    quotas: createMemoryQuotas({ addBatch, deleteBatches, findApplication }),
    deleteRefusals: (applicationId: string) => refusals.delete(applicationId),
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

function formatReportedName({ applicationId, api, route, reason }: ReportedKey): string {
  return [applicationId, api, route, reason].join('\0')
}

function createMemoryQuotas(options: {
  readonly addBatch: (batch: UsageBatch) => boolean
  readonly deleteBatches: (before: number) => void
  readonly findApplication: (id: string) => ApplicationRecord | undefined
}): StoreWith['quotas'] {
  const { addBatch, deleteBatches, findApplication } = options
  /** By application, then by day. */
  const counts = new Map<string, Map<string, number>>()

  function add({ applicationId, day, count }: QuotaCount): void {
    const own = counts.get(applicationId) ?? new Map<string, number>()
    counts.set(applicationId, own.set(day, (own.get(day) ?? 0) + count))
  }

  /** The units of a day, or of the days of a month. */
  function sum(applicationId: string, period: string): number {
    const own = counts.get(applicationId) ?? new Map<string, number>()
    return [...own].reduce((units, [day, count]) => (day.startsWith(period) ? units + count : units), 0)
  }

  function readTotals({ applicationId, day }: QuotaCount): QuotaTotals {
    return { ofDay: sum(applicationId, day), ofMonth: sum(applicationId, day.slice(0, 'YYYY-MM'.length)) }
  }

  return {
    async add(batch, given) {
      if (addBatch(batch)) given.forEach(add)
      return given.map(readTotals)
    },
    async list(applicationId, from, to) {
      return [...(counts.get(applicationId) ?? [])]
        .filter(([day]) => day >= from && day <= to)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([day, count]) => ({ applicationId, day, count }))
    },
    async listUsed({ plan, period, atLeast, after, limit }) {
      const isAfter = (use: QuotaUse): boolean => after === undefined || compareUse(after, use) < 0
      return [...counts.keys()]
        .flatMap((applicationId) => {
          const record = findApplication(applicationId)
          return record?.plan === plan ? [{ applicationId, name: record.name, count: sum(applicationId, period) }] : []
        })
        .filter((use) => use.count >= atLeast && isAfter(use))
        .toSorted(compareUse)
        .slice(0, limit)
    },
    async deleteExpired({ countsBefore, batchesBefore }) {
      for (const own of counts.values()) for (const day of own.keys()) if (day < countsBefore) own.delete(day)
      deleteBatches(batchesBefore)
      return 0
    },
  }
}

function compareUse(one: Omit<QuotaUse, 'name'>, other: Omit<QuotaUse, 'name'>): number {
  return other.count - one.count || (one.applicationId > other.applicationId ? -1 : 1)
}
