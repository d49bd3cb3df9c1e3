import type { ApplicationRecord } from '../../../src/shared/contracts/application-record.js'
import type { StoreWith } from '../../../src/store.js'
import { createLedger } from '../../../src/features/plans/ledger.js'
import { createLimiter } from '../../../src/features/plans/limiter.js'
import { readPlans, type PlanOptions } from '../../../src/features/plans/plans-options.js'
import { memoryStore } from '../../../src/stores/memory/index.js'
import { recordingLogger } from '../../support/platform.js'

export const NOON = Date.parse('2026-11-25T12:00:00Z')

interface StartOptions {
  readonly store?: StoreWith['quotas']
  readonly now?: () => number
  /** How many applications the process keeps in memory. */
  readonly accounts?: number
  readonly logger?: ReturnType<typeof recordingLogger>
  readonly countShared?: Parameters<typeof createLimiter>[2]
  readonly headers?: boolean
}

/** The limiter of one process, whose applications have the plan with these requests. */
export function startLimiter(
  requests: PlanOptions['requests'],
  {
    store = memoryStore().quotas,
    now = () => NOON,
    accounts = 100,
    logger = recordingLogger(),
    countShared,
    headers = true,
  }: StartOptions = {},
) {
  const limitLookups = <Result>(_: unknown, work: () => Promise<Result>) => work()
  const ledger = createLedger({ limitLookups, logger, now }, store, accounts, () => undefined)
  const { plans } = readPlans({ free: { requests } }, undefined)
  const findPlan = ({ plan = '' }: Pick<ApplicationRecord, 'plan'>) => plans.get(plan)
  const limiter = createLimiter(findPlan, ledger, countShared, headers, now)
  const limit = async (id = 'a', units = 1) => limiter({ id, plan: 'free' } as ApplicationRecord, units)
  return { limit, ledger }
}
