/**
 * Draws README's table of what a guard costs as a bar chart (SVG, with a dark variant by media query). Where the table
 * has a range, the bar ends at its middle.
 * @param {string} readme
 * @returns {string}
 */
export function drawGuardCost(readme) {
  const groups = readTable(readme)
  const lines = groups.flatMap(({ title, bars }) => [{ title }, ...bars])
  const highest = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const scale = (WIDTH - LEFT - 100) / highest
  const height = 34 + lines.length * LINE
  const rows = lines.map((line, i) => ('title' in line ? drawTitle(line.title, i) : drawBar(line, i, scale)))
  const one = LEFT + scale
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">
<style>
  text { fill: #1d2125 } .title { font-weight: 600 } .soft { fill: #58616a } .bar { fill: #b9c0c6 } .own { fill: #0f5f8c } .base { stroke: #58616a }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e8ea } .soft { fill: #a5aeb6 } .bar { fill: #4a525a } .own { fill: #7cc0ea } .base { stroke: #a5aeb6 }
  }
</style>
${rows.join('\n')}
<line class="base" x1="${one}" y1="4" x2="${one}" y2="${height - 26}" stroke-dasharray="3 3"/>
<text class="soft" x="${one}" y="${height - 8}" text-anchor="middle">1 = route without authentication</text>
</svg>
`
}

const WIDTH = 760
const LEFT = 220
const LINE = 22

/** @param {string} title @param {number} line */
function drawTitle(title, line) {
  return `<text class="title" x="4" y="${line * LINE + 20}">${escapeXml(title)}</text>`
}

/** The label is never on the line of 1. @param {{ name: string, value: number, label: string, own: boolean }} bar @param {number} line @param {number} scale */
function drawBar({ name, value, label, own }, line, scale) {
  const y = line * LINE + 7
  const width = (value * scale).toFixed(1)
  return `<text class="soft" x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${escapeXml(name)}</text>
<rect class="${own ? 'own' : 'bar'}" x="${LEFT}" y="${y + 1}" width="${width}" height="16" rx="2"/>
<text x="${LEFT + Math.max(Number(width), scale) + 6}" y="${y + 13}">${label}</text>`
}

/** The rows below the heading "What a guard costs": the operation, this package's figures, the others' figures. @param {string} readme */
function readTable(readme) {
  const section = readme.split('## What a guard costs')[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => /^\| [a-zA-Z]/.test(line))
  if (rows.length === 0) throw new Error('README.md has no table below "What a guard costs".')
  return rows.map((row) => {
    const [title = '', own = '', others = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim())
    const bars = [toBar('express-platform-auth', own, true), ...splitEntries(others).map(toNamedBar)]
    return { title, bars }
  })
}

/** @param {string} cell */
function splitEntries(cell) {
  return cell.split(', ').filter(Boolean)
}

/** @param {string} entry such as `fast-jwt with cache 1.06` or `better-auth 3.71 to 5.11` */
function toNamedBar(entry) {
  const [, name = entry, figures = ''] = /^(.*?) (\d[\d.]*(?: to \d[\d.]*)?)$/.exec(entry) ?? []
  return toBar(name, figures, false)
}

/** @param {string} name @param {string} figures @param {boolean} own */
function toBar(name, figures, own) {
  const [label = ''] = figures.split(';')
  const [first = NaN, last = first] = label.split(' to ').map(Number)
  if (!Number.isFinite((first + last) / 2)) throw new Error(`README.md: no figure for ${name} in "${figures}".`)
  return { name, value: (first + last) / 2, label, own }
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
