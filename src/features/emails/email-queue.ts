import { application, optionalFilter, options, type CallParameters } from '../../core/applications/call-arguments.js'
import { actor } from '../../core/applications/call-parameters.js'
import { readPageSize } from '../../core/applications/records/validation.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { invalidArgument, invalidCursor } from '../../shared/contracts/errors.js'
import {
  EMAIL_STATES,
  type EmailPurpose,
  type EmailQuery,
  type QueuedEmail,
} from '../../shared/contracts/queued-email.js'
import type { Store } from '../../shared/contracts/store.js'
import type { ApplicationWriter } from '../../core/applications/records/application-writer.js'
import type { ActorOptions } from '../../core/applications/call-options.js'
import { cancelEmails, listQueuedEmails, requeueEmail } from '../../core/applications/queue/queued-emails.js'

/** The calls on queued e-mails (a transactional outbox), which the store alone answers. */
export interface EmailQueue {
  /**
   * Lists the e-mails that the mail server has not accepted, and those whose claim link was not used: what is due first is the first. An
   * index finds them. Rejects with `ApplicationError` for a wrong argument.
   *
   * @example
   * ```ts
   * import type { WithEmails } from 'express-platform-auth/emails'
   *
   * async function listFailed(auth: WithEmails): Promise<string[]> {
   *   const { items } = await auth.emails.list({ state: 'failed' })
   *   return items.map(({ name, recipient, problem }) => `${name}: ${recipient} got none (${problem})`)
   * }
   * ```
   */
  list(query?: EmailListQuery): Promise<{ items: EmailEntry[]; next?: string }>
  /**
   * Makes failed e-mails due at once: all of them, or those of one application. For one application, also an e-mail whose
   * claim link has not been used. Resolves how many. Has no effect on e-mails that wait for approval or were cancelled;
   * those of a suspended application are sent once it is resumed.
   */
  retry(applicationId?: string): Promise<{ retried: number }>
  /**
   * Cancels every e-mail of an application that is queued or whose claim link has not been used, and resolves how many; not
   * that of a registration that waits for approval, which `approve` sends and `deny` deletes. One that is being sent may still
   * arrive; neither its credentials nor its link work. An unknown id rejects with code `application_not_found`.
   */
  cancel(applicationId: string, options?: ActorOptions): Promise<{ cancelled: number }>
  /** Counts the e-mails that wait to be sent, of all processes: 1,000 at most. */
  status(): Promise<EmailQueueStatus>
}

/** The filter of `auth.emails.list()`. */
export interface EmailListQuery {
  readonly applicationId?: string | undefined
  readonly state?: QueuedEmail['state'] | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
  /** 1 to 1000; 100 if left out. */
  readonly limit?: number | undefined
}

/** An e-mail of the queue, without its text and credentials. */
export interface EmailEntry {
  readonly id: string
  readonly applicationId: string
  /** That of the application. */
  readonly name: string
  readonly purpose: EmailPurpose
  /** The address that it goes to: one of its own, or the application's first contact. */
  readonly recipient: string | undefined
  /**
   * `held` until the registration is approved; `due` from `dueAt` on; `failed` after the last attempt; `claimable` while its claim link is
   * valid; `suspended` until its application is resumed.
   */
  readonly state: QueuedEmail['state']
  /** Attempts since it was queued, or retried by an operator. */
  readonly attempts: number
  /** The code of the mail server's last answer, or of what else failed; undefined if nothing has. Never the server's text, which may quote the e-mail. */
  readonly problem: string | undefined
  readonly createdAt: Date
  /** The time of the next attempt, if it is `due`. */
  readonly dueAt: Date
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

export function createEmailQueue(
  store: Store,
  writer: ApplicationWriter,
  opened: () => Promise<unknown>,
  now: () => number,
  /** Called when e-mails have become due; undefined in a process that sends none. */
  wakeSender?: () => void,
): EmailQueue {
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
    async list({ applicationId, state, after, limit } = {}) {
      const pageSize = readPageSize(limit)
      if (state !== undefined && !EMAIL_STATES.includes(state))
        throw invalidArgument(`state must be one of ${EMAIL_STATES.join(', ')}.`)
      const query = { applicationId, state, after: readCursor(after) }
      await opened()
      const emails = (await queue?.list({ ...query, limit: pageSize + 1 })) ?? []
      const items: EmailEntry[] = []
      const known = new Map<string, ApplicationRecord | undefined>()
      for (const email of emails.slice(0, pageSize)) {
        const { applicationId: id } = email
        if (!known.has(id)) known.set(id, await store.findApplication(id))
        items.push(toEntry(email, known.get(id)))
      }
      const last = emails[pageSize - 1]
      return last && emails.length > pageSize ? { items, next: `${last.dueAt}.${last.id}` } : { items }
    },
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
        const emails = (await listQueuedEmails(store, applicationId)).filter(({ state }) => state !== 'held')
        if (emails.length === 0) return undefined
        const details = { cancelledEmails: emails.map(({ purpose }) => purpose) }
        return { ...cancelEmails(current, emails), details, result: emails.length }
      })
      return { cancelled: cancelled?.result ?? 0 }
    },
  }
}

function toEntry(email: QueuedEmail, application: ApplicationRecord | undefined): EmailEntry {
  const { id, applicationId, purpose, recipient, state, attemptCount, problem, createdAt, dueAt } = email
  return {
    id,
    applicationId,
    name: application?.name ?? '',
    purpose,
    recipient: recipient ?? application?.contact,
    state,
    attempts: attemptCount,
    problem,
    createdAt: new Date(createdAt),
    dueAt: new Date(dueAt),
  }
}

function readCursor(after: string | undefined): EmailQuery['after'] {
  if (after === undefined) return undefined
  const [, dueAt, id = ''] = /^(\d{1,15})\.(.+)$/s.exec(after) ?? []
  if (dueAt !== undefined) return { dueAt: Number(dueAt), id }
  throw invalidCursor()
}

export const QUEUE_PARAMETERS: CallParameters<EmailQueue> = {
  list: [options<EmailListQuery>({ applicationId: 'text', state: 'own', after: 'text', limit: 'own' })],
  retry: [optionalFilter],
  cancel: [application, actor],
  status: [],
}
