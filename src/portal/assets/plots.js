// @ts-nocheck This runs in browsers; the package's own types are those of Node.

/** Draws the plot of each API from the table below it, and closes the table. Bundled with uPlot by the build. */
import uPlot from 'uplot'

const HEIGHT = 150
/** Seconds. */
const HALF_DAY = 43_200
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const COUNT = new Intl.NumberFormat('en')

for (const item of document.querySelectorAll('.usage')) {
  const plot = item.querySelector('.plot')
  if (plot) show(plot, item.querySelector('details'))
}

function show(plot, details) {
  const data = readTable(details.querySelector('table'))
  const reading = document.createElement('p')
  const box = document.createElement('div')
  plot.append(box, reading)
  plot.hidden = false
  details.open = false
  let drawn = draw(box, reading, data)
  new ResizeObserver(() => drawn.setSize({ width: box.clientWidth, height: HEIGHT })).observe(box)
  const redraw = () => {
    drawn.destroy()
    drawn = draw(box, reading, data)
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw)
  document.addEventListener('themechange', redraw)
}

/** Oldest first: seconds since 1970, all requests, and those that were allowed. */
function readTable(table) {
  const rows = [...table.tBodies[0].rows].toReversed()
  const readCount = (row, cell) => Number(row.cells[cell].textContent.replaceAll(/\D/g, ''))
  return [
    rows.map((row) => Date.parse(row.querySelector('time').dateTime) / 1000),
    rows.map((row) => readCount(row, 1) + readCount(row, 2)),
    rows.map((row) => readCount(row, 1)),
  ]
}

/** The refused requests are what is seen of all behind those that were allowed. */
function draw(box, reading, data) {
  const color = readColors(box)
  const bars = { paths: uPlot.paths.bars({ size: [0.7, 24] }), points: { show: false }, width: 0 }
  const font = '12px system-ui, sans-serif'
  const axis = { stroke: color('--soft'), font, ticks: { show: false } }
  const readOut = (index) => {
    reading.textContent = describeDay(data, index ?? data[0].length - 1)
  }
  readOut(undefined)
  return new uPlot(
    {
      width: box.clientWidth,
      height: HEIGHT,
      padding: [8, 0, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { x: { range: (_plot, first, last) => [first - HALF_DAY, last + HALF_DAY] }, y: { range: (_plot, _min, max) => [0, Math.max(max, 4) * 1.05] } },
      axes: [
        { ...axis, grid: { show: false }, space: 70, size: 28, values: (_plot, days) => days.map((day) => DAY.format(day * 1000)) },
        { ...axis, grid: { stroke: color('--line'), width: 1 }, space: 36, size: 56, incrs: INCREMENTS, values: (_plot, counts) => counts.map(formatShort) },
      ],
      series: [{}, { ...bars, fill: color('--bad') }, { ...bars, fill: color('--accent') }],
      hooks: { setCursor: [({ cursor }) => readOut(cursor.idx)] },
    },
    data,
    box,
  ) // prettier-ignore
}

/** Whole numbers only: half a request means nothing. */
const INCREMENTS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

function formatShort(count) {
  return new Intl.NumberFormat('en', { notation: 'compact' }).format(count)
}

function describeDay([days, all, allowed], index) {
  const refused = all[index] - allowed[index]
  return `${DAY.format(days[index] * 1000)}: ${COUNT.format(allowed[index])} allowed, ${COUNT.format(refused)} refused`
}

/** The page's colours in the browser's present colour scheme. */
function readColors(box) {
  return (name) => {
    box.style.color = `var(${name})`
    const { color } = getComputedStyle(box)
    box.style.color = ''
    return color
  }
}
