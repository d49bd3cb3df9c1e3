import { application, optionalFilter, type CallParameters } from '../../core/applications/call-arguments.js'
import { actor } from '../../core/applications/call-parameters.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'
import type { Store } from '../../shared/contracts/store.js'
import type { ApplicationWriter } from '../../core/applications/records/application-writer.js'
import type { ActorOptions } from '../../core/applications/call-options.js'
import { cancelEmails, listQueuedEmails, requeueEmail } from '../../core/applications/queue/queued-emails.js'

/** The calls on queued e-mails (a transactional outbox), which the store alone answers. */
export interface EmailQueue {
  /**
   * Makes failed e-mails due at once: all of them, or those of one application. For one application, also an e-mail whose
   * claim link has not been used. Resolves how many. Has no effect on e-mails that wait for approval or were cancelled;
   * those of a suspended application are sent once it is resumed.
   */
  retry(applicationId?: string): Promise<{ retried: number }>
  /**
   * Cancels every e-mail of an application that is queued or whose claim link has not been used, and resolves how many. One
   * that is being sent may still arrive; neither its credentials nor its link work. An unknown id rejects with code
   * `application_not_found`.
   */
  cancel(applicationId: string, options?: ActorOptions): Promise<{ cancelled: number }>
  /** Counts the e-mails that wait to be sent, of all processes: 1,000 at most. */
  status(): Promise<EmailQueueStatus>
}

/** The result of `auth.emails.status()`. */
export interface EmailQueueStatus {
  /** E-mails that are to be sent, now or when their next attempt is due. */
  readonly waiting: number
  /** The number of these e-mails whose last attempt failed. */
  readonly deferred: number
  /** The time since which the oldest of them is to be sent; undefined if there is none. E-mails that still collect changes do not count. */
  readonly oldestAt: Date | undefined
}

const RETRY_PAGE_SIZE = 100
const MAX_COUNTED_EMAILS = 1000

export function createEmailQueue(options: {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  /** Called when e-mails have become due; undefined in a process that sends none. */
  readonly wakeSender?: () => void
  readonly now: () => number
}): EmailQueue {
  const { store, writer, opened, wakeSender, now } = options
  const { emails: queue } = store

  async function retryAll(applicationId: string | undefined, state: QueuedEmail['state']): Promise<number> {
    let retried = 0
    for (;;) {
      const emails = (await queue?.list({ applicationId, state, limit: RETRY_PAGE_SIZE })) ?? []
      for (const email of emails) if (await queue?.save(requeueEmail(email, now()))) retried++
      if (emails.length < RETRY_PAGE_SIZE) return retried
    }
  }

  return {
    async retry(applicationId) {
      await opened()
      let retried = await retryAll(applicationId, 'failed')
      if (applicationId !== undefined) retried += await retryAll(applicationId, 'claimable')
      if (retried > 0) wakeSender?.()
      return { retried }
    },
    async status() {
      await opened()
      const emails = (await queue?.list({ applicationId: undefined, state: 'due', limit: MAX_COUNTED_EMAILS })) ?? []
      const oldest = emails.reduce((earliest, { createdAt }) => Math.min(earliest, createdAt), Infinity)
      const isWaiting = oldest <= now()
      return {
        waiting: emails.length,
        deferred: emails.filter(({ problem }) => problem !== undefined).length,
        oldestAt: isWaiting ? new Date(oldest) : undefined,
      }
    },
    async cancel(applicationId, { by } = {}) {
      await opened()
      const cancelled = await writer.change(applicationId, { type: 'application.updated', by }, async (current) => {
        const emails = await listQueuedEmails(store, applicationId)
        if (emails.length === 0) return undefined
        const details = { cancelledEmails: emails.map(({ purpose }) => purpose) }
        return { ...cancelEmails(current, emails), details, result: emails.length }
      })
      return { cancelled: cancelled?.result ?? 0 }
    },
  }
}

/** The parameters of these calls. */
export const QUEUE_PARAMETERS: CallParameters<EmailQueue> = {
  retry: [optionalFilter],
  cancel: [application, actor],
  status: [],
}
