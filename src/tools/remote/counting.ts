import { createLedger } from '../../features/plans/ledger.js'
import { createLimiter } from '../../features/plans/limiter.js'
import { createPlan, type Plan } from '../../features/plans/plan.js'
import { COUNT_WINDOWS, createCountShared } from '../../features/plans/shared-counts.js'
import { createReportedCollector, createUsageCollector, createUsageObserver } from '../../features/usage/collector.js'
import type { PlanLimits, RateLimits } from '../../core/rate-limits/rate-limits.js'
import type { ApiObserver } from '../../shared/contracts/api-observer.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type { Logger } from '../../shared/contracts/logger.js'
import type { PlanWindow } from '../../shared/contracts/quotas.js'
import type { RemoteSettings } from './read-remote-options.js'
import { readBoolean, readList, readNumber, readObject, readText } from './read-answer.js'
import type { Reports } from './remote-reports.js'

/** Counts for `usage()` and `plans()` of the platform by their own code, with reports to it in place of writes to a store. */
export function createCounting(options: {
  readonly settings: RemoteSettings
  readonly reports: Pick<Reports, 'usage' | 'quotas'>
  readonly plans: ReturnType<typeof createKnownPlans>
  readonly rateLimits: Pick<RateLimits, 'defineScript'>
  readonly clientLimits: Pick<Parameters<typeof createLedger>[0], 'limitLookups'>
  readonly logger: Pick<Logger, 'error'>
  readonly now: () => number
}) {
  const { settings, reports, plans, rateLimits, clientLimits, logger, now } = options
  const { apis, cache, rateLimits: limits } = settings
  const script = rateLimits.defineScript('plans', COUNT_WINDOWS)
  const { limitLookups } = clientLimits
  // The platform tells of quotas that are nearly used.
  const ledger = createLedger({ limitLookups, logger, now }, reports.quotas, cache.applications, () => undefined)
  const count = createLimiter(plans.find, ledger, script && createCountShared(script), limits.headers, now)
  const reported = createReportedCollector(reports.usage, now)
  let collector: ReturnType<typeof createUsageCollector> | undefined
  const switches = new Map([...apis.keys()].map((name) => [name, createSwitch()]))

  return {
    observers: new Map([...switches].map(([name, { observer }]) => [name, observer])),
    planLimits: { count, describeTooLow: () => undefined } satisfies PlanLimits,
    /** `usage`: what the platform counts; undefined if it counts nothing. */
    begin(usage: unknown): void {
      if (usage === undefined) return
      const { requests, routes } = readObject(usage)
      if (readBoolean(requests)) collector ??= createUsageCollector(reports.usage, now, readBoolean(routes))
      for (const [name, { setTarget }] of switches) setTarget(createUsageObserver(name, collector, reported))
    },
    async flush(): Promise<void> {
      await Promise.all([ledger.writer.write(), collector?.flush(), reported.flush()])
    },
    async close(): Promise<void> {
      await Promise.all([ledger.writer.close(), collector?.close(), reported.close()])
    },
  }
}

/** Guards hold on to their observer before the platform has said what it counts. Until then they let nobody pass. */
function createSwitch() {
  let target = ownMembers<ApiObserver>({})
  const observer: ApiObserver = {
    allowed: (applicationId, times, req, res) => target.allowed?.(applicationId, times, req, res),
    noted: (note, req) => target.noted?.(note, req),
    refused: (refusal, req) => target.refused?.(refusal, req),
    reported: (report, req) => target.reported?.(report, req),
  }
  return { observer, setTarget: (given: ApiObserver) => void (target = ownMembers(given)) }
}

export function createKnownPlans() {
  const plans = new Map<string, { readonly plan: Plan; readonly text: string }>()
  return {
    /** Returns the name. A plan stays the same object until its limits change: its windows go on. */
    learn(given: unknown): string {
      const { name, windows } = readObject(given)
      const text = JSON.stringify(windows)
      const known = readText(name)
      if (plans.get(known)?.text !== text)
        plans.set(known, { plan: createPlan(known, readList(windows, readWindow)), text })
      return known
    },
    find({ plan: name }: { readonly plan?: string | undefined }): Plan | undefined {
      return name === undefined ? undefined : plans.get(name)!.plan
    },
  }
}

function readWindow(given: unknown): PlanWindow {
  const { name, limit, soft, per, milliseconds: ms } = readObject(given)
  if (per !== undefined && per !== 'day' && per !== 'month') throw new Error('There should be a day or a month.')
  return { name: readText(name), limit: readNumber(limit), soft: readBoolean(soft), per, milliseconds: readNumber(ms) }
}
