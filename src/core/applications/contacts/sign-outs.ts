import { randomBytes } from 'node:crypto'
import { normalizeContact } from './contact-lists.js'
import { readContact } from '../records/validation.js'
import type { Store } from '../../../shared/contracts/store.js'

/** `auth.portal.signOut`: ends every session of a contact that has begun, and its links that have not been used. */
export type SignOutContact = (contact: string) => Promise<void>

export const MAX_SESSION_MS = 12 * 3600 * 1000
/** The clocks of processes differ. */
export const CLOCK_MARGIN_MS = 3600 * 1000
/** The store forgets a sign-out a day after the session has ended: a process whose clock is ahead must not delete what others still read. */
const STORED_MS = MAX_SESSION_MS + CLOCK_MARGIN_MS + 24 * 3600 * 1000

/** Ends sessions of the portal in every process: each request of a session reads them. Without the store's part `signIns` there are none. */
export function createSignOuts(options: {
  readonly store: Pick<Store, 'signIns'>
  readonly opened: () => Promise<unknown>
  readonly now: () => number
}) {
  const { store, opened, now } = options
  async function add(subject: string): Promise<void> {
    const nonce = randomBytes(16).toString('base64url')
    await store.signIns?.addSignOut({ subject, nonce, at: now(), expiresAt: now() + STORED_MS })
  }

  const addForContact = (contact: string): Promise<void> => add(formatContact(contact))

  const signOut: SignOutContact = async (contact) => {
    const normalized = normalizeContact(readContact(contact))
    await opened()
    await addForContact(normalized)
  }

  return {
    signOut,
    addForContact,
    addForSession: (id: string): Promise<void> => add(formatSession(id)),
    /** The nonce of the mailbox's last one; empty without one. */
    async readLast(contact: string): Promise<string> {
      const last = await store.signIns?.listSignOuts([formatContact(contact)])
      return last?.[0]?.nonce ?? ''
    },
    /** Whether the session was ended by one of its own, or by one of its mailbox that it does not know. */
    async hasEnded(session: {
      readonly id: string
      readonly contact: string
      /** Compared instead of times: two sign-outs may have the same one, and a forged cookie could state it. */
      readonly lastSignOut: string
    }): Promise<boolean> {
      const { id, contact, lastSignOut } = session
      const found = (await store.signIns?.listSignOuts([formatContact(contact), formatSession(id)])) ?? []
      return found.some(({ subject, nonce }) => subject === formatSession(id) || nonce !== lastSignOut)
    },
  }
}

function formatContact(contact: string): string {
  return `contact:${contact}`
}

function formatSession(id: string): string {
  return `session:${id}`
}
