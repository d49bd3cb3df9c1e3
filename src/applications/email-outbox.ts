import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../contracts/errors.js'
import type { LetterPurpose, LetterRecord, Store } from '../contracts/store.js'

/** `auth.outbox`: the letters that are to be sent. */
export interface OutboxCalls {
  /**
   * Tries letters again that were given up, at once: all of them, or those of one application, and then also one whose
   * claim link has not been used. Resolves how many; without effect on letters that wait for approval.
   */
  retry(applicationId?: string): Promise<{ retried: number }>
}

/** Letters as the registry puts them in. */
export interface Outbox extends OutboxCalls {
  /** An application's first letter, due at once unless it is held. */
  newLetter(applicationId: string, purpose: LetterPurpose, options?: { held?: boolean; overlap?: number }): LetterRecord
  /**
   * A letter, due at once: the one that is still to be sent for the same purpose, begun anew, or else a new one. Of two
   * at once, neither could tell what the other has replaced.
   */
  letterFor(applicationId: string, purpose: LetterPurpose, overlap: number): Promise<LetterRecord>
  /** Has what is due looked for now rather than at the next turn. */
  wake(): void
  /** Throws `ConfigurationError` where nothing could ever be sent. */
  refuseWithoutMailer(call: string): void
}

interface OutboxOptions {
  readonly store: Store
  readonly opened: () => Promise<unknown>
  readonly now: () => number
  readonly wake: () => void
  readonly hasMailer: boolean
}

export function createOutbox({ store, opened, now, wake, hasMailer }: OutboxOptions): Outbox {
  function newLetter(applicationId: string, purpose: LetterPurpose, { held = false, overlap = 0 } = {}): LetterRecord {
    return {
      id: `letter_${randomBytes(16).toString('hex')}`,
      applicationId,
      purpose,
      state: held ? 'held' : 'due',
      overlap,
      attempts: 0,
      attempted: [],
      claims: [],
      createdAt: now(),
      dueAt: now(),
      leasedUntil: 0,
      problem: undefined,
      version: 1,
    }
  }

  /** A fresh start, back-off and its end included. Whoever is just sending it keeps it until then. */
  function anew(letter: LetterRecord): LetterRecord {
    const at = now()
    return { ...letter, state: 'due', attempts: 0, createdAt: at, dueAt: at, version: letter.version + 1 }
  }

  return {
    wake,
    refuseWithoutMailer(call) {
      if (hasMailer) return
      throw new ConfigurationError(
        `${call}: mailer is missing. Credentials are mailed: give one, such as smtpMailer() from "express-platform-auth/mailers/smtp".`,
      )
    },
    newLetter,
    async letterFor(applicationId, purpose, overlap) {
      const letters = await store.listLetters({ applicationId, state: undefined, limit: 100 })
      const unsent = letters.find((letter) => letter.purpose === purpose)
      return unsent ? { ...anew(unsent), overlap } : newLetter(applicationId, purpose, { overlap })
    },
    async retry(applicationId) {
      await opened()
      let retried = 0
      for (const state of applicationId === undefined ? (['failed'] as const) : (['failed', 'claimable'] as const)) {
        for (;;) {
          const letters = await store.listLetters({ applicationId, state, limit: 100 })
          for (const letter of letters) if (await store.saveLetter(anew(letter))) retried++
          if (letters.length < 100) break
        }
      }
      if (retried > 0) wake()
      return { retried }
    },
  }
}
