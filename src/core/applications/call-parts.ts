import type { Store } from '../../shared/contracts/store.js'
import type { EmailSender } from './queue/sender.js'
import type { ApplicationWriter } from './records/application-writer.js'

/** What the calls on applications share. */
export interface CallParts<Opened = unknown> {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Opened>
  /** Undefined in a process that sends no e-mails. */
  readonly sender?: Pick<EmailSender, 'wake'>
  readonly now: () => number
}
