import type { Language } from '../../shared/contracts/application-record.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { getFormats } from '../../shared/web/formats.js'
import { html, type Html } from '../../shared/web/html.js'

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
