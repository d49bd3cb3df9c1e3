import type { UsageOffer } from '../../../shared/contracts/offers.js'
import type { UsageEntry } from '../../../shared/contracts/usage-entries.js'
import { DAY_MS, formatDay } from '../../../shared/lib/day.js'
import { ownMembers } from '../../../shared/lib/own-members.js'

/** The days that the page shows. */
export const USAGE_DAYS = 30

/** All entries of these days. */
export async function listUsage(usage: UsageOffer, applicationId: string, now: number): Promise<readonly UsageEntry[]> {
  const period = { from: formatDay(now - (USAGE_DAYS - 1) * DAY_MS), to: formatDay(now), by: 'day' } as const
  const entries: UsageEntry[] = []
  let after: string | undefined
  do {
    const { items, next } = ownMembers(await usage.list({ applicationId, ...period, limit: 1000, after }))
    entries.push(...items)
    after = next
  } while (after !== undefined)
  return entries
}
