import type { EventType, RequestOrigin } from '../../../shared/contracts/events.js'
import type { AddOutcome, NewApplication } from '../../../shared/contracts/imports.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { EmailChange } from '../../../shared/contracts/queued-email.js'
import type { NewAuditRecord } from '../../../shared/contracts/store-records.js'
import type { MaybePromise } from '../../../shared/lib/maybe-promise.js'
import { type CredentialUse } from '../credentials/credential-expiry.js'
import type { GivenEnd } from '../credentials/operator-terms.js'

/** The one way in which applications change: record, audit record and queued e-mails are saved together. */
export interface ApplicationWriter {
  /** Saves a new application, with its first e-mail if there is one, and resolves it as it was saved. */
  add(record: ApplicationRecord, event: ChangeEvent, details: SavedWith): Promise<ApplicationRecord>
  /** Adds several applications in one transaction; without `write`, only tells what would become of each. */
  addAll(
    applications: readonly AddedApplication[],
    event: { readonly type: EventType; readonly by: string | undefined },
    options: { readonly write: boolean },
  ): Promise<readonly AddOutcome[]>
  /**
   * Reads the record, edits it and saves it by compare-and-set on its version. If another process saved in between,
   * `edit` runs again on the newer record: it returns its result and changes nothing outside itself.
   */
  change<Result>(
    id: string,
    event: ChangeEvent,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<Result>>,
  ): Promise<Changed<Result>>
  /** Resolves undefined if `edit` returned undefined: there was nothing to change. */
  change<Result>(
    id: string,
    event: ChangeEvent,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<Result> | undefined>,
  ): Promise<Changed<Result> | undefined>
  /** The latest time (milliseconds) at which such a credential may expire; undefined if it need not expire. */
  findLatestExpiry(use: CredentialUse, createdAt: number): number | undefined
}

/** The change, for audit log and events. */
export interface ChangeEvent {
  /** Undefined for a change that only prepares another one: it is neither audited nor emitted. */
  readonly type: EventType | undefined
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** The request in which it happened. */
  readonly origin?: RequestOrigin | undefined
}

/** The parts that are saved together with a record. */
export interface SavedWith {
  /** Details of the audit record. */
  readonly details?: NewAuditRecord['details']
  readonly emails?: readonly EmailChange[]
}

/** The input of `addAll()`. */
export interface AddedApplication extends Pick<NewApplication, 'record' | 'otherHashes'> {
  /** Details of the audit record. */
  readonly details: NewAuditRecord['details']
}

/** The change that `change()` saves. */
export interface Edit<Result> extends SavedWith {
  /** The members of the record that change. */
  readonly changed: Partial<ApplicationRecord>
  /** The ends that the call gave credentials. A contact's are not kept. */
  readonly ends?: readonly GivenEnd[]
  /** Whether the credentials end to be delivered anew, as by `recover`: no operator has taken them away. */
  readonly endsAll?: true
  /** The event's type, if that depends on the record; otherwise the one of the call. */
  readonly type?: EventType
  /** The result for the caller of `change()`: from the run of `edit` that was saved. */
  readonly result?: Result
}

export interface Changed<Result> {
  /** The record as it was saved. */
  readonly record: ApplicationRecord
  readonly result: Result | undefined
}
