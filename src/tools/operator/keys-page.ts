import { DAY_MS } from '../../shared/lib/day.js'
import { html } from '../../shared/web/html.js'
import { renderPill } from '../../shared/web/parts.js'
import { formatRelative } from '../../shared/web/times.js'
import { renderActions } from './actions.js'
import { renderDanger } from './application-page.js'
import { fillTime, renderItem, shortenKid } from './formats.js'
import { renderList } from './list-page.js'
import type { Answer, Visit } from './visit.js'

/** The time that is shown before and after now if there is one key. */
const LONE_KEY_MS = 30 * DAY_MS

const TONES = { next: 'info', current: 'good', former: undefined } as const

/**
 * The signing keys, in the order in which they sign, each with a bar: published, signs, only verifies. The bars are hidden from screen
 * readers, because the rows have the same times. A key that nothing ends goes on to the end of the axis.
 */
export async function answerKeys(visit: Visit): Promise<Answer> {
  const { texts, now, formats } = visit
  const { items: keys } = await visit.auth.signingKeys.list()
  // What changes is an hour from now, or a month, where keys may be years old.
  const changes = keys.slice(1).flatMap(({ createdAt, signsFrom }) => [createdAt, signsFrom])
  const marks = [...changes, ...keys.flatMap(({ verifiesUntil }) => verifiesUntil ?? [])]
  const reach = Math.max(0, ...marks.map((mark) => Math.abs(mark.getTime() - now))) * 1.2 || LONE_KEY_MS
  const oldest = Math.min(now, ...keys.map(({ createdAt }) => createdAt.getTime()))
  const [from, to] = [Math.max(oldest, now - reach), now + reach]
  const place = (time: number): number =>
    Math.round((1000 * (Math.min(Math.max(time, from), to) - from)) / (to - from)) / 10
  const drawn = new Set<keyof typeof TONES>()
  const rows = keys.map(({ kid, algorithm, state, createdAt, signsFrom, verifiesUntil }, at) => {
    const title = html`<code title="${kid}">${shortenKid(kid)}</code>`
    const facts = [
      algorithm,
      fillTime(texts.created, createdAt, visit),
      fillTime(state === 'current' ? texts.usedSince : texts.signsFrom, signsFrom, visit),
      verifiesUntil && fillTime(texts.verifiesUntil, verifiesUntil, visit),
    ]
    const actions = renderActions(visit, 'signingKey', { query: { kid }, subject: kid })
    const [starts, end] = [place(signsFrom.getTime()), place(verifiesUntil?.getTime() ?? to)]
    const signsUntil = Math.min(place(keys[at + 1]?.signsFrom.getTime() ?? to), end)
    const drawBar = (its: keyof typeof TONES, x: number, until: number) => {
      if (until > x) drawn.add(its)
      return until > x && html`<rect class="${its}" x="${x}%" width="${until - x}%" height="100%" />`
    }
    return html`${renderItem(html`${title} ${renderPill(texts.keyStates[state], TONES[state])}`, facts, actions)}
      <li class="life" aria-hidden="true">
        <svg>
          ${drawBar('next', place(createdAt.getTime()), starts)}${drawBar('current', starts, signsUntil)}${drawBar('former', signsUntil, end)}
          <rect class="past" width="${place(now)}%" height="100%" />
          <rect class="now" x="${place(now)}%" width="2" height="100%" />
        </svg>
      </li>`
  })
  const side = place(now) < 8 ? 'start' : place(now) > 92 ? 'end' : 'middle'
  // The ends stand in the line of now, where they have room beside it.
  const axis = html`<li class="life axis" aria-hidden="true">
    <svg>
      ${place(now) > 10 && html`<text class="${place(now) < 30 && 'wide'}" y="1em">${formatRelative(from, now, visit)}</text>`}
      <text x="${place(now)}%" y="1em" text-anchor="${side}">${formats.relative.format(0, 'second')}</text>
      <text x="100%" y="1em" text-anchor="end">${formatRelative(to, now, visit)}</text>
    </svg>
    <span>${[...drawn].map((state) => html`<i class="mark ${state}"></i>${texts.keyStates[state]} `)}</span>
  </li>`
  return renderList(visit, {
    tab: 'keys',
    rows: [...rows, axis],
    actions: renderActions(visit, 'keys', { subject: texts.tabs.keys }),
    before: html`<p class="lead">${texts.keysAbout}</p>`,
    after: renderDanger(visit, 'sessions'),
  })
}
