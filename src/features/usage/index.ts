import type { UsageOffer } from '../../shared/contracts/offers.js'
import type { Core, Feature, FeaturePart } from '../../feature.js'
import type { PlatformAuth } from '../../index.js'
import { createUsageCalls } from './usage-queries.js'
import type { Usage } from './usage-calls.js'
import { BATCH_ID_RETENTION_MS } from '../../shared/lib/batch-writer.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { createHourlyDeletion, MAX_DELETED_PER_CALL } from '../../shared/lib/hourly-cleanup.js'
import { createUsageCollector, createUsageObserver } from './collector.js'
import { readUsageOptions, type UsageOptions } from './usage-options.js'
import { createReportedCollector } from './reported-collector.js'
import { createCountRefusals, MAX_REFUSAL_AGE_MS } from './refusals.js'

export type { Usage } from './usage-calls.js'
export type { UsagePeriod } from './list-usage.js'
export type { UsageOptions } from './usage-options.js'
export type { ReportedQuery, ReportedRequests } from './report-only.js'
export type { RefusalEntry, RefusalExplanation, UsageEntry, UsageTotal } from '../../shared/contracts/usage-entries.js'
export type { OverallEntry, OverallRouteEntry, RouteUsageEntry, UsageQuery } from './list-usage.js'

/** What `usage()` returns, for the option `features`. */
export interface UsageFeature extends Feature<'usage'> {
  readonly calls?: Usage<keyof this['apis'] & string>
}

/** Any platform that was given `usage()`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export type WithUsage = PlatformAuth<any, any, readonly [UsageFeature]>

/**
 * Counts how often applications use the APIs, keeps why they were last refused, and counts what report-only guards would refuse:
 * `auth.usage`. It throws nothing; `createPlatformAuth()` validates its options.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { usage } from 'express-platform-auth/usage'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   features: [usage()],
 * })
 * const { items } = await auth.usage.list({ api: 'catalog' })
 * ```
 */
export function usage(options?: UsageOptions): UsageFeature {
  return {
    name: 'usage',
    storeParts: ['usage'],
    prepare() {
      const settings = readUsageOptions(options)
      return (core) => createUsagePart(core, settings)
    },
  }
}

function createUsagePart(core: Core, { collect, retention, routes }: ReturnType<typeof readUsageOptions>): FeaturePart {
  const { opened, logger, now } = core
  const { usage: store } = core.store
  const collector = collect ? createUsageCollector({ store, now, routes }) : undefined
  const reported = createReportedCollector({ store, now })
  // Counts that an earlier process has stored are deleted in any case.
  const cleanup = createHourlyDeletion({
    deleteSome: () =>
      store.deleteExpired({
        countsBefore: formatDay(now() - retention * DAY_MS),
        reportedBefore: now() - retention * DAY_MS,
        refusalsBefore: now() - MAX_REFUSAL_AGE_MS,
        batchesBefore: now() - BATCH_ID_RETENTION_MS,
        limit: MAX_DELETED_PER_CALL,
      }),
    subject: 'old usage and refusals',
    logger,
  })
  const reads = { store, opened, now }
  const calls = createUsageCalls(reads, reported.flush)
  const countRefusals = createCountRefusals(reads)
  return {
    calls,
    offers: {
      counts: { requests: collect, routes: collect && routes },
      async list(query) {
        await collector?.flush()
        return calls.list(query)
      },
      async countRefusals(applicationId, language) {
        await collector?.flush()
        return countRefusals(applicationId, language)
      },
    } satisfies UsageOffer,
    observe: ({ name }) => createUsageObserver(name, collector, reported),
    start: cleanup.start,
    async flush() {
      await Promise.all([collector?.flush(), reported.flush()])
    },
    async stop() {
      await Promise.all([collector?.close(), reported.close()])
      await cleanup.close()
    },
  }
}
