import { formatDay, DAY_MS } from '../../shared/lib/day.js'
import type { QuotaTotals } from '../../shared/contracts/quotas.js'
import type { Plan } from './plan.js'

/** What an application has used, as this process knows it. */
export interface Account {
  readonly applicationId: string
  plan: Plan | undefined
  /** By the place of a window in the plan: the units in a short one, as counted here or in Redis, and its end (milliseconds since 1970). */
  readonly used: number[]
  readonly endsAt: number[]
  /** The current day in UTC, and the ends of it and of its month. */
  day: string
  dayEndsAt: number
  monthEndsAt: number
  /** What the store has, when it was last asked, and the units since that are not known to be written. */
  storedOfDay: number
  storedOfMonth: number
  unwrittenOfDay: number
  unwrittenOfMonth: number
  /** What Redis had when it last answered, and the units that were admitted here without it since. 0 without Redis. */
  sharedOfDay: number
  sharedOfMonth: number
  /** Whether the store was asked. */
  isRead: boolean
  /** Whether the store has told its totals since Redis last answered: the other processes have gone on meanwhile. */
  isStoredCurrent: boolean
  /** The units that the next write adds. */
  row: QuotaRow | undefined
}

/** The units of a day that are to be written. */
export interface QuotaRow {
  readonly account: Account
  readonly day: string
  count: number
}

export function createAccount(applicationId: string): Account {
  return {
    applicationId,
    plan: undefined,
    used: [],
    endsAt: [],
    day: '',
    dayEndsAt: 0,
    monthEndsAt: 0,
    storedOfDay: 0,
    storedOfMonth: 0,
    unwrittenOfDay: 0,
    unwrittenOfMonth: 0,
    sharedOfDay: 0,
    sharedOfMonth: 0,
    isRead: false,
    isStoredCurrent: false,
    row: undefined,
  }
}

/** The account of what the store has, for units that another process has counted. */
export function createStoredAccount(
  { applicationId, day }: { readonly applicationId: string; readonly day: string },
  plan: Plan,
  totals: QuotaTotals,
  time: number,
): Account {
  const account = createAccount(applicationId)
  advance(account, plan, time)
  setStored(account, day, totals, 0)
  return account
}

/** Begins the windows anew that have ended, and all of them if the application has another plan now. */
export function advance(account: Account, plan: Plan, time: number): void {
  const { used, endsAt } = account
  if (time >= account.dayEndsAt) beginDay(account, time)
  if (account.plan !== plan) {
    account.plan = plan
    used.length = 0
    endsAt.length = 0
    for (const { per } of plan.windows) {
      used.push(0)
      endsAt.push(per === undefined ? 0 : findEnd(account, per))
    }
  }
  for (let at = 0; at < endsAt.length; at++) {
    const { per, milliseconds } = plan.windows[at]!
    // One that ends later than it lasts has begun before the clock was set back.
    if (time < endsAt[at]! && (per !== undefined || endsAt[at]! - time <= milliseconds)) continue
    used[at] = 0
    endsAt[at] = per === undefined ? 0 : findEnd(account, per)
  }
}

/** Whether the account is of a day to come, because the clock was far ahead. A little behind gives nothing anew. */
export function isOfLaterDay({ dayEndsAt }: Account, time: number): boolean {
  return dayEndsAt - time > DAY_MS + HOUR_MS
}

const HOUR_MS = 3600 * 1000

/** The units in a window. A quota has at least those that the store has, whatever Redis has lost, and those that Redis had, whatever the store lacks. */
export function readUsed(account: Account, at: number, per: 'day' | 'month' | undefined): number {
  if (per === undefined) return account.used[at]!
  if (per === 'day') return Math.max(account.sharedOfDay, account.storedOfDay + account.unwrittenOfDay)
  return Math.max(account.sharedOfMonth, account.storedOfMonth + account.unwrittenOfMonth)
}

export function addUnwritten(account: Account, units: number): void {
  account.unwrittenOfDay += units
  account.unwrittenOfMonth += units
}

/** Adds units that were admitted while Redis was unavailable to what it had. */
export function addShared(account: Account, units: number): void {
  account.sharedOfDay += units
  account.sharedOfMonth += units
}

/** Takes what Redis has of a window of the current plan, and the milliseconds to its end. */
export function setShared(account: Account, at: number, units: number, endsAt: number): void {
  const { per } = account.plan!.windows[at]!
  account.isStoredCurrent = false
  if (per === 'day') account.sharedOfDay = units
  else if (per === 'month') account.sharedOfMonth = units
  else {
    account.used[at] = units
    account.endsAt[at] = endsAt
  }
}

/** Takes what the store has of that day and its month; of them, `written` units are no longer unwritten. */
export function setStored(account: Account, day: string, { ofDay, ofMonth }: QuotaTotals, written: number): void {
  if (!isSameMonth(day, account.day)) return
  account.isStoredCurrent = day === account.day
  account.storedOfMonth = ofMonth
  account.unwrittenOfMonth -= written
  if (day !== account.day) return
  account.storedOfDay = ofDay
  account.unwrittenOfDay -= written
}

function beginDay(account: Account, time: number): void {
  const day = formatDay(time)
  account.storedOfDay = 0
  account.unwrittenOfDay = 0
  account.sharedOfDay = 0
  if (!isSameMonth(day, account.day)) {
    account.storedOfMonth = 0
    account.unwrittenOfMonth = 0
    account.sharedOfMonth = 0
  }
  account.day = day
  account.dayEndsAt = (Math.floor(time / DAY_MS) + 1) * DAY_MS
  account.monthEndsAt = findMonthEnd(day)
}

function findEnd({ dayEndsAt, monthEndsAt }: Account, per: 'day' | 'month'): number {
  return per === 'day' ? dayEndsAt : monthEndsAt
}

/** The end of the day's month, in milliseconds since 1970. */
export function findMonthEnd(day: string): number {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return Date.UTC(year, month)
}

function isSameMonth(day: string, other: string): boolean {
  return day.slice(0, 'YYYY-MM'.length) === other.slice(0, 'YYYY-MM'.length)
}
