import { readPageSize } from '../../core/applications/records/validation.js'
import { invalidArgument } from '../../shared/contracts/errors.js'
import type { UsageTotal } from '../../shared/contracts/usage-entries.js'
import type { UsageSum, UsageSumQuery } from '../../shared/contracts/usage.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { readDay, type UsageReads } from './list-usage.js'
import type { Usage } from './usage-calls.js'

const DAYS_BEFORE = 7

/** `auth.usage.totals()`: an index has the order, and the errors of each application of a page are read by another one. */
export function createListTotals({ store, opened, now }: UsageReads, list: Usage['list']): Usage['totals'] {
  async function describe(sum: UsageSum, period: string): Promise<UsageTotal> {
    const { applicationId, allowed, accessTokens, refused } = sum
    const isDay = period.length > 'YYYY-MM'.length
    const from = isDay ? formatDay(Date.parse(period) - DAYS_BEFORE * DAY_MS) : period
    const { items } = await list({ applicationId, from, to: period, by: isDay ? 'day' : 'month', limit: 1000 })
    const errors = new Map<string, number>()
    const mean = { allowed: 0, refused: 0 }
    for (const entry of items) {
      if (entry.period !== period) mean.allowed += entry.allowed / DAYS_BEFORE
      for (const [error, count] of Object.entries(entry.refused))
        if (entry.period === period) errors.set(error, (errors.get(error) ?? 0) + count)
        else mean.refused += count / DAYS_BEFORE
    }
    const share = Math.round((refused * 1000) / Math.max(1, allowed + accessTokens + refused)) / 10
    return { period, ...sum, share, errors: Object.fromEntries(errors), ...(isDay && { mean }) }
  }

  return async function totals({ period = formatDay(now()), sort = 'refused', after, limit } = {}) {
    const pageSize = readPageSize(limit)
    readDay('period', period, '')
    if (sort !== 'refused' && sort !== 'allowed') throw invalidArgument("sort must be 'refused' or 'allowed'.")
    const position = readCursor(after)
    await opened()
    // One more than the page holds shows whether there is a next page.
    const sums = await store.listSums({ period, sort, after: position, limit: pageSize + 1 })
    const items: UsageTotal[] = []
    for (const sum of sums.slice(0, pageSize)) items.push(await describe(sum, period))
    const last = sums[pageSize - 1]
    return last && sums.length > pageSize ? { items, next: `${last[sort]}/${last.applicationId}` } : { items }
  }
}

function readCursor(after: string | undefined): UsageSumQuery['after'] {
  if (after === undefined) return undefined
  const [, count, applicationId = ''] = /^(\d{1,15})\/(.+)$/s.exec(after) ?? []
  if (count !== undefined) return { applicationId, count: Number(count) }
  throw invalidArgument('after must be the `next` of the page before.')
}
