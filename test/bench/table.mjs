const HEADINGS = [
  'group',
  'contender',
  'CPU us/request',
  'ratio',
  'ratio, quartiles',
  'added us',
  'p50 ms',
  'p99 ms',
  'p99 ratio',
  'slowest start',
  'scavenges',
  'RSS MB',
  'heap MB',
]

export function header() {
  return `${row(HEADINGS)}\n${row(HEADINGS.map((_, at) => (at < 2 ? '---' : '--:')))}`
}

export function lineOf(group, result) {
  const { name, cpu, ratio, ratioSpread, added, p50, p99, p99Ratio, slowestStart, scavenges, rss, heapUsed } = result
  return row([
    group,
    name,
    cpu.toFixed(1),
    ratio.toFixed(2),
    ratioSpread.map((each) => each.toFixed(2)).join(' - '),
    added.toFixed(1),
    p50.toFixed(2),
    p99.toFixed(2),
    p99Ratio.toFixed(2),
    slowestStart.toFixed(2),
    scavenges.toFixed(2),
    megabytes(rss),
    megabytes(heapUsed),
  ])
}

function row(cells) {
  return `| ${cells.join(' | ')} |`
}

function megabytes(bytes) {
  return (bytes / 2 ** 20).toFixed(0)
}

/** The variation of the base: smaller differences are noise. */
export function noiseLine({ title }, { name, cpu, cpuSpread }) {
  const [low, high] = cpuSpread.map((each) => each.toFixed(1))
  return `Noise, ${title}: ${name} took ${cpu.toFixed(1)} us, ${low} - ${high} in the middle half of its rounds.`
}

export function startUpLines(results) {
  const startUps = new Map(results.map(({ startsWith, startUp }) => [startsWith, startUp]))
  startUps.delete(undefined)
  return [...startUps].map(([size, startUp]) => `Start-up to \`ready()\` with ${size}: ${startUp.toFixed(0)} ms.`)
}

export function floodLine({ count, before, highest, after, turnedOver, cpu }) {
  const [start, peak, end, last] = [before, highest, after, turnedOver].map((each) => (each / 2 ** 20).toFixed(1))
  return `${count.toLocaleString('en')} distinct access tokens through \`verifyAccessToken()\` in one process: heap ${start} MB before, ${peak} MB at its highest, ${end} MB after, ${last} MB once the caches had turned over; ${cpu.toFixed(0)} us of CPU each, signing included.`
}
