import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import {
  createDenial,
  createDenialError,
  LimitCause,
  retryAfter,
  type OAuthError,
} from '../../shared/contracts/denial.js'
import { firstOfMonth } from '../../shared/lib/day.js'
import { formatWait } from '../../shared/lib/relative-time.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { LimitByPlan, LimitHeaders } from '../../core/rate-limits/rate-limits.js'
import { addShared, readUsed, type Account, type CountedWindow, type Ledger } from './ledger.js'
import { countUnwrittenAtMost, describeWindow, findTooLow, type Plan } from './plan.js'
import type { CountShared } from './shared-counts.js'

const NO_HEADERS: LimitHeaders = {}

export function createLimiter(
  findPlan: (application: ApplicationRecord) => Plan | undefined,
  ledger: Ledger,
  countShared: CountShared | undefined,
  headers: boolean,
  now: () => number,
): LimitByPlan {
  function limit(account: Account, plan: Plan, units: number): MaybePromise<LimitHeaders> {
    refuseExceeded(account, plan, units, now())
    return countShared ? limitWithRedis(countShared, account, plan, units) : limitAlone(account, plan, units)
  }

  async function limitWithRedis(count: CountShared, account: Account, plan: Plan, units: number) {
    const outcome = await count(account, units, now(), ledger.writer.isFailing)
    if (outcome === 'counted') return countPassed(account, plan, units, now())
    if (outcome === 'askStore') return limitAfter(ledger.refresh(account), account, plan, units)
    if (outcome === undefined) return limitAlone(await recall(account.applicationId, plan), plan, units)
    refuseExceeded(account, plan, units, now())
    // A window has ended since Redis refused.
    return limit(await recall(account.applicationId, plan), plan, units)
  }

  /** Without Redis, or while it is unavailable: the store tells what the other processes have counted, before the limit can be exceeded by more than 1 %. */
  function limitAlone(account: Account, plan: Plan, units: number): MaybePromise<LimitHeaders> {
    const time = now()
    refuseExceeded(account, plan, units, time)
    const { writer } = ledger
    if (plan.hasQuota && !writer.isFailing) {
      if (countShared && !account.isStoredCurrent)
        return limitAfter(ledger.refresh(account), account, plan, units, limitAlone)
      if (isUnwrittenTo(1, account, plan)) return limitAfter(writer.write(), account, plan, units, limitAlone)
    }
    return countAlone(account, plan, units, time)
  }

  async function limitAfter(
    ready: Promise<unknown>,
    { applicationId }: Pick<Account, 'applicationId'>,
    plan: Plan,
    units: number,
    limitNow = limit,
  ): Promise<LimitHeaders> {
    await ready
    return limitNow(await recall(applicationId, plan), plan, units)
  }

  /** The account, which may have been forgotten meanwhile, or be of an earlier day. */
  function recall(applicationId: string, plan: Plan): MaybePromise<Account> {
    return ledger.find(applicationId, plan, now()) ?? ledger.read(applicationId, plan)
  }

  function countAlone(account: Account, plan: Plan, units: number, time: number): LimitHeaders {
    for (const counted of account.windows) {
      const { per, milliseconds } = counted.window
      if (per !== undefined) continue
      if (counted.used === 0) counted.endsAt = time + milliseconds
      counted.used += units
    }
    if (countShared) addShared(account, units)
    return countPassed(account, plan, units, time)
  }

  function countPassed(account: Account, plan: Plan, units: number, time: number): LimitHeaders {
    if (plan.hasQuota) {
      ledger.add(account, units)
      // With Redis too: it may be gone at the next request, and the store must not lack more than without it.
      if (isUnwrittenTo(0.5, account, plan)) void ledger.writer.write()
    }
    return headers ? formatHeaders(account, time) : NO_HEADERS
  }

  return function limitByPlan(application, units) {
    const plan = findPlan(application)
    if (plan === undefined || units === 0) return undefined
    const account = ledger.find(application.id, plan, now())
    if (account) return limit(account, plan, units)
    return limitAfter(Promise.resolve(), { applicationId: application.id }, plan, units)
  }
}

/** Throws the refusal if a limit has too few units left, or could never have enough. */
function refuseExceeded(account: Account, plan: Plan, units: number, time: number): void {
  const tooLow = findTooLow(plan, units)
  if (tooLow) {
    const description = `The request costs ${units}, and the plan allows ${describeWindow(tooLow)}`
    throw createDenialError(createDenial('cost_above_limit', description, formatHeaders(account, time)))
  }
  let last: CountedWindow | undefined
  for (const counted of account.windows) {
    const { limit, soft } = counted.window
    if (soft || readUsed(account, counted) + units <= limit) continue
    // Of several, the one that ends last says when the request can pass.
    if (!last || counted.endsAt > last.endsAt) last = counted
  }
  if (last) throw createRefusal(account, plan, last, time)
}

/** Whether the units of a quota that are not written are this share of what a process may have. */
function isUnwrittenTo(share: number, { units }: Account, { windows }: Plan): boolean {
  for (const window of windows) {
    const { per, soft } = window
    if (per !== undefined && !soft && units[per].unwritten >= countUnwrittenAtMost(window) * share) return true
  }
  return false
}

/** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4: an item for each limit. */
function formatHeaders(account: Account, time: number): LimitHeaders {
  const policies: string[] = []
  const states: string[] = []
  for (const counted of account.windows) {
    const { name, limit } = counted.window
    const left = Math.max(0, limit - readUsed(account, counted))
    policies.push(`"plan/${name}";q=${limit};w=${countSeconds(account, counted.window)}`)
    states.push(`"plan/${name}";r=${left};t=${countSecondsLeft(counted, time)}`)
  }
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: states.join(', ') }
}

function createRefusal(account: Account, plan: Plan, counted: CountedWindow, time: number): OAuthError {
  const { window } = counted
  const seconds = countSecondsLeft(counted, time)
  const wait = `try again in ${formatWait(seconds)}`
  const headers = { ...formatHeaders(account, time), ...retryAfter(seconds) }
  return window.per === undefined
    ? createDenialError(
        createDenial('too_many_requests', `Too many requests, ${wait}`, headers),
        new LimitCause(`plans.${plan.name}.requests`),
      )
    : createDenialError(
        createDenial('quota_exceeded', `The quota of ${window.limit} in a ${window.per} is used up, ${wait}`, headers),
      )
}

function countSeconds({ monthEndsAt, day }: Account, { per, milliseconds }: Plan['windows'][number]): number {
  if (per === undefined) return milliseconds / 1000
  return per === 'day' ? 24 * 3600 : (monthEndsAt - Date.parse(firstOfMonth(day))) / 1000
}

/** Until the window ends; its length if it has not begun. */
function countSecondsLeft({ endsAt, window }: CountedWindow, time: number): number {
  return Math.max(1, Math.ceil((endsAt > 0 ? endsAt - time : window.milliseconds) / 1000))
}
