import type { EnforcementOptions } from '../contracts/enforcement.js'
import { ConfigurationError, type ConfigurationProblem } from '../contracts/errors.js'
import { invalidOption, readBoolean } from './checks.js'

/** The validated form of `EnforcementOptions`. */
export interface Enforcement {
  readonly enforce: boolean
  /** Milliseconds since 1970 from which guards refuse in any case; undefined if there is no such time. */
  readonly enforceBy: number | undefined
  /** Whether `enforce: false` needs `enforceBy`: wherever `NODE_ENV` is not `development` or `test`. */
  readonly needsEnd: boolean
  /** Milliseconds since 1970: when the process started. */
  readonly startedAt: number
}

/** What the options of the platform inherit. */
export function createEnforcement(now: number): Enforcement {
  const startedAt = Number.isFinite(now) ? now : Date.now()
  const needsEnd = !['development', 'test'].includes(process.env['NODE_ENV'] ?? '')
  return { enforce: true, enforceBy: undefined, needsEnd, startedAt }
}

/** Reads `enforce` and `enforceBy`. `path` precedes their names; what is left out is as in `inherited`. */
export function readEnforcement(path: string, given: EnforcementOptions, inherited: Enforcement): Enforcement {
  const { needsEnd, startedAt } = inherited
  const enforcement = {
    enforce: readBoolean(`${path}enforce`, given.enforce ?? inherited.enforce),
    enforceBy:
      given.enforceBy === undefined ? inherited.enforceBy : readDay(`${path}enforceBy`, given.enforceBy, startedAt),
    needsEnd,
    startedAt,
  }
  if (!enforcement.enforce && enforcement.enforceBy === undefined && enforcement.needsEnd) {
    throw new ConfigurationError({
      option: `${path}enforce`,
      problem: 'is false, and there is no enforceBy',
      fix: `Give the day from which requests are refused: ${formatExample(startedAt)}. Only with NODE_ENV=development or test may it be left out.`,
    })
  }
  return enforcement
}

/** One warning for the platform, and one for each API that differs from it. */
export function warnOfReportOnly(
  platform: Enforcement,
  apis: ReadonlyMap<string, { readonly name: string; readonly enforcement: Enforcement }>,
  now: number,
  warn: (warning: ConfigurationProblem) => unknown,
): void {
  if (!platform.enforce) warn(describeReportOnly('', platform, now))
  for (const { name, enforcement } of apis.values()) {
    const isSame = !platform.enforce && enforcement.enforceBy === platform.enforceBy
    if (!enforcement.enforce && !isSame) warn(describeReportOnly(`apis.${name}.`, enforcement, now))
  }
}

/** The warning about guards that only report. `path` as above. */
export function describeReportOnly(path: string, { enforceBy }: Enforcement, now: number): ConfigurationProblem {
  const option = `${path}enforce`
  if (enforceBy !== undefined && !(now < enforceBy)) {
    const problem = `is false, and has no effect since ${formatDay(enforceBy)} (enforceBy)`
    return { option, problem, fix: 'Requests are refused. Remove both options.' }
  }
  const end = enforceBy === undefined ? '' : ` until ${formatDay(enforceBy)}`
  return {
    option,
    problem: `is false: requests that guards would refuse pass${end}`,
    fix: 'See which ones: auth.dryRun.report(), or express-platform-auth dry-run. Then remove the option.',
  }
}

const DAY = 86_400_000
/** An end that is always postponed, or far away, is none. */
const MAX_DAYS = 90

function formatExample(startedAt: number): string {
  return `enforceBy: '${formatDay(startedAt + 30 * DAY)}'`
}

function readDay(option: string, value: unknown, startedAt: number): number {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : NaN
  // February 30 would be a day in March.
  if (Number.isNaN(time) || formatDay(time) !== value)
    throw invalidOption(option, value, `Write a day, as YYYY-MM-DD: ${formatExample(startedAt)}.`)
  if (time <= startedAt + MAX_DAYS * DAY) return time
  throw new ConfigurationError({
    option,
    problem: `is more than ${MAX_DAYS} days ahead`,
    fix: `Write a day until ${formatDay(startedAt + MAX_DAYS * DAY)}: ${formatExample(startedAt)}.`,
  })
}

function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
