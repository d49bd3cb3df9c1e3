import { withCheckedArguments } from '../applications/call-arguments.js'
import type { Logger } from '../contracts/logger.js'
import type { DryRunStore } from '../contracts/dry-run.js'
import type { UsageStore } from '../contracts/usage.js'
import { createUsageCleanup } from './cleanup.js'
import { createUsageCollector, type UsageCollector } from './collector.js'
import { createDryRun, type DryRun } from './dry-run.js'
import { createDryRunCollector, type DryRunCollector } from './dry-run-collector.js'
import { createRefusals, type Refusals } from './refusals.js'
import { createUsage, type Usage } from './usage.js'

/** `auth.usage`, `auth.refusals` and `auth.dryRun`. */
export interface UsageCalls {
  readonly usage: Usage
  readonly refusals: Refusals
  readonly dryRun: DryRun
}

interface UsageCallsOptions {
  readonly store: UsageStore & DryRunStore
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  readonly now: () => number
}

interface UsageOptions extends UsageCallsOptions {
  readonly settings: { readonly enabled: boolean; readonly retention: number }
  readonly logger: Pick<Logger, 'warn'>
}

/** Everything about usage of a platform. */
export function createUsageParts({ settings, logger, ...options }: UsageOptions): {
  readonly calls: UsageCalls
  /** Undefined if usage is not collected. */
  readonly collector: UsageCollector | undefined
  readonly dryRunCollector: DryRunCollector
  start(): void
  close(): Promise<void>
} {
  const { store, now } = options
  const collector = settings.enabled ? createUsageCollector({ store, now }) : undefined
  const dryRunCollector = createDryRunCollector({ store, now })
  // What an earlier process has stored is deleted in any case.
  const cleanup = createUsageCleanup({ store, retention: settings.retention, logger, now })
  return {
    calls: createUsageCalls(options, dryRunCollector.flush),
    collector,
    dryRunCollector,
    start: cleanup.start,
    async close() {
      await Promise.all([collector?.close(), dryRunCollector.close()])
      await cleanup.close()
    },
  }
}

/** `flushDryRun` writes what this process has counted. */
export function createUsageCalls(
  options: UsageCallsOptions,
  flushDryRun: () => Promise<void> = async () => undefined,
): UsageCalls {
  return {
    usage: withCheckedArguments('usage', createUsage(options)),
    refusals: withCheckedArguments('refusals', createRefusals(options)),
    dryRun: withCheckedArguments('dryRun', createDryRun({ ...options, flush: flushDryRun })),
  }
}
