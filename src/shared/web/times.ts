import type { Language } from '../contracts/application-record.js'
import { DAY_MS } from '../lib/day.js'
import { getFormats } from './formats.js'
import { html, type Html } from './html.js'
import { FRAME_TEXTS } from './page-frame.js'

type Words = { readonly language: Language }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export function formatDate(at: number | Date, words: Words): string {
  return getFormats(words.language).date.format(at)
}

export function renderRelativeTime(at: number | Date, now: number, words: Words): Html {
  return renderTime(at, formatRelative(at, now, words), words)
}

export function renderDate(at: number | Date, words: Words): Html {
  return renderTime(at, formatDate(at, words), words)
}

function renderTime(at: number | Date, text: string, words: Words): Html {
  return html`<time datetime="${new Date(at).toISOString()}" title="${formatDateTime(at, words)}">${text}</time>`
}

export function renderDateTime(at: number | Date, words: Words): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${formatDateTime(at, words)}</time>`
}

export function formatDateTime(at: number | Date, words: Words): string {
  return `${getFormats(words.language).dateTime.format(at)} UTC`
}

export function formatRelative(at: number | Date, now: number, words: Words): string {
  const { relative } = getFormats(words.language)
  const distance = Number(at) - now
  // Something that is valid for 7 days ends in 7 days, and not, a second later, in 6.
  const count = (unit: number): number => (distance > 0 ? Math.round(distance / unit) : Math.trunc(distance / unit))
  const { justNow, soon } = FRAME_TEXTS[words.language]
  if (Math.abs(distance) < MINUTE_MS) return distance <= 0 ? justNow : soon
  if (Math.abs(distance) < HOUR_MS) return relative.format(count(MINUTE_MS), 'minute')
  if (Math.abs(distance) < DAY_MS) return relative.format(count(HOUR_MS), 'hour')
  if (Math.abs(distance) < 60 * DAY_MS) return relative.format(count(DAY_MS), 'day')
  return formatDate(at, words)
}
