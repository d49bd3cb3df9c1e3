import { html, type Html } from '../../../shared/web/html.js'
import { formatDate, getFormats } from '../pages/times.js'
import type { PortalTexts } from '../texts/en.js'

interface PlottedDay {
  /** The day, such as `2026-11-25`. */
  readonly day: string
  readonly allowed: number
  readonly refused: number
}

/**
 * A bar for each day, refused requests on top of allowed ones. The drawing is stretched to the page's width, so that its texts
 * are outside of it. Screen readers get the table below it instead.
 */
export function renderPlot(days: readonly PlottedDay[], texts: PortalTexts): Html {
  const { short } = getFormats(texts)
  const top = findTop(Math.max(...days.map(({ allowed, refused }) => allowed + refused)))
  return html`<div class="plot" aria-hidden="true">
    <p class="counts">${[top, top / 2, 0].map((count) => html`<span>${short.format(count)}</span>`)}</p>
    <svg viewBox="0 0 ${days.length} 100" preserveAspectRatio="none">
      ${[0, 50, 100].map((y) => html`<path class="line" d="M0 ${y}H${days.length}" vector-effect="non-scaling-stroke" />`)}
      ${days.map((day, index) => renderDay(day, index, 100 / top, texts))}
    </svg>
    <p class="days">
      ${[days[0], days[days.length >> 1], days.at(-1)].map((each) => each && html`<span>${formatDate(Date.parse(each.day), texts)}</span>`)}
    </p>
  </div>`
}

/** The whole height of a day shows its counts under the pointer. */
function renderDay({ day, allowed, refused }: PlottedDay, index: number, scale: number, texts: PortalTexts): Html {
  const { count: format } = getFormats(texts)
  const bar = (count: number, below: number, name: string): Html =>
    html`<path class="${name}" d="M${index + 0.15} ${100 - below * scale}h.7v${-count * scale}h-.7z" />`
  const date = formatDate(Date.parse(day), texts)
  const counts = texts.countsOfDay(date, format.format(allowed), format.format(refused))
  return html`<g>
    <title>${counts}</title>
    <path class="day" d="M${index} 0h1v100h-1z" />
    ${allowed > 0 && bar(allowed, 0, 'allowed')}${refused > 0 && bar(refused, allowed, 'refused')}
  </g> `
}

/** The count at the upper end of the axis: 4, 10, 20, 40, 100 and so on, so that its half is a whole number too. */
function findTop(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 4)))
  return [1, 2, 4, 10].map((step) => step * power).find((top) => top >= highest && top >= 4) ?? 10 * power
}
