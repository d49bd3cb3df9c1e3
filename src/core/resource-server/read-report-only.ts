import type { Api } from '../../shared/contracts/api.js'
import type { ReportOnlyOptions } from '../../shared/contracts/report-only.js'
import { describeWithFix } from '../../shared/contracts/errors.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { describeReportOnly, readReportOnlyOption, type ReportOnlySettings } from '../options/read-report-only.js'
import type { ReportOnly } from './refusal-reporter.js'

/** Reads `reportOnly` of a guard; undefined if it refuses requests. `call` is the one that makes the guard. */
export type ReadReportOnly = (call: string, api: Api, options: ReportOnlyOptions) => ReportOnly | undefined

interface ReportOnlyReaderOptions {
  /** The report-only settings for the guards of each API. */
  readonly reportOnlyOf: ReadonlyMap<string, ReportOnlySettings>
  readonly now: () => number
  readonly warn: (message: string) => void
}

export function createReportOnlyReader({ reportOnlyOf, now, warn }: ReportOnlyReaderOptions): ReadReportOnly {
  const warned = new Set<string>()

  return function readReportOnly(call, api, options) {
    const ofApi = reportOnlyOf.get(api.name)!
    const settings = readReportOnlyOption(`${call}: `, ownMembers(options), ofApi)
    if (!settings.reportOnly) return undefined
    // At start-up there is a warning about the option of the platform or the API.
    if (!ofApi.reportOnly && !warned.has(call)) {
      warned.add(call)
      warn(describeWithFix(describeReportOnly(`${call}: `, settings, now())))
    }
    return { until: settings.until ?? Infinity }
  }
}
