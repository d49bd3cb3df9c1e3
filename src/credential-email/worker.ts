import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailMessage, Mailer } from '../contracts/mailer.js'
import type { QueuedEmail, Store } from '../contracts/store.js'
import type { Attempts } from './attempt.js'

/** Sends the emails that are due, one process at a time each, for as long as this process lives. */
export interface Delivery {
  /** Looks for what is due now. */
  wake(): void
  /** Lets what is being sent come to its end, and takes nothing more. */
  close(): Promise<void>
}

interface DeliveryOptions {
  readonly store: Store
  readonly mailer: Mailer
  readonly attempts: Attempts
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
}

/** Letters under way at once in this process. */
const AT_ONCE = 4
/** Milliseconds between two looks at the outbox, where nothing wakes it. */
const PAUSE = 1000
/** Milliseconds that a process has a email to itself; renewed while it sends, so that a killed one's email is soon another's. */
const LEASE = 15_000
const RENEWAL = 5000
/** Milliseconds after which a mail server that says nothing has not said no. */
const PATIENCE = 60_000

export function createDelivery({ store, mailer, attempts, now, onProblem }: DeliveryOptions): Delivery {
  const underWay = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookAgain = false
  let closed = false

  /** Takes emails until none is due or enough are under way. */
  async function look(): Promise<void> {
    for (;;) {
      if (closed || underWay.size >= AT_ONCE) return
      const email = await store.leaseEmail(now(), now() + LEASE)
      if (!email) return
      const delivering = deliver(email)
        .catch(onProblem)
        .finally(() => {
          underWay.delete(delivering)
          wake()
        })
      underWay.add(delivering)
    }
  }

  function wake(): void {
    if (closed) return
    if (looking) {
      lookAgain = true
      return
    }
    clearTimeout(timer)
    looking = look()
      .catch(onProblem)
      .finally(() => {
        looking = undefined
        if (closed) return
        timer = setTimeout(wake, lookAgain ? 0 : PAUSE).unref()
        lookAgain = false
      })
  }

  async function deliver(leased: QueuedEmail): Promise<void> {
    const attempt = await attempts.prepare(leased)
    if (!attempt) return
    const renewing = keepLease(attempt.email)
    try {
      await sendInTime(attempt.content)
    } catch (error) {
      await attempts.failed(await renewing.end(), error)
      return
    }
    await attempts.accepted(await renewing.end())
  }

  /** Renews the lease of a email until told to end; `end` resolves the email as it now is. */
  function keepLease(email: QueuedEmail): { end(): Promise<QueuedEmail> } {
    const ending = new AbortController()
    let current = email
    async function renew(): Promise<void> {
      for (;;) {
        await sleep(RENEWAL, undefined, { signal: ending.signal, ref: false })
        const renewed = { ...current, leasedUntil: now() + LEASE, version: current.version + 1 }
        // Where that can't be done the next renewal may be in time yet; at worst another process tries as well.
        if (await store.saveEmail(renewed).catch(() => false)) current = renewed
      }
    }
    // Rejects when it is told to end.
    const renewing = renew().catch(() => undefined)
    return {
      async end() {
        ending.abort()
        await renewing
        return current
      },
    }
  }

  async function sendInTime(content: EmailMessage): Promise<void> {
    const enough = new AbortController()
    const late = sleep(PATIENCE, undefined, { signal: enough.signal, ref: false }).then(() => {
      throw Object.assign(new Error('The mailer did not answer in time.'), { code: 'ETIMEDOUT' })
    })
    late.catch(() => undefined)
    try {
      await Promise.race([mailer.send(content), late])
    } finally {
      enough.abort()
    }
  }

  return {
    // Begun by whichever request wakes it, and then on its own: no email is part of that request's trace or log.
    wake: AsyncResource.bind(wake),
    async close() {
      closed = true
      clearTimeout(timer)
      await looking
      await Promise.all(underWay)
    },
  }
}
