import type { CheckReport, ProveReport } from './report.js'

/** The report as JUnit XML, which CI servers show: a suite for each subject, a case for each check. */
export function toJUnit({ results }: ProveReport): string {
  const subjects = [...new Set(results.map(({ subject }) => subject))]
  const suites = subjects.map((subject) =>
    formatSuite(
      subject,
      results.filter((each) => each.subject === subject),
    ),
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="express-platform-auth prove">',
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function formatSuite(subject: string, results: readonly CheckReport[]): string {
  const count = (name: 'received' | 'skipped'): number => results.filter((each) => each[name] !== undefined).length
  const attributes = `name="${escapeXml(subject)}" tests="${results.length}" failures="${count('received')}" skipped="${count('skipped')}"`
  return [`  <testsuite ${attributes}>`, ...results.map(formatCase), '  </testsuite>'].join('\n')
}

function formatCase({ row, api, sends, expects, received, fix, skipped }: CheckReport): string {
  const start = `    <testcase classname="${escapeXml(`prove.${api}`)}" name="${escapeXml(`${row} ${sends}`)}"`
  if (skipped !== undefined) return `${start}><skipped message="${escapeXml(skipped)}"/></testcase>`
  if (received === undefined) return `${start}/>`
  const text = `expected: ${expects}\nreceived: ${received}\nfix: ${fix ?? ''}`
  return `${start}><failure message="${escapeXml(`expected ${expects}`)}">${escapeXml(text)}</failure></testcase>`
}

/** XML 1.0 has no other control characters, not even escaped ones. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\n\t\x20-\uD7FF\uE000-\uFFFD]/g, '\u{FFFD}')
    .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
