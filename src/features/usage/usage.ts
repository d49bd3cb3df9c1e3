import { readPageSize } from '../../applications/records/validation.js'
import { ApplicationError } from '../../contracts/errors.js'
import type { UsageCount, UsageStore } from '../../contracts/usage.js'
import { formatPeriod, readPeriod, readRange, type UsagePeriod } from './period.js'

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

const COUNTS_PER_READ = 2000

export function createListUsage({
  store,
  opened,
  now,
}: UsageOptions): (query?: UsageQuery) => Promise<{ items: UsageEntry[]; next?: string }> {
  async function* readCounts(query: Omit<Parameters<UsageStore['list']>[0], 'limit'>): AsyncGenerator<UsageCount> {
    for (let { after } = query; ;) {
      const counts = await store.list({ ...query, after, limit: COUNTS_PER_READ })
      yield* counts
      if (counts.length < COUNTS_PER_READ) return
      after = counts.at(-1)
    }
  }

  return async function listUsage({ applicationId, api, from, to, by: givenBy, after, limit } = {}) {
    const by = readPeriod(givenBy)
    const range = readRange(from, to, now())
    const pageSize = readPageSize(limit)
    const last = readCursor(after, by)
    await opened()
    // The whole day or month of the last entry is read again, because those of its APIs are mixed.
    const start = last && {
      applicationId: last.applicationId,
      day: `${last.period}${by === 'month' ? '-00' : ''}`,
      api: '',
      outcome: '',
    }
    const items: UsageEntry[] = []
    const counts = readCounts({ after: start, applicationId, api, ...range })
    for await (const entry of groupByPeriod(counts, by)) {
      if (isListed(entry, last)) continue
      // One entry more than the page holds shows that there is a next page.
      if (items.length === pageSize) return { items, next: formatCursor(items.at(-1)!) }
      items.push(entry)
    }
    return { items }
  }
}

/** The entries of one application and period after another, by API. */
async function* groupByPeriod(counts: AsyncIterable<UsageCount>, by: UsagePeriod): AsyncGenerator<UsageEntry> {
  let group: UsageCount[] = []
  for await (const count of counts) {
    const [first = count] = group
    const isSame =
      first.applicationId === count.applicationId && formatPeriod(first.day, by) === formatPeriod(count.day, by)
    if (!isSame) {
      yield* createEntries(group, by)
      group = []
    }
    group.push(count)
  }
  yield* createEntries(group, by)
}

function createEntries(counts: readonly UsageCount[], by: UsagePeriod): UsageEntry[] {
  const apis = [...new Set(counts.map(({ api }) => api))].toSorted((one, other) => (one < other ? -1 : 1))
  return apis.map((api) => {
    const sums = new Map<string, number>()
    for (const { outcome, count } of counts.filter((each) => each.api === api))
      sums.set(outcome, (sums.get(outcome) ?? 0) + count)
    const { applicationId, day } = counts[0]!
    const [allowed, accessTokens] = ['allowed', 'token'].map((outcome) => Math.max(0, sums.get(outcome) ?? 0))
    sums.delete('allowed')
    sums.delete('token')
    return {
      period: formatPeriod(day, by),
      applicationId,
      api,
      allowed: allowed!,
      accessTokens: accessTokens!,
      refused: Object.fromEntries(sums),
    }
  })
}

type Position = Pick<UsageEntry, 'applicationId' | 'period' | 'api'>

function isListed({ applicationId, period, api }: UsageEntry, last: Position | undefined): boolean {
  return last?.applicationId === applicationId && last.period === period && api <= last.api
}

function formatCursor({ applicationId, period, api }: Position): string {
  return `${applicationId}/${period}/${api}`
}

function readCursor(after: unknown, by: UsagePeriod): Position | undefined {
  if (after === undefined) return undefined
  const [applicationId, period, api, ...rest] = typeof after === 'string' ? after.split('/') : []
  const length = by === 'month' ? 'YYYY-MM'.length : 'YYYY-MM-DD'.length
  if (applicationId !== undefined && period?.length === length && api !== undefined && rest.length === 0)
    return { applicationId, period, api }
  throw new ApplicationError('invalid_argument', 'after must be the `next` of the page before.')
}
