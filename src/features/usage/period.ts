import { ApplicationError } from '../../shared/contracts/errors.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'

/** The period by which counts are summed up. */
export type UsagePeriod = 'day' | 'month'

export function readPeriod(by: unknown = 'day'): UsagePeriod {
  if (by === 'day' || by === 'month') return by
  throw new ApplicationError('invalid_argument', "by must be 'day' or 'month'.")
}

/** The number of days before `to`, if `from` is left out. */
const DEFAULT_DAYS = 29

/** The first and the last day, in UTC. They are compared as text, so that the 31st ends every month. */
export function readRange(from: unknown, to: unknown, now: number): { readonly from: string; readonly to: string } {
  const last = to === undefined ? formatDay(now) : readDay('to', to, '-31')
  const first = from === undefined ? subtractDays(last, DEFAULT_DAYS) : readDay('from', from, '-01')
  if (first <= last) return { from: first, to: last }
  throw new ApplicationError('invalid_argument', `from is ${first}, which is after to, ${last}.`)
}

export function readDay(name: string, value: unknown, dayOfMonth: string): string {
  const day = value instanceof Date && !Number.isNaN(value.getTime()) ? formatDay(value.getTime()) : value
  if (typeof day === 'string') {
    if (MONTH.test(day)) return `${day}${dayOfMonth}`
    // A day such as 2026-02-30 would be read as another one.
    if (DAY.test(day) && formatDay(Date.parse(day)) === day) return day
  }
  throw new ApplicationError(
    'invalid_argument',
    `${name} must be a Date, a day such as '2026-11-22' or a month such as '2026-11'.`,
  )
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

function subtractDays(day: string, days: number): string {
  // The 31st of a shorter month is its last day here.
  const time = Math.min(Date.parse(`${day.slice(0, 8)}01`) + (Number(day.slice(8)) - 1) * DAY_MS, endOfMonth(day))
  return formatDay(time - days * DAY_MS)
}

function endOfMonth(day: string): number {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return Date.UTC(year, month, 0)
}
