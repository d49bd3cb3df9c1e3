import { EMPTY_APPLICATION } from '../../../shared/lib/own-record.js'
import { invalidState } from '../../../shared/contracts/errors.js'
import type { RequestOrigin } from '../../../shared/contracts/events.js'
import type { ApplicationRecord, ApplicationStatus } from '../../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Store } from '../../../shared/contracts/store.js'
import type { ConcurrencyLimit } from '../../../shared/lib/concurrency-limit.js'
import type { ApplicationWriter } from './application-writer.js'
import { eraseDecided, type Outcome } from '../decisions/decided-requests.js'
import { findQueuedEmail } from '../queue/queued-emails.js'

/** The calls that change the status: the statuses from which each is possible, and the status that it leads to. */
const TRANSITIONS = {
  activate: { from: ['pending'], to: 'active' },
  suspend: { from: ['active', 'pending'], to: 'suspended' },
  resume: { from: ['suspended'], to: 'active' },
  deny: { from: ['pending'], to: 'deleted' },
  delete: { from: ['pending', 'active', 'suspended'], to: 'deleted' },
} as const satisfies Record<string, { from: readonly ApplicationStatus[]; to: ApplicationStatus }>

/** The status after a transition; throws with code `invalid_state` if it is not possible from the current one. */
export function transition({ id, status }: ApplicationRecord, call: keyof typeof TRANSITIONS): ApplicationStatus {
  const { from, to } = TRANSITIONS[call]
  if ((from as readonly ApplicationStatus[]).includes(status)) return to
  throw invalidState(`Application ${id} is ${status}: ${call}() needs an application that is ${from.join(' or ')}.`)
}

export function refuseDeleted({ id, status }: ApplicationRecord, call: string): void {
  if (status === 'deleted') throw invalidState(`Application ${id} is deleted: ${call}() is not possible any more.`)
}

export function refuseUnlessActive({ id, status }: ApplicationRecord, call: string): void {
  if (status !== 'active') throw invalidState(`Application ${id} is ${status}: ${call}() needs an active one.`)
}

/** The changes of `delete` and `deny`: no hash and nothing personal remains but who asked for what was denied. */
export function eraseApplication(
  current: ApplicationRecord,
  ended: Outcome,
  registration?: QueuedEmail,
): Partial<ApplicationRecord> {
  const status = transition(current, ended.outcome === 'rejected' ? 'deny' : 'delete')
  return { ...EMPTY_APPLICATION, status, name: '', decided: eraseDecided(current, ended, registration) }
}

/** Whether the end of an application that `prove` created has come. */
export function isEnded({ endsAt }: ApplicationRecord, now: number): boolean {
  return endsAt !== undefined && endsAt <= now
}

/** Ends every access token issued up to now. The time always grows, even if the clock was set back. */
export function endTokens({ tokensRevokedAt }: ApplicationRecord, now: number): Partial<ApplicationRecord> {
  return { tokensRevokedAt: Math.max(now, tokensRevokedAt + 1) }
}

/** Ends `pending` when credentials are first used: that proves that the e-mail has arrived. */
export type Activate = (id: string, origin: RequestOrigin | undefined) => Promise<void>

export function createActivation(options: {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Gives each application a fair share of the changes that clients make. */
  readonly limitChanges: ConcurrencyLimit
}): Activate {
  const { store, writer, limitChanges } = options

  async function activate(id: string, origin: RequestOrigin | undefined): Promise<void> {
    await writer.change(id, { type: 'application.activated', origin }, async (current) => {
      if (current.status !== 'pending') return undefined
      const email = await findQueuedEmail(store, id, 'registration')
      return {
        changed: { status: transition(current, 'activate'), isUnconfirmed: false },
        details: { firstUse: true },
        emails: email ? [{ remove: email }] : [],
      }
    })
  }

  return (id, origin) => limitChanges(id, () => activate(id, origin))
}
