import type { ApplicationRecord } from '../../contracts/application-record.js'
import { OAuthError, retryAfter } from '../../contracts/denial.js'
import { formatWait } from '../../lib/format-wait.js'
import type { MaybePromise } from '../../lib/maybe-promise.js'
import type { LimitByPlan, LimitHeaders } from '../../rate-limits/rate-limit.js'
import { readUsed, type Account } from './account.js'
import type { Ledger } from './ledger.js'
import { countUnwrittenAtMost, type Plan } from './plan.js'
import type { CountShared } from './shared-counts.js'

interface LimiterOptions {
  readonly findPlan: (application: ApplicationRecord) => Plan | undefined
  readonly ledger: Ledger
  /** Counts in Redis, for all processes together; undefined without Redis. */
  readonly countShared: CountShared | undefined
  /** Whether answers to requests that pass have `RateLimit` headers. */
  readonly headers: boolean
  readonly now: () => number
}

const NO_HEADERS: LimitHeaders = {}

export function createLimiter({ findPlan, ledger, countShared, headers, now }: LimiterOptions): LimitByPlan {
  function judge(account: Account, plan: Plan, units: number): MaybePromise<LimitHeaders> {
    const time = now()
    const exceeded = findExceeded(account, plan, units)
    if (exceeded >= 0) throw createRefusal(account, plan, exceeded, time)
    if (countShared) return judgeShared(countShared, account, plan, units)
    if (plan.hasQuota && !ledger.writer.isFailing && mustWait(account, plan))
      return judgeAfter(ledger.writer.write(), account, plan, units)
    return admit(account, plan, units, time)
  }

  async function judgeAfter(
    ready: Promise<unknown>,
    { applicationId }: Pick<Account, 'applicationId'>,
    plan: Plan,
    units: number,
  ): Promise<LimitHeaders> {
    await ready
    const account = ledger.find(applicationId, plan, now()) ?? (await ledger.read(applicationId, plan))
    return judge(account, plan, units)
  }

  async function judgeShared(count: CountShared, account: Account, plan: Plan, units: number): Promise<LimitHeaders> {
    const isCounted = await count(account, plan, units, now())
    const time = now()
    // While Redis is unavailable, each process goes on from what it knows.
    if (isCounted === undefined) return admit(account, plan, units, time)
    if (isCounted) return pass(account, plan, units, time)
    throw createRefusal(account, plan, Math.max(0, findExceeded(account, plan, units)), time)
  }

  function admit(account: Account, plan: Plan, units: number, time: number): LimitHeaders {
    const { used, endsAt } = account
    for (let at = 0; at < used.length; at++) {
      const { per, milliseconds } = plan.windows[at]!
      if (per !== undefined) continue
      if (used[at] === 0) endsAt[at] = time + milliseconds
      used[at]! += units
    }
    return pass(account, plan, units, time)
  }

  function pass(account: Account, plan: Plan, units: number, time: number): LimitHeaders {
    if (plan.hasQuota) {
      ledger.add(account, units)
      if (!countShared && isHalfUnwritten(account, plan)) void ledger.writer.write()
    }
    return headers ? formatHeaders(account, plan, time) : NO_HEADERS
  }

  return function limitByPlan(application, units) {
    const plan = findPlan(application)
    if (plan === undefined || units === 0) return undefined
    const account = ledger.find(application.id, plan, now())
    if (account) return judge(account, plan, units)
    return judgeAfter(Promise.resolve(), { applicationId: application.id }, plan, units)
  }
}

/** The place of the first limit that has too few units left; -1 if none has. */
function findExceeded(account: Account, { windows }: Plan, units: number): number {
  for (let at = 0; at < windows.length; at++) {
    const { limit, soft, per } = windows[at]!
    if (!soft && readUsed(account, at, per) + units > limit) return at
  }
  return -1
}

function mustWait(account: Account, { windows }: Plan): boolean {
  for (const window of windows) if (isUnwritten(account, window, countUnwrittenAtMost(window))) return true
  return false
}

function isHalfUnwritten(account: Account, { windows }: Plan): boolean {
  for (const window of windows) if (isUnwritten(account, window, countUnwrittenAtMost(window) / 2)) return true
  return false
}

function isUnwritten(
  { unwrittenOfDay, unwrittenOfMonth }: Account,
  { per, soft }: Plan['windows'][number],
  units: number,
): boolean {
  if (per === undefined || soft) return false
  return (per === 'day' ? unwrittenOfDay : unwrittenOfMonth) >= units
}

/** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4: an item for each limit. */
function formatHeaders(account: Account, { windows }: Plan, time: number): LimitHeaders {
  const policies: string[] = []
  const states: string[] = []
  windows.forEach(({ name, limit, per }, at) => {
    const left = Math.max(0, limit - readUsed(account, at, per))
    policies.push(`"plan/${name}";q=${limit};w=${countSeconds(account, windows[at]!)}`)
    states.push(`"plan/${name}";r=${left};t=${countSecondsLeft(account, windows[at]!, at, time)}`)
  })
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: states.join(', ') }
}

function createRefusal(account: Account, plan: Plan, at: number, time: number): OAuthError {
  const window = plan.windows[at]!
  const seconds = countSecondsLeft(account, window, at, time)
  const wait = `try again in ${formatWait(seconds)}`
  const headers = { ...formatHeaders(account, plan, time), ...retryAfter(seconds) }
  return window.per === undefined
    ? new OAuthError('too_many_requests', `Too many requests, ${wait}`, { headers })
    : new OAuthError('quota_exceeded', `The quota of ${window.limit} in a ${window.per} is used up, ${wait}`, {
        headers,
      })
}

function countSeconds({ monthEndsAt, day }: Account, { per, milliseconds }: Plan['windows'][number]): number {
  if (per === undefined) return milliseconds / 1000
  return per === 'day' ? 24 * 3600 : (monthEndsAt - Date.parse(`${day.slice(0, 8)}01`)) / 1000
}

/** Until the window ends; its length if it has not begun. */
function countSecondsLeft(
  { endsAt }: Account,
  { milliseconds }: Plan['windows'][number],
  at: number,
  time: number,
): number {
  return Math.max(1, Math.ceil((endsAt[at]! > 0 ? endsAt[at]! - time : milliseconds) / 1000))
}
