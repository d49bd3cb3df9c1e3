import { ConfigurationError, type ConfigurationProblem } from '../../shared/contracts/errors.js'
import type { ReportOnlyOptions } from '../../shared/contracts/api.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { isObject } from '../../shared/lib/own-members.js'
import { invalidOption, readBoolean, refuseUnknown } from '../../shared/lib/option-checks.js'

export interface ReportOnlySettings {
  readonly reportOnly: boolean
  /** Milliseconds since 1970 from which guards refuse in any case; undefined if there is no such time. */
  readonly until: number | undefined
  /** Whether `reportOnly` needs an end: wherever `NODE_ENV` is not `development` or `test`. */
  readonly needsEnd: boolean
  /** Milliseconds since 1970: when the process started. */
  readonly startedAt: number
}

export function createReportOnlySettings(now: number): ReportOnlySettings {
  const startedAt = Number.isFinite(now) ? now : Date.now()
  const needsEnd = !['development', 'test'].includes(process.env['NODE_ENV'] ?? '')
  return { reportOnly: false, until: undefined, needsEnd, startedAt }
}

/** Reads `reportOnly`. `path` precedes its name; what is left out is as in `inherited`. */
export function readReportOnlyOption(
  path: string,
  { reportOnly }: ReportOnlyOptions,
  inherited: ReportOnlySettings,
): ReportOnlySettings {
  const option = `${path}reportOnly`
  if (reportOnly === undefined) return inherited
  if (isObject(reportOnly)) {
    refuseUnknown(`${option}.`, reportOnly, ['until'])
    return {
      ...inherited,
      reportOnly: true,
      until: readDay(`${option}.until`, reportOnly['until'], inherited.startedAt),
    }
  }
  const settings = { ...inherited, reportOnly: readBoolean(option, reportOnly) }
  if (!settings.reportOnly || settings.until !== undefined || !settings.needsEnd) return settings
  throw new ConfigurationError({
    option,
    problem: 'is true, and has no end',
    fix: `Give the day from which requests are refused: ${formatExample(inherited.startedAt)}. Only with NODE_ENV=development or test may it be left out.`,
  })
}

/** Warns once for the platform, and once for each API that differs from it. */
export function warnOfReportOnly(
  platform: ReportOnlySettings,
  apis: ReadonlyMap<string, { readonly name: string; readonly reportOnly: ReportOnlySettings }>,
  now: number,
  warn: (warning: ConfigurationProblem) => unknown,
): void {
  if (platform.reportOnly) warn(describeReportOnly('', platform, now))
  for (const { name, reportOnly } of apis.values()) {
    const isSame = platform.reportOnly && reportOnly.until === platform.until
    if (reportOnly.reportOnly && !isSame) warn(describeReportOnly(`apis.${name}.`, reportOnly, now))
  }
}

export function describeReportOnly(path: string, { until }: ReportOnlySettings, now: number): ConfigurationProblem {
  const option = `${path}reportOnly`
  if (until !== undefined && !(now < until)) {
    const problem = `ended on ${formatDay(until)}, and has no effect any more`
    return { option, problem, fix: 'Requests are refused. Remove the option.' }
  }
  const end = until === undefined ? '' : ` until ${formatDay(until)}`
  return {
    option,
    problem: `is set: requests that guards would refuse pass${end}`,
    fix: 'See which ones, where features has usage(): auth.usage.reportOnly(), or express-platform-auth report-only. Then remove the option.',
  }
}

/** An end that is always postponed, or far away, is none. */
const MAX_DAYS = 90

function formatExample(startedAt: number): string {
  return `reportOnly: { until: '${formatDay(startedAt + 30 * DAY_MS)}' }`
}

function readDay(option: string, value: unknown, startedAt: number): number {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : NaN
  // February 30 would be a day in March.
  if (Number.isNaN(time) || formatDay(time) !== value)
    throw invalidOption(option, value, `Write a day, as YYYY-MM-DD: ${formatExample(startedAt)}.`)
  if (time <= startedAt + MAX_DAYS * DAY_MS) return time
  throw new ConfigurationError({
    option,
    problem: `is more than ${MAX_DAYS} days ahead`,
    fix: `Write a day until ${formatDay(startedAt + MAX_DAYS * DAY_MS)}: ${formatExample(startedAt)}.`,
  })
}
