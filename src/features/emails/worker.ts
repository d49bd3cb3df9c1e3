import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Core } from '../../feature.js'
import { nextVersion } from '../../core/applications/queue/queued-emails.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'
import type { Attempts } from './attempt.js'
import type { MailServer } from './mail-server.js'

const MAX_CONCURRENT_EMAILS = 4
const OUTBOX_POLL_INTERVAL_MS = 1000
/** The lease is renewed while the e-mail is being sent, so that a killed process's e-mail is soon sent by another. */
const LEASE_DURATION_MS = 15_000
const LEASE_RENEWAL_INTERVAL_MS = 5000

/** Sends the e-mails that are due. Every process with `emails()` runs one; a lease keeps two from sending the same e-mail. */
export function createEmailWorker(
  { store, now }: Core,
  mailServer: Pick<MailServer, 'send'>,
  attempts: Attempts,
  /** Called when an e-mail could not be processed. If the mail server does not take it, `attempts.failed` is called instead. */
  onError: (error: unknown) => void,
) {
  const sending = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let polling: Promise<void> | undefined
  let pollAgain = false
  let started = false
  let closed = false

  async function takeDueEmails(): Promise<void> {
    for (;;) {
      if (closed || sending.size >= MAX_CONCURRENT_EMAILS) return
      const email = await store.emails.lease(now(), now() + LEASE_DURATION_MS)
      if (!email) return
      const attempt = sendEmail(email)
        .catch(onError)
        .finally(() => {
          sending.delete(attempt)
          wake()
        })
      sending.add(attempt)
    }
  }

  function wake(): void {
    if (closed || !started) return
    if (polling) {
      pollAgain = true
      return
    }
    clearTimeout(timer)
    polling = takeDueEmails()
      .catch(onError)
      .finally(() => {
        polling = undefined
        if (closed) return
        timer = setTimeout(wake, pollAgain ? 0 : OUTBOX_POLL_INTERVAL_MS).unref()
        pollAgain = false
      })
  }

  async function sendEmail(leased: QueuedEmail): Promise<void> {
    const attempt = await attempts.prepare(leased)
    if (!attempt) return
    const lease = keepLease(attempt.email)
    try {
      await mailServer.send(attempt.content)
    } catch (error) {
      await attempts.failed(await lease.end(), error)
      return
    }
    await attempts.accepted(await lease.end())
  }

  /** Renews the lease of an e-mail until `end`, which resolves the e-mail as it was saved last. */
  function keepLease(email: QueuedEmail): { end(): Promise<QueuedEmail> } {
    const ending = new AbortController()
    let current = email
    async function renew(): Promise<void> {
      for (;;) {
        await sleep(LEASE_RENEWAL_INTERVAL_MS, undefined, { signal: ending.signal, ref: false })
        const renewed = nextVersion(current, { leasedUntil: now() + LEASE_DURATION_MS })
        // If it fails, the next renewal may still be in time. At worst another process sends the e-mail as well.
        if (await store.emails.save(renewed).catch(() => false)) current = renewed
      }
    }
    // Rejects when it is aborted.
    const renewing = renew().catch(() => undefined)
    return {
      async end() {
        ending.abort()
        await renewing
        return current
      },
    }
  }

  return {
    // The function is bound here, because a request may wake the worker: e-mails must not be part of that request's trace or
    // log context.
    /** Leases and sends due e-mails now; no effect before `start`. */
    wake: AsyncResource.bind(wake),
    start(): void {
      started = true
      wake()
    },
    /** Sends due e-mails, also before `start`, and resolves when none is due and none being sent. Rejects if the store is unavailable. */
    async flush(): Promise<void> {
      for (;;) {
        await polling
        await takeDueEmails()
        if (sending.size === 0) return
        await Promise.race(sending)
      }
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await polling
      await Promise.all(sending)
    },
  }
}
