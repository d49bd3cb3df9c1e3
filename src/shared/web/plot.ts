import { html, type Html } from './html.js'

/** A day, or another period, of a plot. */
interface PlottedPeriod {
  /** What is shown of it on hover and on focus, such as `27 Nov: 1,104 allowed, 4 refused`. */
  readonly text: string
  readonly allowed: number
  readonly refused: number
}

interface Plot {
  /** Unique within the page. */
  readonly id: string
  readonly label: string
  readonly periods: readonly PlottedPeriod[]
  /** The dates below the first bar, the one in the middle, and the last. */
  readonly dates: readonly string[]
  readonly formatCount: (count: number) => string
}

/**
 * A bar for each period, refused requests on top of allowed ones. One of the periods is chosen: its values are above the plot, and
 * those of another one under the pointer. They are radio buttons, so that arrow keys and screen readers go through them without a
 * script. The drawing is stretched to the width of the page, so that its texts are outside of it.
 */
export function renderPlot({ id, label, periods, dates, formatCount }: Plot): Html {
  const top = findTop(Math.max(...periods.map(({ allowed, refused }) => allowed + refused)))
  return html`<fieldset class="plot">
    <legend class="unseen">${label}</legend>
    <p class="counts" aria-hidden="true">
      ${[top, top / 2, 0].map((count) => html`<span>${formatCount(count)}</span>`)}
    </p>
    <svg viewBox="0 0 ${periods.length} 100" preserveAspectRatio="none" aria-hidden="true">
      ${[0, 50, 100].map((y) => html`<path class="line" d="M0 ${y}H${periods.length}" vector-effect="non-scaling-stroke" />`)}
      ${periods.map(({ allowed, refused }, at) => html`${renderBar('allowed', at, allowed, 0, 100 / top)}${renderBar('refused', at, refused, allowed, 100 / top)}`)}
    </svg>
    <div class="periods">
      ${periods.map(
        ({ text }, at) =>
          html`<label
            ><input type="radio" class="unseen" name="${id}" ${at === periods.length - 1 && html` checked`} /><span
              >${text}</span
            ></label
          >`,
      )}
    </div>
    <p class="dates" aria-hidden="true">${dates.map((date) => html`<span>${date}</span>`)}</p>
  </fieldset>`
}

function renderBar(name: string, at: number, count: number, below: number, scale: number): Html | false {
  return count > 0 && html`<path class="${name}" d="M${at + 0.15} ${100 - below * scale}h.7v${-count * scale}h-.7z" />`
}

/** The count at the upper end of the axis: 4, 10, 20, 40, 100 and so on, so that its half is a whole number too. */
function findTop(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(highest, 4)))
  return [1, 2, 4, 10].map((step) => step * power).find((top) => top >= highest && top >= 4) ?? 10 * power
}
