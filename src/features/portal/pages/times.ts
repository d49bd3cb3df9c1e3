import { DAY_MS } from '../../../lib/day.js'
import { html, type Html } from '../../../web/html.js'
import { once } from '../../../lib/once.js'

// The formats are made when they are first needed: they would be a tenth of the time that it takes to load the package.
const getDateFormat = once(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
)
const getDateTimeFormat = once(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'UTC',
    }),
)
const getRelativeFormat = once(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }))

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A date such as `22 Nov 2026`, in UTC. */
export function formatDate(at: number): string {
  return getDateFormat().format(at)
}

/** The time since or until, in words, with the exact time in UTC as its title. */
export function renderRelativeTime(at: number, now: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${formatDateTime(at)}"
    >${formatRelative(at, now)}</time
  >`
}

/** The date, with the exact time in UTC as its title. */
export function renderDate(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${formatDateTime(at)}">${formatDate(at)}</time>`
}

/** Date and time of day, in UTC. */
export function renderDateTime(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${formatDateTime(at)}</time>`
}

/** Such as `22 Nov 2026, 10:00 UTC`. */
export function formatDateTime(at: number): string {
  return `${getDateTimeFormat().format(at)} UTC`
}

function formatRelative(at: number, now: number): string {
  const distance = at - now
  if (Math.abs(distance) < MINUTE_MS) return distance <= 0 ? 'just now' : 'in less than a minute'
  if (Math.abs(distance) < HOUR_MS) return getRelativeFormat().format(Math.trunc(distance / MINUTE_MS), 'minute')
  if (Math.abs(distance) < DAY_MS) return getRelativeFormat().format(Math.trunc(distance / HOUR_MS), 'hour')
  if (Math.abs(distance) < 60 * DAY_MS) return getRelativeFormat().format(Math.trunc(distance / DAY_MS), 'day')
  return formatDate(at)
}
