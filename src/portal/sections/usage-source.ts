import { DAY_MS, formatDay } from '../../lib/day.js'
import { ownMembers } from '../../lib/own-members.js'

/** The activity of an application at an API on a day. */
export interface DailyUsage {
  /** `YYYY-MM-DD`, in UTC. */
  readonly period: string
  readonly api: string
  readonly allowed: number
  /** The number of access tokens issued. */
  readonly accessTokens: number
  /** Refused requests by the `error` that was sent. */
  readonly refused: Readonly<Record<string, number>>
}

/** `auth.usage`. */
export interface UsageSource {
  list(query: {
    readonly applicationId: string
    readonly from: string
    readonly to: string
    readonly by: 'day'
    readonly limit: number
    readonly after: string | undefined
  }): Promise<{ readonly items: readonly DailyUsage[]; readonly next?: string }>
}

/** The days that the page shows. */
export const USAGE_DAYS = 30

/** All entries of these days. */
export async function listUsage(
  usage: UsageSource,
  applicationId: string,
  now: number,
): Promise<readonly DailyUsage[]> {
  const period = { from: formatDay(now - (USAGE_DAYS - 1) * DAY_MS), to: formatDay(now), by: 'day' } as const
  const entries: DailyUsage[] = []
  let after: string | undefined
  do {
    const { items, next } = ownMembers(await usage.list({ applicationId, ...period, limit: 1000, after }))
    entries.push(...items)
    after = next
  } while (after !== undefined)
  return entries
}
