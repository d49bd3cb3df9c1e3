import { DAY_MS } from '../../../shared/lib/day.js'
import { getFormats } from '../../../shared/web/formats.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { PortalTexts } from '../texts/en.js'

type Words = Pick<PortalTexts, 'language' | 'justNow' | 'soon'>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export function formatDate(at: number, words: Pick<Words, 'language'>): string {
  return getFormats(words.language).date.format(at)
}

export function renderRelativeTime(at: number, now: number, words: Words): Html {
  return renderTime(at, formatRelative(at, now, words), words)
}

export function renderDate(at: number, words: Words): Html {
  return renderTime(at, formatDate(at, words), words)
}

function renderTime(at: number, text: string, words: Words): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${formatDateTime(at, words)}">${text}</time>`
}

export function renderDateTime(at: number, words: Words): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${formatDateTime(at, words)}</time>`
}

export function formatDateTime(at: number, words: Pick<Words, 'language'>): string {
  return `${getFormats(words.language).dateTime.format(at)} UTC`
}

function formatRelative(at: number, now: number, words: Words): string {
  const { relative } = getFormats(words.language)
  const distance = at - now
  // Something that is valid for 7 days ends in 7 days, and not, a second later, in 6.
  const count = (unit: number): number => (distance > 0 ? Math.round(distance / unit) : Math.trunc(distance / unit))
  if (Math.abs(distance) < MINUTE_MS) return distance <= 0 ? words.justNow : words.soon
  if (Math.abs(distance) < HOUR_MS) return relative.format(count(MINUTE_MS), 'minute')
  if (Math.abs(distance) < DAY_MS) return relative.format(count(HOUR_MS), 'hour')
  if (Math.abs(distance) < 60 * DAY_MS) return relative.format(count(DAY_MS), 'day')
  return formatDate(at, words)
}
