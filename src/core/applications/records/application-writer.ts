import { isDeepStrictEqual } from 'node:util'
import { ApplicationError } from '../../../shared/contracts/errors.js'
import type { Emit, EventType, NewAuditRecord, RequestOrigin } from '../../../shared/contracts/events.js'
import type { AddOutcome, NewApplication } from '../../../shared/contracts/imports.js'
import type { EmailChange } from '../../../shared/contracts/queued-email.js'
import type { Store } from '../../../shared/contracts/store.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { ownRecord } from '../../../shared/lib/own-record.js'
import type { MaybePromise } from '../../../shared/lib/maybe-promise.js'
import type { ApplicationCache } from './application-cache.js'
import { createApplicationId } from '../../../shared/lib/application-id.js'
import { applyExpiry, findLatestExpiry, type MaximumAges } from '../credentials/credential-expiry.js'
import { applyConfirmation } from '../contacts/contact-lists.js'
import { notifyContacts } from '../queue/change-emails.js'
import { applyOperatorTerms, type GivenEnd } from '../credentials/operator-terms.js'
import { withdrawReminders } from '../queue/queued-emails.js'

export interface ChangeEvent {
  /** Undefined for a change that only prepares another one: it is neither audited nor emitted. */
  readonly type: EventType | undefined
  readonly by?: string | undefined
  readonly reason?: string | undefined
  readonly origin?: RequestOrigin | undefined
}

export interface SavedWith {
  readonly details?: NewAuditRecord['details']
  readonly emails?: readonly EmailChange[]
}

export interface AddedApplication extends Pick<NewApplication, 'record' | 'otherHashes'> {
  readonly details: NewAuditRecord['details']
}

export interface Edit<Result> extends SavedWith {
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
  readonly record: ApplicationRecord
  readonly result: Result | undefined
}

/** The number of attempts: a change fails only if other processes save the same application this many times in a row. */
const MAX_SAVE_ATTEMPTS = 50

/** The one way in which applications change: record, audit record and queued e-mails are saved together. */
export type ApplicationWriter = ReturnType<typeof createApplicationWriter>

export function createApplicationWriter(options: {
  readonly store: Store
  /** Undefined in a process that caches nothing. */
  readonly applicationCache?: Pick<ApplicationCache, 'replace'>
  /** Undefined in a process without listeners. */
  readonly emit?: Emit
  /** Undefined in a process without the platform's options, which makes no credentials. */
  readonly maximumAges?: MaximumAges
  readonly now: () => number
}) {
  const { store, applicationCache, emit, maximumAges, now } = options
  const needsSecret = (api: string): boolean => maximumAges?.apis.get(api)?.scheme === 'oauth2'

  async function save(record: ApplicationRecord, event: ChangeEvent, savedWith: SavedWith): Promise<boolean> {
    const { type, by, reason, origin } = ownMembers(event)
    const { details = {}, emails = [] } = ownMembers(savedWith)
    const { address, client } = ownMembers(origin ?? {})
    const caller = { ...(address !== undefined && { address }), ...(client !== undefined && { client }) }
    const audit = type && { at: now(), type, by, applicationId: record.id, details: { ...details, ...caller } }
    if (!(await store.saveApplication(record, audit, ...(store.emails ? emails : [])))) return false
    applicationCache?.replace(record)
    if (type) emit?.(type, { applicationId: record.id, reason, ...origin })
    return true
  }

  /** The store refuses such a record as it refuses an old version, so this is asked only after a refusal. */
  async function refuseTakenExternalId({ id, externalId }: ApplicationRecord): Promise<void> {
    if (externalId === undefined) return
    const query = { after: undefined, limit: 1, api: undefined, status: undefined, externalId }
    const [owner] = await store.listApplications(query)
    if (!owner || owner.id === id) return
    throw new ApplicationError('conflict', `The externalId "${externalId}" is that of application ${owner.id}.`)
  }

  async function add(given: ApplicationRecord, event: ChangeEvent, details: SavedWith): Promise<ApplicationRecord> {
    const record = ownRecord(applyExpiry(maximumAges, undefined, given, now()))
    if (await save(record, event, details)) return record
    await refuseTakenExternalId(record)
    throw createConflictError(record.id)
  }

  /** Saves by compare-and-set. `edit` may run again on a newer record, so it changes nothing outside itself. */
  function change<Result>(
    id: string,
    event: ChangeEvent,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<Result>>,
  ): Promise<Changed<Result>>
  /** Resolves undefined if `edit` returned undefined: there was nothing to change. */
  function change<Result>(
    id: string,
    event: ChangeEvent,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<Result> | undefined>,
  ): Promise<Changed<Result> | undefined>
  async function change<Result>(
    id: string,
    event: ChangeEvent,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<Result> | undefined>,
  ): Promise<Changed<Result> | undefined> {
    for (let attempt = 1; attempt <= MAX_SAVE_ATTEMPTS; attempt++) {
      const current = await store.findApplication(id)
      if (!current) throw new ApplicationError('application_not_found', `There is no application "${id}".`)
      const edited = await edit(current)
      if (!edited) return undefined
      const { emails: given, ends = [], result, type = event.type } = ownMembers(edited)
      const changed = { ...current, ...edited.changed, version: current.version + 1 }
      const confirmed = applyConfirmation(current, changed)
      const limited = applyOperatorTerms(current, confirmed, {
        by: event.by,
        ends,
        endsAll: edited.endsAll === true,
        details: edited.details,
        needsSecret,
        now: now(),
      })
      const expiring = applyExpiry(maximumAges, current, limited.record, now())
      const record = { ...expiring, uncounted: current.uncounted + (isUncounted(type, current, expiring) ? 1 : 0) }
      const alsoRevokesTokens =
        record.tokensRevokedAt !== current.tokensRevokedAt && type !== 'application.tokensRevoked'
      const details = { ...limited.details, ...(alsoRevokesTokens && { tokensRevoked: true }) }
      const kept = await withdrawReminders(store, current, record, given)
      const saved = { type, by: event.by, details, emails: kept, now: now() }
      const emails = await notifyContacts(store, current, record, saved)
      const own = ownRecord(record)
      if (!(await save(own, { ...event, type }, { details, emails }))) {
        await refuseTakenExternalId(record)
        continue
      }
      // Listeners learn that access tokens have ended, whatever call ended them.
      if (alsoRevokesTokens) emit?.('application.tokensRevoked', { applicationId: id })
      return { record: own, result }
    }
    throw createConflictError(id)
  }

  /** Adds several applications in one transaction; without `write`, only tells what would become of each. */
  async function addAll(
    applications: readonly AddedApplication[],
    { type, by }: { readonly type: EventType; readonly by: string | undefined },
    { write }: { readonly write: boolean },
  ): Promise<readonly AddOutcome[]> {
    const given = applications.map(({ record, otherHashes, details }) => ({
      record,
      otherHashes,
      audit: { at: now(), type, by, applicationId: record.id, details },
    }))
    const outcomes = await store.imports!.add(given, { write })
    const added = given.filter((_, index) => write && outcomes[index] === 'added')
    for (const { record } of added) {
      applicationCache?.replace(record)
      emit?.(type, { applicationId: record.id })
    }
    return outcomes
  }

  return {
    add,
    addAll,
    change,
    createId: createApplicationId,
    /** The latest time (milliseconds) at which such a credential may expire; undefined if it need not expire. */
    findLatestExpiry: findLatestExpiry.bind(undefined, maximumAges),
  }
}

/** Whether nothing has changed but what the sending of e-mails and the like keep for themselves. */
function isUncounted(type: EventType | undefined, former: ApplicationRecord, record: ApplicationRecord): boolean {
  const pick = ({ status, keys, secrets }: ApplicationRecord) => [status, keys, secrets]
  return UNCOUNTED.has(type) && isDeepStrictEqual(pick(former), pick(record))
}

const UNCOUNTED = new Set<EventType | undefined>([undefined, 'application.delivered', 'application.deliveryFailed'])

/** A request that must have its effect once: the audit record says that it was made, in the same transaction. */
export interface OnceRequest {
  readonly id: string
  /** The id of the application that it creates, so that no second one can be. */
  readonly applicationId: string
}

export interface WriteGuard {
  readonly check: (current: ApplicationRecord) => void
  readonly request?: OnceRequest | undefined
  readonly saved?: ((record: ApplicationRecord) => void) | undefined
}

/** A writer for others than operators: it saves a change only if `check` does not throw for the very record that the change is made of. */
export function guardWriter(writer: ApplicationWriter, guard: WriteGuard): ApplicationWriter {
  const { check, request, saved } = ownMembers(guard)
  const noted = request && { request: request.id }
  const change = (async <Result>(
    id: string,
    event: ChangeEvent,
    edit: (current: ApplicationRecord) => MaybePromise<Edit<Result> | undefined>,
  ) => {
    const changed = await writer.change(id, event, async (current) => {
      check(current)
      const edited = await edit(current)
      return edited && { ...edited, details: { ...ownMembers(edited).details, ...noted } }
    })
    if (changed) saved?.(changed.record)
    return changed
  }) as ApplicationWriter['change']
  const add: ApplicationWriter['add'] = async (given, event, savedWith) => {
    const { details } = ownMembers(savedWith)
    const record = await writer.add(given, event, { ...savedWith, details: { ...details, ...noted } })
    saved?.(record)
    return record
  }
  return { ...writer, add, change, createId: () => request?.applicationId ?? writer.createId() }
}

function createConflictError(id: string): ApplicationError {
  return new ApplicationError('conflict', `Application ${id} is being changed by other processes. Try again.`)
}
