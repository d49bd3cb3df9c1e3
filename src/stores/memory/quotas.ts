import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { QuotaCount, QuotaStore, QuotaTotals, QuotaUse } from '../../shared/contracts/quotas.js'
import type { createMemoryUsage } from './usage.js'

/** The ids of batches are those of the usage. */
export function createMemoryQuotas(
  options: Pick<ReturnType<typeof createMemoryUsage>, 'addBatch' | 'deleteBatches'> & {
    readonly findApplication: (id: string) => ApplicationRecord | undefined
  },
): QuotaStore {
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
