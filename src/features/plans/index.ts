import { application, options as readOptions, withCheckedArguments } from '../../core/applications/call-arguments.js'
import type { Core, Feature, FeaturePart } from '../../feature.js'
import type { PlansOffer } from '../../shared/contracts/offers.js'
import type { PlatformAuth } from '../../index.js'
import { type Plans, createSetPlan } from './plans-calls.js'
import { BATCH_ID_RETENTION_MS } from '../../shared/lib/batch-writer.js'
import { DAY_MS, formatDay } from '../../shared/lib/day.js'
import { createHourlyDeletion, MAX_DELETED_PER_CALL } from '../../shared/lib/hourly-cleanup.js'
import { createLedger } from './ledger.js'
import { createLimiter } from './limiter.js'
import { createNotices } from './notices.js'
import { createReadPlanUsage, createListAbove } from './plan-usage.js'
import { readPlans, type PlanOptions, type PlansOptions, type PlansSettings } from './plans-options.js'
import { COUNT_WINDOWS, createCountShared } from './shared-counts.js'
import { createAddReported } from './reported-units.js'
import { describePlan, describeTooLow, createPlanNames } from './plan.js'

export type { PlanUsage, QuotaAbove, QuotaUsage } from '../../shared/contracts/usage-entries.js'
export type { Plans } from './plans-calls.js'
export type { PlanLimit, PlanOptions, PlansOptions } from './plans-options.js'

/** What `plans()` returns, for the option `features`. */
export interface PlansFeature<Name extends string = string> extends Feature<'plans'> {
  readonly calls?: Plans<Name>
  readonly planNames: readonly string[]
}

/** Any platform that was given `plans()`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export type WithPlans = PlatformAuth<any, any, readonly [PlansFeature]>

/**
 * Limits what applications may do by their plans, per second, day and month: `auth.plans`. It throws nothing;
 * `createPlatformAuth()` validates its options.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { plans } from 'express-platform-auth/plans'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   features: [
 *     plans({
 *       free: { requests: [{ limit: 10, window: 1 }, { limit: 10_000, per: 'month' }] },
 *       gold: { requests: [{ limit: 100, window: 1 }, { limit: 1_000_000, per: 'month', soft: true }] },
 *     }, { default: 'free' }),
 *   ],
 * })
 * await auth.plans.set('app_...', 'gold')
 * ```
 */
export function plans<const Name extends string, const Default extends Name = Name>(
  given: Readonly<Record<Name, PlanOptions>>,
  options?: PlansOptions<Default>,
): PlansFeature<Name> {
  return {
    name: 'plans',
    // `prepare` says what is wrong with it.
    planNames: Object.keys(Object(given)),
    ...(options?.notify === true && { optionNeeds: { 'plans.notify': 'emails' } }),
    storeParts: ['quotas'],
    prepare() {
      const settings = readPlans(given, options)
      return (core) => createPlansPart(core, settings)
    },
  }
}

/** A quota needs the days of one month. */
const RETENTION_MS = 100 * DAY_MS

function createPlansPart(core: Core, { plans: known, defaultPlan, notify }: PlansSettings): FeaturePart {
  const { store, writer, rateLimits, settings, logger, opened, now } = core
  const script = rateLimits.defineScript('plans', COUNT_WINDOWS)
  const countShared = script && createCountShared(script)
  const names = createPlanNames(known)
  const notices = createNotices(core, notify)
  const ledger = createLedger(core, store.quotas, settings.cache.applications, notices.tell)
  const limitByPlan = createLimiter(names.find, ledger, countShared, settings.rateLimits.headers, now)
  const cleanup = createHourlyDeletion({
    deleteSome: () =>
      store.quotas.deleteExpired({
        countsBefore: formatDay(now() - RETENTION_MS),
        batchesBefore: now() - BATCH_ID_RETENTION_MS,
        limit: MAX_DELETED_PER_CALL,
      }),
    subject: 'old counts of quotas',
    logger,
  })
  const usage = createReadPlanUsage(core, names.find, ledger, countShared)
  const createCalls = (given: typeof writer) => createSetPlan(given, opened, [...known.keys()])
  const calls: Plans = {
    ...createCalls(writer),
    ...withCheckedArguments(
      {
        usage: [application],
        list: [readOptions<NonNullable<Parameters<Plans['list']>[0]>>({ above: 'own', after: 'text', limit: 'own' })],
      },
      { usage, list: createListAbove(core, known, ledger.writer.write) },
    ),
  }
  const offers: PlansOffer = {
    defaultPlan,
    usage: async ({ id, plan = '' }) => (known.has(plan) ? usage(id) : undefined),
    findWindows: (record) => names.find(record)?.windows,
    add: createAddReported(store.quotas, known, notices.tell, now),
  }
  return {
    calls,
    createCalls,
    offers,
    settings: Object.fromEntries([...known].map(([name, plan]) => [`plans.${name}`, describePlan(plan)])),
    planLimits: { count: limitByPlan, describeTooLow: (units) => describeTooLow(known.values(), units) },
    problem: names.problem,
    start: cleanup.start,
    async flush() {
      await ledger.writer.write()
      await notices.queued()
    },
    async stop() {
      await ledger.writer.close()
      await notices.queued()
      await cleanup.close()
    },
  }
}
