import { ApplicationError } from '../../../shared/contracts/errors.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { createHourlyCleanup, type HourlyCleanup } from '../../../shared/lib/hourly-cleanup.js'
import type { Logger } from '../../../shared/contracts/logger.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { ApplicationQuery, Store } from '../../../shared/contracts/store.js'
import type { NewAuditRecord } from '../../../shared/contracts/events.js'
import type { ApplicationWriter } from './application-writer.js'
import { findExpiring } from '../credentials/credential-expiry.js'
import { eraseApplication, isEnded } from './status.js'

const MAX_PENDING_AGE_MS = 14 * 24 * 3600 * 1000
/** Longer than the 14 days of operators' links. */
const DECIDED_RETENTION_MS = 90 * DAY_MS
const PAGE_SIZE = 100
const MAX_CHANGES_AGE_MS = 7 * DAY_MS
const MAX_EMAILS = 1000
/** One transaction blocks SQLite's event loop, so the count is limited. */
const AUDIT_BATCH = 1000

/** Deletes, every hour, what has been pending for too long, has ended, or is beyond its retention (the constants above). */
export function createCleanup(options: {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Days for which audit records are kept; undefined: for ever. */
  readonly auditRetention: number | undefined
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}): HourlyCleanup {
  const { store, writer, auditRetention, logger, now } = options
  // All run together, so that close() waits for one store call at most.
  const cleanUp = (): Promise<unknown> =>
    Promise.all([deletePending(), deleteEnded(), deleteEmails(), deleteOldAudit(), forgetDecided()])
  const cleanup = createHourlyCleanup({ cleanUp, subject: SUBJECT, logger })

  async function deleteOldAudit(): Promise<void> {
    if (auditRetention === undefined) return
    const before = now() - auditRetention * DAY_MS
    for (;;) if (cleanup.isClosed || (await store.deleteAudit(before, AUDIT_BATCH)) < AUDIT_BATCH) return
  }

  /** Due reminders need no cleanup: the worker drops outdated ones. E-mails about changes stay if no process has `emails()`. */
  async function deleteEmails(): Promise<void> {
    const { emails: queue } = store
    if (!queue) return
    const all = { applicationId: undefined, limit: MAX_EMAILS } as const
    const [reminders, changes] = await Promise.all([
      queue.list({ ...all, purpose: 'expiring', state: 'failed' }),
      queue.list({ ...all, purpose: 'changes', state: undefined }),
    ])
    const old = changes.filter(({ createdAt }) => createdAt + MAX_CHANGES_AGE_MS < now())
    for (const email of [...reminders, ...old]) {
      if (cleanup.isClosed) return
      await ignoreRefusal(
        writer.change(email.applicationId, { type: undefined }, async (current) => {
          const isUnchanged = (await queue.find(email.id))?.version === email.version
          const isNeeded = email.purpose === 'expiring' && findExpiring(current, email.credentialId, now())
          return isUnchanged && !isNeeded ? { changed: {}, emails: [{ remove: email }] } : undefined
        }),
      )
    }
  }

  async function forgetDecided(): Promise<void> {
    const isOver = ({ decided }: ApplicationRecord): boolean =>
      decided.length > 0 && decided[0]!.at + DECIDED_RETENTION_MS <= now()
    for await (const application of list({ status: undefined, hasDecided: true })) {
      if (!isOver(application)) continue
      const forget = writer.change(application.id, { type: undefined }, (current) =>
        isOver(current) ? { changed: { decided: [] } } : undefined,
      )
      await ignoreRefusal(forget)
    }
  }

  async function deletePending(): Promise<void> {
    const isOld = ({ status, createdAt }: ApplicationRecord): boolean =>
      status === 'pending' && createdAt + MAX_PENDING_AGE_MS <= now()
    // Oldest first: all behind the first younger one are younger.
    await deleteWhile(isOld, { status: 'pending' }, { pendingTooLong: true })
  }

  async function deleteEnded(): Promise<void> {
    const hasEnded = (application: ApplicationRecord): boolean => isEnded(application, now())
    await deleteWhile(hasEnded, { status: undefined, endingBefore: now() + 1 }, { ended: true })
  }

  /** Deletes what the query lists until one must not be deleted, which is asked again for the record that is changed. */
  async function deleteWhile(
    mayDelete: (application: ApplicationRecord) => boolean,
    query: Searched,
    details: NewAuditRecord['details'],
  ): Promise<void> {
    for await (const application of list(query)) {
      if (!mayDelete(application)) return
      await ignoreRefusal(
        writer.change(application.id, { type: 'application.deleted' }, (current) => {
          if (!mayDelete(current)) return undefined
          const changed = eraseApplication(current, { outcome: 'deleted', at: now(), by: undefined })
          return { changed, details, emails: ['removeAll'] }
        }),
      )
    }
  }

  /** Read page by page, until the cleanup is closed. */
  async function* list(query: Searched) {
    for (let after: string | undefined; ;) {
      const page = await store.listApplications({ ...query, after, limit: PAGE_SIZE, api: undefined })
      for (const application of page) if (!cleanup.isClosed) yield application
      if (cleanup.isClosed || page.length < PAGE_SIZE) return
      after = page.at(-1)?.id
    }
  }

  return cleanup
}

type Searched = Pick<ApplicationQuery, 'status' | 'endingBefore' | 'hasDecided'>

const SUBJECT = 'applications that were pending for too long or have ended, old reminders or old audit records'

/** Another process has made the same change meanwhile. */
async function ignoreRefusal(change: Promise<unknown>): Promise<void> {
  try {
    await change
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error
  }
}
