import { readPageSize } from '../../applications/records/validation.js'
import { ApplicationError } from '../../contracts/errors.js'
import type { UsageCount, UsageCountQuery, UsageStore } from '../../contracts/usage.js'
import { readPeriod, readRange, type UsagePeriod } from './period.js'

/** The activity of an application at an API in a day or a month. */
export interface UsageEntry {
  /** The period in UTC: a day such as `2026-11-22`, or a month such as `2026-11`. */
  readonly period: string
  readonly applicationId: string
  readonly api: string
  /** Requests that a guard let pass. */
  readonly allowed: number
  /** Access tokens that were issued. */
  readonly accessTokens: number
  /** Refused requests and token requests, by the `error` that was sent; empty if there were none. */
  readonly refused: Readonly<Record<string, number>>
}

/** The query of `auth.usage.list()`. */
export interface UsageQuery<ApiNames extends string = string> {
  readonly applicationId?: string | undefined
  readonly api?: ApiNames | undefined
  /** The first day: a `Date`, a day such as `'2026-11-22'` or a month such as `'2026-11'`, in UTC; 29 days before `to` if left out. */
  readonly from?: Date | string | undefined
  /** The last day, or the last month, as `from`; today if left out. */
  readonly to?: Date | string | undefined
  /** `day` if left out. */
  readonly by?: UsagePeriod | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
  /** Entries in a page: 1 to 1000; 100 if left out. */
  readonly limit?: number | undefined
}

interface UsageOptions {
  readonly store: Pick<UsageStore, 'list'>
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  readonly now: () => number
}

/** A read by month sums up some ten applications of a year: SQLite holds up other requests for it. */
const COUNTS_PER_READ = { day: 2000, month: 500 } as const

export function createListUsage({
  store,
  opened,
  now,
}: UsageOptions): (query?: UsageQuery) => Promise<{ items: UsageEntry[]; next?: string }> {
  async function* readCounts(query: CountQuery): AsyncGenerator<UsageCount> {
    const limit = COUNTS_PER_READ[query.by]
    for (let { after } = query; ;) {
      const counts = await store.list({ ...query, after, limit })
      yield* counts
      if (counts.length < limit) return
      after = counts.at(-1)
    }
  }

  return async function listUsage({ applicationId, api, from, to, by: givenBy, after, limit } = {}) {
    const by = readPeriod(givenBy)
    const range = readRange(from, to, now())
    const pageSize = readPageSize(limit)
    const last = readCursor(after, by)
    await opened()
    const items: UsageEntry[] = []
    const counts = readCounts({ after: last, applicationId, api, by, ...range })
    for await (const entry of groupByEntry(counts)) {
      // One entry more than the page holds shows that there is a next page.
      if (items.length === pageSize) return { items, next: formatCursor(items.at(-1)!) }
      items.push(entry)
    }
    return { items }
  }
}

type CountQuery = Omit<UsageCountQuery, 'limit'> & { readonly by: UsagePeriod }

/** The counts of an entry follow one another. */
async function* groupByEntry(counts: AsyncIterable<UsageCount>): AsyncGenerator<UsageEntry> {
  let group: UsageCount[] = []
  for await (const count of counts) {
    const [first = count] = group
    if (first.applicationId !== count.applicationId || first.day !== count.day || first.api !== count.api) {
      yield createEntry(group)
      group = []
    }
    group.push(count)
  }
  if (group.length > 0) yield createEntry(group)
}

function createEntry(counts: readonly UsageCount[]): UsageEntry {
  const { day, applicationId, api } = counts[0]!
  const outcomes = new Map(counts.map(({ outcome, count }) => [outcome, count]))
  const [allowed, accessTokens] = ['allowed', 'token'].map((outcome) => Math.max(0, outcomes.get(outcome) ?? 0))
  outcomes.delete('allowed')
  outcomes.delete('token')
  return {
    period: day,
    applicationId,
    api,
    allowed: allowed!,
    accessTokens: accessTokens!,
    refused: Object.fromEntries(outcomes),
  }
}

function formatCursor({ applicationId, period, api }: UsageEntry): string {
  return `${applicationId}/${period}/${api}`
}

function readCursor(after: unknown, by: UsagePeriod): UsageCountQuery['after'] {
  if (after === undefined) return undefined
  const [applicationId, period, api, ...rest] = typeof after === 'string' ? after.split('/') : []
  const length = by === 'month' ? 'YYYY-MM'.length : 'YYYY-MM-DD'.length
  if (applicationId !== undefined && period?.length === length && api !== undefined && rest.length === 0)
    return { applicationId, day: period, api, outcome: AFTER_OUTCOMES }
  throw new ApplicationError('invalid_argument', 'after must be the `next` of the page before.')
}

/** Outcomes are visible ASCII characters (RFC 6749, section 5.2). */
const AFTER_OUTCOMES = '\x7f'
