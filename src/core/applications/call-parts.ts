import type { Store } from '../../shared/contracts/store.js'
import type { EventType } from '../../shared/contracts/events.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { Application } from './application.js'
import { toApplication } from './records/application-info.js'
import type { ApplicationWriter, Edit } from './records/application-writer.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'

export interface CallParts<Opened = unknown> {
  readonly store: Store
  readonly writer: ApplicationWriter
  readonly opened: () => Promise<Opened>
  /** Undefined in a process that sends no e-mails. */
  readonly sender?: Pick<EmailSender, 'wake'>
  readonly now: () => number
}

/** The feature that sends e-mails, as far as calls that queue them need it. */
export interface EmailSender {
  isGiven(): boolean
  /** Sends e-mails that have become due; no effect without one. */
  wake(): void
}

export function requireSender(sender: EmailSender, call: string): void {
  if (sender.isGiven()) return
  throw new ConfigurationError({
    problem: `${call}: there is nothing that sends e-mails`,
    fix: 'Credentials are mailed: add emails({ mailer }) from "express-platform-auth/emails" to the option features.',
  })
}

export function createChange({ writer, opened, now }: Pick<CallParts, 'writer' | 'opened' | 'now'>) {
  return async function change(
    id: string,
    type: EventType,
    by: string | undefined,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<unknown>>,
  ): Promise<Application> {
    await opened()
    const { record } = await writer.change(id, { type, by }, edit)
    return toApplication(record, now())
  }
}
