import type { Language } from '../../../shared/contracts/application-record.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { PortalTexts } from '../texts/en.js'

type Words = Pick<PortalTexts, 'language' | 'justNow' | 'soon'>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The formats of a language are made when they are first needed: they would be a tenth of the time that it takes to load the package. */
const FORMATS = new Map<Language, ReturnType<typeof createFormats>>()

function createFormats(language: Language) {
  const locale = language === 'en' ? 'en-GB' : language
  const date = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
  return {
    date: new Intl.DateTimeFormat(locale, date),
    dateTime: new Intl.DateTimeFormat(locale, { ...date, hour: '2-digit', minute: '2-digit' }),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
    count: new Intl.NumberFormat(locale),
    short: new Intl.NumberFormat(locale, { notation: 'compact' }),
    percent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
  }
}

/** The formats of dates (in UTC) and numbers. */
export function getFormats({ language }: Pick<Words, 'language'>): ReturnType<typeof createFormats> {
  const formats = FORMATS.get(language) ?? createFormats(language)
  FORMATS.set(language, formats)
  return formats
}

/** A date such as `22 Nov 2026`, in UTC. */
export function formatDate(at: number, words: Pick<Words, 'language'>): string {
  return getFormats(words).date.format(at)
}

/** The time since or until, in words, with the exact time in UTC as its title. */
export function renderRelativeTime(at: number, now: number, words: Words): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${formatDateTime(at, words)}"
    >${formatRelative(at, now, words)}</time
  >`
}

/** The date, with the exact time in UTC as its title. */
export function renderDate(at: number, words: Words): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${formatDateTime(at, words)}"
    >${formatDate(at, words)}</time
  >`
}

/** Date and time of day, in UTC. */
export function renderDateTime(at: number, words: Words): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${formatDateTime(at, words)}</time>`
}

/** Such as `22 Nov 2026, 10:00 UTC`. */
export function formatDateTime(at: number, words: Pick<Words, 'language'>): string {
  return `${getFormats(words).dateTime.format(at)} UTC`
}

function formatRelative(at: number, now: number, words: Words): string {
  const { relative } = getFormats(words)
  const distance = at - now
  // Something that is valid for 7 days ends in 7 days, and not, a second later, in 6.
  const count = (unit: number): number => (distance > 0 ? Math.round(distance / unit) : Math.trunc(distance / unit))
  if (Math.abs(distance) < MINUTE_MS) return distance <= 0 ? words.justNow : words.soon
  if (Math.abs(distance) < HOUR_MS) return relative.format(count(MINUTE_MS), 'minute')
  if (Math.abs(distance) < DAY_MS) return relative.format(count(HOUR_MS), 'hour')
  if (Math.abs(distance) < 60 * DAY_MS) return relative.format(count(DAY_MS), 'day')
  return formatDate(at, words)
}
