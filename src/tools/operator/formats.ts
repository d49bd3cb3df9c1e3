import type { Language } from '../../shared/contracts/application-record.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { html, type Html } from '../../shared/web/html.js'

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
    language: new Intl.DisplayNames(locale, { type: 'language' }),
  }
}

/** The formats of numbers, and of times in UTC. They are made when a language is first needed. */
export function getFormats(language: Language): ReturnType<typeof createFormats> {
  const formats = FORMATS.get(language) ?? createFormats(language)
  FORMATS.set(language, formats)
  return formats
}

/** The time since or until, such as `3 days ago`, with the exact time as its title. */
export function renderTime(at: Date, { language, now }: { readonly language: Language; readonly now: number }): Html {
  const { relative, dateTime } = getFormats(language)
  const distance = at.getTime() - now
  const unit = UNITS.find(([, length]) => Math.abs(distance) >= length)
  const text = unit ? relative.format(Math.trunc(distance / unit[1]), unit[0]) : relative.format(0, 'second')
  return html`<time datetime="${at.toISOString()}" title="${dateTime.format(at)} UTC">${text}</time>`
}

const UNITS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
