import type { ApplicationRecord } from '../../contracts/application-record.js'
import type { ReportedCount } from '../../contracts/reported.js'
import type { ExpiredUsage, RefusalRecord, UsageBatch, UsageCount, UsageCountQuery } from '../../contracts/usage.js'
import { copyFrozen } from './deep-freeze.js'
import { createMemoryReported } from './reported.js'

interface MemoryUsageOptions {
  readonly findApplication: (id: string) => ApplicationRecord | undefined
  /** Ids in the order in which the applications were added. */
  readonly listApplicationIds: () => Iterable<string>
}

export function createMemoryUsage({ findApplication, listApplicationIds }: MemoryUsageOptions) {
  const batches = new Map<string, number>()
  /** Counts by application, then by day, API and outcome. */
  const counts = new Map<string, Map<string, UsageCount>>()
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
    const name = formatName(given)
    own.set(name, copyFrozen({ ...given, count: given.count + (own.get(name)?.count ?? 0) }))
  }

  function addUsage(batch: UsageBatch, given: readonly UsageCount[]): void {
    if (addBatch(batch)) for (const count of given) addCount(count)
  }

  function listUsage({ after, applicationId, api, from, to, limit }: UsageCountQuery): readonly UsageCount[] {
    const page: UsageCount[] = []
    let isAfter = after === undefined
    for (const id of listApplicationIds()) {
      const start = after?.applicationId === id ? formatName(after) : ''
      isAfter ||= start !== ''
      if (!isAfter || (applicationId ?? id) !== id) continue
      const own = [...(counts.get(id) ?? [])].toSorted(([one], [other]) => (one < other ? -1 : 1))
      for (const [name, count] of own) {
        if (page.length >= limit) return page
        const isInRange = count.day >= from && count.day <= to && name > start
        if (isInRange && (api ?? count.api) === count.api) page.push(count)
      }
    }
    return page
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
    for (const own of counts.values()) for (const [name, { day }] of own) if (day < countsBefore) own.delete(name)
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
    addRefusals,
    listRefusals,
    addReported,
    listReported: reported.list,
    deleteRefusals: (applicationId: string) => refusals.delete(applicationId),
    deleteExpired,
  }
}

/** Compares counts in the order of day, API and outcome. */
function formatName({ day, api, outcome }: Pick<UsageCount, 'day' | 'api' | 'outcome'>): string {
  return [day, api, outcome].join('\0')
}
