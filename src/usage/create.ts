import { withOwnArguments } from '../lib/own-members.js'
import type { Logger } from '../contracts/logger.js'
import type { UsageStore } from '../contracts/usage.js'
import { createUsageCleanup } from './cleanup.js'
import { createUsageCollector, type UsageCollector } from './collector.js'
import { createRefusals, type Refusals } from './refusals.js'
import { createUsage, type Usage } from './usage.js'

/** `auth.usage` and `auth.refusals`. */
export interface UsageCalls {
  readonly usage: Usage
  readonly refusals: Refusals
}

interface UsageCallsOptions {
  readonly store: UsageStore
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
  start(): void
  close(): Promise<void>
} {
  const { store, now } = options
  const collector = settings.enabled ? createUsageCollector({ store, now }) : undefined
  // What an earlier process has stored is deleted in any case.
  const cleanup = createUsageCleanup({ store, retention: settings.retention, logger, now })
  return {
    calls: createUsageCalls(options),
    collector,
    start: cleanup.start,
    async close() {
      await collector?.close()
      await cleanup.close()
    },
  }
}

export function createUsageCalls(options: UsageCallsOptions): UsageCalls {
  return { usage: withOwnArguments(createUsage(options)), refusals: createRefusals(options) }
}
