import type { RefusalRecord, UsageStore } from '../../contracts/usage.js'
import { DAY_MS } from '../../lib/day.js'
import { explainRefusal, type RefusalExplanation } from './explain-refusal.js'

/** A refused request or token request of an application. */
export interface RefusalEntry extends RefusalExplanation {
  readonly at: Date
  readonly api: string
  /** The `error` that was sent. */
  readonly error: string
  /** The reason in more detail, as in events: such as `expired_token`. */
  readonly reason: string
  /** The host's `req.id`, if it sets one that may be stored. */
  readonly requestId?: string
  /** The caller's IP address. */
  readonly address?: string
}

interface RefusalsOptions {
  readonly store: Pick<UsageStore, 'listRefusals'>
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  readonly now: () => number
}

export const MAX_REFUSAL_AGE_MS = 7 * DAY_MS

export function createListRefusals({
  store,
  opened,
  now,
}: RefusalsOptions): (applicationId: string) => Promise<{ items: RefusalEntry[] }> {
  return async function listRefusals(applicationId) {
    await opened()
    const at = now()
    const records = await store.listRefusals(applicationId, at - MAX_REFUSAL_AGE_MS)
    // Several processes write at different times.
    const newestFirst = records.toSorted((one, other) => other.at - one.at)
    return { items: newestFirst.map((record) => describe(record, at)) }
  }
}

function describe(record: RefusalRecord, now: number): RefusalEntry {
  const { at, api, error, reason, requestId, address } = record
  return {
    at: new Date(at),
    api,
    error,
    reason,
    ...explainRefusal(record, now),
    ...(requestId !== undefined && { requestId }),
    ...(address !== undefined && { address }),
  }
}
