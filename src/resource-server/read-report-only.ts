import type { Api } from '../contracts/api.js'
import type { EnforcementOptions } from '../contracts/enforcement.js'
import { describeWithFix } from '../contracts/errors.js'
import { ownMembers } from '../lib/own-members.js'
import { describeReportOnly, readEnforcement, type Enforcement } from '../options/read-enforcement.js'
import type { ReportOnly } from './report-only.js'

/** Reads `enforce` and `enforceBy` of a guard; undefined if it refuses requests. `call` is the one that makes the guard. */
export type ReadReportOnly = (call: string, api: Api, options: EnforcementOptions) => ReportOnly | undefined

interface ReportOnlyReaderOptions {
  /** What applies to the guards of each API. */
  readonly enforcements: ReadonlyMap<string, Enforcement>
  readonly now: () => number
  readonly warn: (message: string) => void
}

export function createReportOnlyReader({ enforcements, now, warn }: ReportOnlyReaderOptions): ReadReportOnly {
  const warned = new Set<string>()

  return function readReportOnly(call, api, options) {
    const ofApi = enforcements.get(api.name)!
    const enforcement = readEnforcement(`${call}: `, ownMembers(options), ofApi)
    if (enforcement.enforce) return undefined
    // At start-up there is a warning about the option of the platform or the API.
    if (ofApi.enforce && !warned.has(call)) {
      warned.add(call)
      warn(describeWithFix(describeReportOnly(`${call}: `, enforcement, now())))
    }
    return { until: enforcement.enforceBy ?? Infinity }
  }
}
