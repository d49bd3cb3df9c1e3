import { ApplicationError } from '../contracts/errors.js'
import type { Emit, EventType } from '../contracts/events.js'
import type { ApplicationRecord, NewAuditRecord, EmailChange, Store } from '../contracts/store.js'
import type { ApplicationCache } from './application-cache.js'

/** What a change makes of a record, of its letters, and what the audit says of it. */
export interface Edit {
  readonly changed: Partial<ApplicationRecord>
  readonly details?: NewAuditRecord['details']
  readonly email?: EmailChange | undefined
}

/** What is told of a change. */
export interface ChangeEvent {
  /** What happened, for audit and events; undefined for what only prepares something. */
  readonly type: EventType | undefined
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** The host's own id of the request in which it happened. */
  readonly requestId?: string | undefined
}

/** The one way in which applications change: saved with audit and email in one step, and then known to everybody. */
export interface ApplicationWriter {
  /** Saves a new application with its email, if one goes with it. */
  add(record: ApplicationRecord, told: ChangeEvent, edit: Omit<Edit, 'changed'>): Promise<void>
  /**
   * Reads, edits, saves; and once more where somebody else saved in between. Resolves what was saved, or undefined where
   * `edit` found nothing to do.
   */
  change(
    id: string,
    told: ChangeEvent,
    edit: (current: ApplicationRecord) => Edit | undefined | Promise<Edit | undefined>,
  ): Promise<ApplicationRecord | undefined>
}

interface ChangesOptions {
  readonly store: Store
  readonly applicationCache: ApplicationCache
  readonly emit: Emit
  readonly now: () => number
}

export function createApplicationWriter({ store, applicationCache, emit, now }: ChangesOptions): ApplicationWriter {
  async function save(
    record: ApplicationRecord,
    { type, by, reason, requestId }: ChangeEvent,
    { details = {}, email }: Omit<Edit, 'changed'>,
  ): Promise<boolean> {
    const audit = type && { at: now(), type, by, applicationId: record.id, details }
    if (!(await store.saveApplication(record, audit, email))) return false
    applicationCache.forget(record.id)
    if (type) emit(type, { applicationId: record.id, reason, requestId })
    return true
  }

  return {
    async add(record, told, edit) {
      if (!(await save(record, told, edit))) throw conflict(record.id)
    },
    async change(id, told, edit) {
      for (let tries = 0; tries < 50; tries++) {
        const current = await store.findApplication(id)
        if (!current) throw new ApplicationError('application_not_found', `There is no application "${id}".`)
        const edited = await edit(current)
        if (!edited) return undefined
        const record = { ...current, ...edited.changed, version: current.version + 1 }
        if (await save(record, told, edited)) return record
      }
      throw conflict(id)
    },
  }
}

function conflict(id: string): ApplicationError {
  return new ApplicationError('conflict', `Application ${id} is being changed by others without a pause. Try again.`)
}
