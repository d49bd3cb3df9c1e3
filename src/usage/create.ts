import {
  filter,
  options as readOptions,
  withCheckedArguments,
  type CallParameters,
} from '../applications/call-arguments.js'
import type { Logger } from '../contracts/logger.js'
import type { StoreWith } from '../contracts/store.js'
import { createUsageCleanup } from './cleanup.js'
import { createUsageCollector, type UsageCollector } from './collector.js'
import { createReportOnlyCalls, type ReportedQuery, type ReportOnlyCalls } from './report-only.js'
import { createReportedCollector, type ReportedCollector } from './reported-collector.js'
import { createRefusals, type Refusals } from './refusals.js'
import { createUsage, type Usage, type UsageQuery } from './usage.js'

/** `auth.usage`, `auth.refusals` and `auth.reportOnly`. */
export interface UsageCalls {
  readonly usage: Usage
  readonly refusals: Refusals
  readonly reportOnly: ReportOnlyCalls
}

interface UsageCallsOptions {
  readonly store: StoreWith<'usage'>
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  readonly now: () => number
}

interface UsageOptions extends UsageCallsOptions {
  readonly settings: { readonly enabled: boolean; readonly retention: number }
  readonly logger: Pick<Logger, 'warn'>
}

const USAGE_PARAMETERS: CallParameters<Usage> = {
  list: [
    readOptions<UsageQuery>({
      applicationId: 'text',
      api: 'text',
      from: 'own',
      to: 'own',
      by: 'text',
      after: 'text',
      limit: 'own',
    }),
  ],
}
const REPORTED_PARAMETERS: CallParameters<ReportOnlyCalls> = {
  list: [readOptions<ReportedQuery>({ applicationId: 'text', api: 'text', after: 'text', limit: 'own' })],
}

/** The parts of a platform that concern usage. */
export function createUsageParts({ settings, logger, ...options }: UsageOptions): {
  readonly calls: UsageCalls
  /** Undefined if usage is not collected. */
  readonly collector: UsageCollector | undefined
  readonly reportedCollector: ReportedCollector
  start(): void
  close(): Promise<void>
} {
  const { store: given, now } = options
  const store = given.usage
  const collector = settings.enabled ? createUsageCollector({ store, now }) : undefined
  const reportedCollector = createReportedCollector({ store, now })
  // Counts that an earlier process has stored are deleted in any case.
  const cleanup = createUsageCleanup({ store, retention: settings.retention, logger, now })
  return {
    calls: createUsageCalls(options, reportedCollector.flush),
    collector,
    reportedCollector,
    start: cleanup.start,
    async close() {
      await Promise.all([collector?.close(), reportedCollector.close()])
      await cleanup.close()
    },
  }
}

/** `flushReported` writes the counts of this process. */
export function createUsageCalls(
  { store: { usage: store }, ...given }: UsageCallsOptions,
  flushReported: () => Promise<void> = async () => undefined,
): UsageCalls {
  const options = { ...given, store }
  return {
    usage: withCheckedArguments(USAGE_PARAMETERS, createUsage(options)),
    refusals: withCheckedArguments({ list: [filter] }, createRefusals(options)),
    reportOnly: withCheckedArguments(REPORTED_PARAMETERS, createReportOnlyCalls({ ...options, flush: flushReported })),
  }
}
