import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { ExpiryQuery } from '../../shared/contracts/queued-email.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { findExpiring, countDays } from '../../core/applications/credentials/credential-expiry.js'
import { createQueuedEmail, listQueuedEmails, requeueEmail } from '../../core/applications/queue/queued-emails.js'
import type { Core } from '../../feature.js'

const SCAN_INTERVAL_MS = 1000
/** The wait after an error that is not an outage, which may come back at every scan. */
const SCAN_RETRY_INTERVAL_MS = 60_000
/** A full scan finds what the scans in between cannot: an application that was resumed, or got a contact. */
const FULL_SCAN_INTERVAL_MS = DAY_MS
/** Clocks of processes differ, and a change is committed a little later than its time says. */
const SCAN_OVERLAP_MS = 60_000
const PAGE_SIZE = 100

/** Queues reminders of credentials that expire. Any number of processes may: one compare-and-set saves both parts. */
export function createReminders(
  { store, writer, lastUsed, wakeSender, logger, now }: Core,
  /** Days before an expiry; empty if nobody is reminded. */
  remindBefore: readonly number[],
) {
  /** Every reminder that was due at that time has been queued. */
  let scannedAt = -Infinity
  let fullyScannedAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let scanning: Promise<void> | undefined
  let closed = false

  function scanNext(): void {
    scanning = scan().then(
      () => scheduleScan(SCAN_INTERVAL_MS),
      (error: unknown) => {
        // The store client has logged the outage.
        if (error instanceof StoreUnavailableError) return scheduleScan(SCAN_INTERVAL_MS)
        logger.warn(
          'Reminders of expiring credentials could not be queued; the platform will retry in a minute.',
          error,
        )
        scheduleScan(SCAN_RETRY_INTERVAL_MS)
      },
    )
  }

  function scheduleScan(delay: number): void {
    if (!closed) timer = setTimeout(scanNext, delay).unref()
  }

  /** Finds, for each number of days, credentials whose expiry has come that near since the last scan: an index has them. */
  async function scan(): Promise<void> {
    const time = now()
    if (time === scannedAt) return
    const isFull = time < scannedAt || time - fullyScannedAt >= FULL_SCAN_INTERVAL_MS
    for (const days of remindBefore) {
      const until = time + days * DAY_MS
      const since = isFull ? time : Math.max(time, scannedAt - SCAN_OVERLAP_MS + days * DAY_MS)
      // The scan goes day by day, so that one query never reads for long.
      for (let after = since; after < until; after += DAY_MS) {
        await remindAll({ after, until: Math.min(until, after + DAY_MS), days }, time)
        if (closed) return
      }
    }
    scannedAt = time
    if (isFull) fullyScannedAt = time
  }

  async function remindAll(period: Omit<ExpiryQuery, 'limit'>, time: number): Promise<void> {
    for (;;) {
      const ids = await store.emails.listExpiring({ ...period, limit: PAGE_SIZE })
      // A user of a new credential is not reminded of the former.
      if (ids.length > 0) await lastUsed.flush()
      for (const id of new Set(ids)) {
        if (closed) return
        const changed = await writer.change(id, { type: undefined }, (current) => queueReminders(current, time))
        if (changed?.result) wakeSender()
      }
      // The credentials of this page are no longer found: each now has the `remindedDays` of its last reminder.
      if (ids.length < PAGE_SIZE) return
    }
  }

  /** Resolves whether an e-mail was queued. Runs again if another process saves the application at the same time. */
  async function queueReminders(current: ApplicationRecord, time: number) {
    if (current.status !== 'active' || current.contact === undefined) return undefined
    const mark = (credential: CredentialRecord): CredentialRecord => markReminded(credential, remindBefore, time)
    const credentials = [...current.keys, ...current.secrets]
    const marked = credentials.filter((each) => mark(each) !== each)
    if (marked.length === 0) return undefined
    const queued = await listQueuedEmails(store, current.id)
    const emails = marked
      .filter((each) => findDueReminder(each, remindBefore, time) !== undefined && findExpiring(current, each.id, time))
      .map(({ id }) => {
        // One that was not accepted yet: it says how many days are left when it is sent.
        const earlier = queued.find(({ purpose, credentialId }) => purpose === 'expiring' && credentialId === id)
        return {
          save: earlier
            ? requeueEmail(earlier, time)
            : createQueuedEmail(current.id, 'expiring', time, { credentialId: id }),
        }
      })
    const changed = { keys: current.keys.map(mark), secrets: current.secrets.map(mark) }
    return { changed, emails, result: emails.length > 0 }
  }

  return {
    start(): void {
      if (remindBefore.length > 0 && !closed) scanNext()
    },
    async flush(): Promise<void> {
      await scanning
      await scan()
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await scanning
    },
  }
}

export function findDueReminder(
  { createdAt, expiresAt, remindedDays }: CredentialRecord,
  remindBefore: readonly number[],
  now: number,
): number | undefined {
  if (expiresAt === undefined || expiresAt <= now) return undefined
  const reminded = remindedDays ?? countDays(expiresAt, createdAt)
  const due = remindBefore.filter((days) => days < reminded && now >= expiresAt - days * DAY_MS)
  return due.length === 0 ? undefined : Math.min(...due)
}

/** The credential with the `remindedDays` after the reminder that is due; the same object if they need not change. */
export function markReminded(credential: CredentialRecord, remindBefore: readonly number[], now: number) {
  const { createdAt, expiresAt, remindedDays } = credential
  if (expiresAt === undefined) return credential
  // Without `remindedDays` an earlier version of the package has set the expiry, at the creation or later.
  const reminded = findDueReminder(credential, remindBefore, now) ?? remindedDays ?? countDays(expiresAt, createdAt)
  return reminded === remindedDays ? credential : { ...credential, remindedDays: reminded }
}
