import { toPlainLine, wrapText } from '../format.js'
import { EXIT_CODES } from '../errors.js'

export interface CheckReport {
  readonly row: string
  readonly api: string
  readonly sends: string
  readonly expects: string
  readonly received?: string
  readonly fix?: string
  readonly skipped?: string
}

export function createReport(url: string, results: readonly CheckReport[], ended: string | undefined) {
  const skipped = results.filter((result) => result.skipped !== undefined)
  const deviations = results.filter((result): result is Deviation => result.received !== undefined)
  const made = results.length - skipped.length
  const passed = made - deviations.length
  // If a proxy drops a header, many checks miss it.
  const byFix = new Map<string, Deviation[]>()
  for (const deviation of deviations) byFix.set(deviation.fix, [...(byFix.get(deviation.fix) ?? []), deviation])
  const count = deviations.length === 1 ? '1 deviation' : `${deviations.length || 'no'} deviations`
  return {
    json: { url, checks: results.length, passed, deviations, skipped, ...(ended !== undefined && { ended }) },
    text: [
      ...[...byFix.values()].map(formatGroup),
      ...(skipped.length > 0 ? [formatSkipped(skipped)] : []),
      ...(ended === undefined ? [] : [`Not ended: ${ended}`]),
      `${made} checks of ${url}, ${count}.`,
    ].join('\n\n'),
    exitCode: ended === undefined && deviations.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed,
  }
}

type Deviation = CheckReport & { readonly received: string; readonly fix: string }

const INDENT = ' '.repeat(11)
const MAX_SHOWN = 5

function formatGroup(group: readonly Deviation[]): string {
  const shown = group
    .slice(0, MAX_SHOWN)
    .flatMap(({ api, sends, expects, received }) => [
      `DEVIATION  ${wrap(`${api}: ${sends}`)}`,
      `${INDENT}${wrap(`expected: ${expects}`)}`,
      `${INDENT}${wrap(`received: ${received}`)}`,
    ])
  const rest = group.length - MAX_SHOWN
  const more = rest > 0 ? [`${INDENT}and ${rest} more with the same fix; --json lists all.`] : []
  return [...shown, ...more, `${' '.repeat(6)}FIX  ${wrap(group[0]!.fix)}`].join('\n')
}

function formatSkipped(skipped: readonly CheckReport[]): string {
  const counts = new Map<string, number>()
  for (const { api, skipped: reason } of skipped) {
    const line = `${api}: ${reason}`
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  const lines = [...counts].map(
    ([line, count]) => `  ${wrapText(toPlainLine(`${line} (${count === 1 ? '1 check' : `${count} checks`})`), '    ')}`,
  )
  return `Not checked:\n${lines.join('\n')}`
}

function wrap(text: string): string {
  return wrapText(toPlainLine(text), INDENT)
}
