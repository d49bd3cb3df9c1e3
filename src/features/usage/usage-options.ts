import { boolean, days, group } from '../../shared/lib/option-rules.js'

/** The options of `usage()`. */
export interface UsageOptions {
  /**
   * Days for which counts are kept, those of report-only guards since the last time; 400 if left out. Refusals are kept for 7 days.
   */
  readonly retention?: number | undefined
  /** False: usage and refusals are not stored, and those that were stay until they are too old. True if left out. */
  readonly collect?: boolean | undefined
  /** Whether requests are counted by route pattern too: `auth.usage.routes()`. False if left out. */
  readonly routes?: boolean | undefined
}

/** Days; a little more than a year, so that a month can be compared with the same one of the year before. */
const DEFAULT_RETENTION = 400

export const readUsageOptions = group('usage', {
  retention: days(DEFAULT_RETENTION),
  collect: boolean(true),
  routes: boolean(false),
})
