import type { UsageOffer } from '../../shared/contracts/offers.js'
import type { Core, Feature, FeaturePart } from '../../feature.js'
import type { PlatformAuth } from '../../index.js'
import { createUsageCalls, type Usage } from './usage-calls.js'
import { BATCH_ID_RETENTION_MS } from '../../shared/lib/batch-writer.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { createHourlyDeletion, MAX_DELETED_PER_CALL } from '../../shared/lib/hourly-cleanup.js'
import { createReportedCollector, createUsageCollector, createUsageObserver } from './collector.js'
import { createRefusalReads, MAX_REFUSAL_AGE_MS } from './refusals.js'
import { boolean, days, group } from '../../shared/lib/option-rules.js'

export type { Usage } from './usage-calls.js'
export type { ReportedQuery, ReportedRequests } from './report-only.js'
export type { RefusalEntry, RefusalExplanation, UsageEntry, UsageTotal } from '../../shared/contracts/usage-entries.js'
export type { OverallEntry, OverallRouteEntry, RouteUsageEntry, UsagePeriod, UsageQuery } from './list-usage.js'

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
  const collector = collect ? createUsageCollector(store, now, routes) : undefined
  const reported = createReportedCollector(store, now)
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
  const refusals = createRefusalReads(reads)
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
        return refusals.count(applicationId, language)
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

/** The options of `usage()`. */
export interface UsageOptions {
  /** Days for which counts are kept, of report-only guards since the last time; 400 if left out. Refusals: 7 days. */
  readonly retention?: number | undefined
  /** False: usage and refusals are not stored, and those that were stay until they are too old. True if left out. */
  readonly collect?: boolean | undefined
  /** Whether requests are counted by route pattern too: `auth.usage.routes()`. False if left out. */
  readonly routes?: boolean | undefined
}

export const readUsageOptions = group('usage', {
  // A little more than a year, so that a month can be compared with the same one of the year before.
  retention: days(400),
  collect: boolean(true),
  routes: boolean(false),
})
