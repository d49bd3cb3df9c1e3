const HEADINGS = [
  'group', 'contender', 'CPU us/request', 'ratio', 'ratio, quartiles', 'added us', 'p50 ms', 'p99 ms', 'RSS MB', 'heap MB',
] // prettier-ignore

export function header() {
  return `${row(HEADINGS)}\n${row(HEADINGS.map((_, at) => (at < 2 ? '---' : '--:')))}`
}

export function lineOf(group, result) {
  const { name, cpu, ratio, ratioSpread, added, p50, p99, rss, heapUsed } = result
  return row([
    group,
    name,
    cpu.toFixed(1),
    ratio.toFixed(2),
    ratioSpread.map((each) => each.toFixed(2)).join(' - '),
    added.toFixed(1),
    p50.toFixed(2),
    p99.toFixed(2),
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
