import type { QuotaCount, QuotaStore, QuotaTotals } from '../../shared/contracts/quotas.js'
import type { createMemoryUsage } from './usage.js'

/** The ids of batches are those of the usage. */
export function createMemoryQuotas({
  addBatch,
  deleteBatches,
}: Pick<ReturnType<typeof createMemoryUsage>, 'addBatch' | 'deleteBatches'>): QuotaStore {
  /** By application, then by day. */
  const counts = new Map<string, Map<string, number>>()

  function add({ applicationId, day, count }: QuotaCount): void {
    const own = counts.get(applicationId) ?? new Map<string, number>()
    counts.set(applicationId, own.set(day, (own.get(day) ?? 0) + count))
  }

  function readTotals({ applicationId, day }: QuotaCount): QuotaTotals {
    const own = counts.get(applicationId) ?? new Map<string, number>()
    const month = day.slice(0, 'YYYY-MM'.length)
    const ofMonth = [...own].reduce((sum, [each, count]) => (each.startsWith(month) ? sum + count : sum), 0)
    return { ofDay: own.get(day) ?? 0, ofMonth }
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
    async deleteExpired({ countsBefore, batchesBefore }) {
      for (const own of counts.values()) for (const day of own.keys()) if (day < countsBefore) own.delete(day)
      deleteBatches(batchesBefore)
      return 0
    },
  }
}
