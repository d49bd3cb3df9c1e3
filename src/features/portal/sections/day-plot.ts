import type { Html } from '../../../shared/web/html.js'
import { renderPlot } from '../../../shared/web/plot.js'
import { formatDate, getFormats } from '../pages/times.js'
import type { PortalTexts } from '../texts/en.js'

interface PlottedDay {
  /** The day, such as `2026-11-25`. */
  readonly day: string
  readonly allowed: number
  readonly refused: number
}

/** A plot of the requests of each day. `id`: unique within the page. */
export function renderDayPlot(id: string, label: string, days: readonly PlottedDay[], texts: PortalTexts): Html {
  const { count, short } = getFormats(texts)
  const name = (day: string): string => formatDate(Date.parse(day), texts)
  return renderPlot({
    id,
    label,
    periods: days.map(({ day, allowed, refused }) => {
      const text = texts.countsOfDay(name(day), count.format(allowed), count.format(refused))
      return { text, allowed, refused }
    }),
    dates: [days[0], days[days.length >> 1], days.at(-1)].flatMap((each) => (each ? [name(each.day)] : [])),
    formatCount: (each) => short.format(each),
  })
}
