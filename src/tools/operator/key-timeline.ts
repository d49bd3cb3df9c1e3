import type { CoreAuth } from '../../index.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { getFormats } from '../../shared/web/formats.js'
import { html, type Html } from '../../shared/web/html.js'
import type { Visit } from './visit.js'

type SigningKeys = Awaited<ReturnType<CoreAuth['signingKeys']['list']>>['items']

/** The time that is shown before and after now if there is one key. */
const LONE_KEY_MS = 30 * DAY_MS

export const KEY_TONES = { next: 'info', current: 'good', former: undefined } as const

/**
 * A bar for each key, in the order in which they sign: published, signs, only verifies. The table below has the same times, so that
 * it is hidden from screen readers. A key that nothing ends goes on to the end of the axis.
 */
export function renderKeyTimeline(keys: SigningKeys, { texts, language, now }: Visit): Html {
  const { dateTime, relative } = getFormats(language)
  // What changes is an hour from now, or a month, where keys may be years old.
  const changes = keys.slice(1).flatMap(({ createdAt, signsFrom }) => [createdAt, signsFrom])
  const marks = [...changes, ...keys.flatMap(({ verifiesUntil }) => verifiesUntil ?? [])]
  const reach = Math.max(0, ...marks.map((mark) => Math.abs(mark.getTime() - now))) * 1.2 || LONE_KEY_MS
  const oldest = Math.min(now, ...keys.map(({ createdAt }) => createdAt.getTime()))
  const [from, to] = [Math.max(oldest, now - reach), now + reach]
  const place = (time: number): number =>
    Math.round((1000 * (Math.min(Math.max(time, from), to) - from)) / (to - from)) / 10

  const rows = keys.map(({ kid, createdAt, signsFrom, verifiesUntil }, at) => {
    const ends = verifiesUntil?.getTime() ?? to
    const signsUntil = Math.min(keys[at + 1]?.signsFrom.getTime() ?? to, ends)
    const bars = [
      ['next', createdAt.getTime(), signsFrom.getTime()],
      ['current', signsFrom.getTime(), signsUntil],
      ['former', signsUntil, ends],
    ] as const
    return html`<code>${kid}</code>
      <svg>
        ${bars.map(([state, start, end]) => end > start && html`<rect class="${state}" x="${place(start)}%" width="${place(end) - place(start)}%" height="100%" />`)}
        <rect class="now" x="${place(now)}%" width="2" height="100%" />
      </svg>`
  })
  const legend = (['next', 'current', 'former'] as const).map(
    (state) => html`<span><i class="mark ${state}"></i>${texts.keyStates[state]}</span> `,
  )
  return html`<div class="card" aria-hidden="true">
    <div class="inside timeline">
      ${rows}
      <svg class="axis">
        <text y="1em">${dateTime.format(from)}</text>
        <text x="100%" y="1em" text-anchor="end">${dateTime.format(to)}</text>
        <text x="${place(now)}%" y="2.4em" text-anchor="${place(now) < 50 ? 'start' : 'end'}">
          ${relative.format(0, 'second')}
        </text>
      </svg>
      <p class="facts-line">${legend}</p>
    </div>
  </div>`
}
