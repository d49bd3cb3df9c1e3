import { toMailbox } from '../applications/contact-lists.js'
import { readContact } from '../applications/validation.js'
import type { Store } from '../contracts/store.js'

/** Ends sessions in every process: each request of a session reads them. */
export interface SignOuts {
  addForMailbox(mailbox: string): Promise<void>
  addForSession(id: string): Promise<void>
  /** The time of the mailbox's last one (milliseconds since 1970); 0 without one. */
  readLast(mailbox: string): Promise<number>
  /**
   * Whether the session was ended by one of its own, or by one of its mailbox that is not the one before its beginning. Not only by a
   * later one: whoever can forge a cookie could date it ahead.
   */
  hasEnded(session: EndableSession): Promise<boolean>
}

interface EndableSession {
  readonly id: string
  readonly mailbox: string
  /** The mailbox's last sign-out before the session began, which is compared instead of clocks. */
  readonly lastSignOut: number
}

interface SignOutsOptions {
  readonly store: Pick<Store, 'listSignOuts' | 'addSignOut'>
  readonly now: () => number
}

export const MAX_SESSION_MS = 12 * 3600 * 1000
/** How much longer a sign-out is stored than sessions last, because the clocks of processes differ. */
export const CLOCK_MARGIN_MS = 3600 * 1000

export function createSignOuts({ store, now }: SignOutsOptions): SignOuts {
  async function add(subject: string): Promise<void> {
    await store.addSignOut({ subject, at: now(), expiresAt: now() + MAX_SESSION_MS + 2 * CLOCK_MARGIN_MS })
  }

  return {
    addForMailbox: (mailbox) => add(formatMailbox(mailbox)),
    addForSession: (id) => add(formatSession(id)),
    async readLast(mailbox) {
      const [last] = await store.listSignOuts([formatMailbox(mailbox)])
      return last?.at ?? 0
    },
    async hasEnded({ id, mailbox, lastSignOut }) {
      const found = await store.listSignOuts([formatMailbox(mailbox), formatSession(id)])
      return found.some(({ subject, at }) => subject === formatSession(id) || at !== lastSignOut)
    },
  }
}

/** `auth.portal.signOut`: ends every session of a contact that has begun, and its links that have not been used. */
export type SignOutContact = (contact: string) => Promise<void>

export function createSignOutContact(
  options: SignOutsOptions & { readonly opened: () => Promise<unknown> },
): SignOutContact {
  const signOuts = createSignOuts(options)
  return async function signOut(contact) {
    const mailbox = toMailbox(readContact(contact))
    await options.opened()
    await signOuts.addForMailbox(mailbox)
  }
}

function formatMailbox(mailbox: string): string {
  return `mailbox:${mailbox}`
}

function formatSession(id: string): string {
  return `session:${id}`
}
