import type { Check } from './finding.js'
import { problem } from './finding.js'

/** Whether this Node is one of those that the package promises to run on. */
export const nodeCheck: Check = {
  name: 'node',
  lacks: () => undefined,
  look({ manifest }) {
    const { node } = manifest.engines
    if (isWithin(process.versions.node, node)) return []
    return [
      problem(
        `Node ${process.versions.node} is none of those supported: ${node}.`,
        'Run servers and this program on one of them.',
      ),
    ]
  },
}

/** As much of npm's ranges as package.json uses: `^1.2.3` and `>=1.2.3`, with `||` between them. */
export function isWithin(version: string, range: string): boolean {
  const actual = numbersOf(version)
  return range.split('||').some((part) => {
    const least = numbersOf(part)
    const sameMajor = !part.includes('^') || actual[0] === least[0]
    return sameMajor && compare(actual, least) >= 0
  })
}

function numbersOf(text: string): number[] {
  return (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number)
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let place = 0; place < 3; place++) {
    const difference = (a[place] ?? 0) - (b[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
