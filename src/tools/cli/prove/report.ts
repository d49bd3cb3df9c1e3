import { toPlainLine, wrapText } from '../format.js'

export interface CheckReport {
  /** The row of docs/http.md, as its anchor there; the text leaves it out. */
  readonly row: string
  readonly api: string
  readonly sends: string
  readonly expects: string
  readonly received?: string
  readonly fix?: string
  readonly skipped?: string
}

export interface ProveReport {
  readonly url: string
  readonly results: readonly CheckReport[]
  readonly ended: string | undefined
}

type Deviation = CheckReport & { readonly received: string; readonly fix: string }

export function listDeviations(results: readonly CheckReport[]): readonly Deviation[] {
  return results.filter((result): result is Deviation => result.received !== undefined && result.fix !== undefined)
}

export function toJson({ url, results, ended }: ProveReport): unknown {
  const skipped = results.filter((result) => result.skipped !== undefined)
  const deviations = listDeviations(results)
  const passed = results.length - skipped.length - deviations.length
  return { url, checks: results.length, passed, deviations, skipped, ...(ended !== undefined && { ended }) }
}

export function toText(report: ProveReport): string {
  const { url, results, ended } = report
  const deviations = listDeviations(results)
  const skipped = results.filter((result) => result.skipped !== undefined)
  const made = results.length - skipped.length
  const count = deviations.length === 1 ? '1 deviation' : `${deviations.length || 'no'} deviations`
  return [
    ...groupByFix(deviations).map(formatGroup),
    ...(skipped.length > 0 ? [formatSkipped(skipped)] : []),
    ...(ended === undefined ? [] : [`Not ended: ${ended}`]),
    `${made} checks of ${url}, ${count}.`,
  ].join('\n\n')
}

/** Groups deviations by their fix: if a proxy drops a header, many checks miss it. */
function groupByFix(deviations: readonly Deviation[]): readonly (readonly Deviation[])[] {
  const groups = new Map<string, Deviation[]>()
  for (const deviation of deviations) {
    const group = groups.get(deviation.fix)
    if (group) group.push(deviation)
    else groups.set(deviation.fix, [deviation])
  }
  return [...groups.values()]
}

const INDENT = ' '.repeat(11)
const MAX_SHOWN = 5

function formatGroup(group: readonly Deviation[]): string {
  const shown = group
    .slice(0, MAX_SHOWN)
    .map(({ api, sends, expects, received }) =>
      [
        `DEVIATION  ${wrap(`${api}: ${sends}`)}`,
        `${INDENT}${wrap(`expected: ${expects}`)}`,
        `${INDENT}${wrap(`received: ${received}`)}`,
      ].join('\n'),
    )
  const rest = group.length - shown.length
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
