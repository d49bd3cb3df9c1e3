import { createQueuedEmail } from '../../core/applications/queue/queued-emails.js'
import type { QuotaNotice } from '../../shared/contracts/usage-entries.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { Account } from './ledger.js'
import type { Core } from '../../feature.js'

/** The higher threshold is first, because a write that reaches both sends one notice. */
const PERCENTS = [100, 80]
const MAX_TOLD = 10_000

/** Emits an event and queues an e-mail at 80 and 100 % of a quota: exactly one process reaches each. */
export function createNotices({ writer, emit, wakeSender, logger, now }: Core, notify: boolean) {
  const queuing = new Set<Promise<void>>()
  /** A resource server may send one report again and again: it is added once, and told once. */
  const told = createBoundedCache<true>({ entries: MAX_TOLD })

  async function queue(id: string, notice: QuotaNotice): Promise<void> {
    await writer.change(id, { type: undefined }, (current) => {
      if (current.status === 'deleted' || current.contact === undefined) return undefined
      return { changed: {}, emails: [{ save: createQueuedEmail(id, 'quota', now(), { details: { ...notice } }) }] }
    })
    wakeSender()
  }

  function tell(account: Account, written: number): void {
    const { applicationId, units } = account
    for (const { window, endsAt } of account.windows) {
      const { per, limit, soft } = window
      if (per === undefined) continue
      const { stored: used } = units[per]
      const percent = PERCENTS.find((each) => used * 100 >= limit * each && (used - written) * 100 < limit * each)
      if (percent === undefined) continue
      const notice = [applicationId, per, endsAt, limit, percent].join(' ')
      if (told.get(notice)) continue
      told.set(notice, true)
      emit('quota.reached', { applicationId, reason: `${percent} % of a ${per}` })
      if (!notify) continue
      const queued = queue(applicationId, { percent, limit, per, soft, endsAt })
        .catch((error: unknown) =>
          logger.warn(`The e-mail about a quota of application ${applicationId} could not be queued.`, error),
        )
        .finally(() => queuing.delete(queued))
      queuing.add(queued)
    }
  }

  return {
    tell,
    queued: (): Promise<unknown> => Promise.all(queuing),
  }
}
