import type { Api } from '../contracts/api.js'
import type { Emit } from '../contracts/events.js'
import type { Letter } from '../contracts/mailer.js'
import type { ApplicationRecord, LetterRecord, Store } from '../contracts/store.js'
import type { Changes } from '../applications/application-writer.js'
import { mintClaim } from './claim-link.js'
import type { Credentials } from '../applications/credentials.js'
import { hashesOf, issueFor, retire, without, withIssue } from '../applications/issue.js'
import type { ComposeLetter } from './message.js'

/** One try to send a letter: what it says, and the record of it, saved before it leaves. */
export interface Attempt {
  readonly content: Letter
  readonly letter: LetterRecord
}

/** What happens to application and letter before a letter is sent, and after each way in which that can end. */
export interface Attempts {
  /** Makes the credentials (or the claim link) and saves their hashes; undefined where there is nothing to send any more. */
  prepare(leased: LetterRecord): Promise<Attempt | undefined>
  /** The mail server has accepted it: it replaces earlier ones, and what it brought replaces what was. */
  accepted(letter: LetterRecord): Promise<void>
  /** It has not, for certain or perhaps: tried again later, or given up. */
  failed(letter: LetterRecord, error: unknown): Promise<void>
}

interface AttemptsOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly changes: Changes
  readonly credentials: () => Credentials
  readonly compose: ComposeLetter
  readonly byClaimLink: boolean
  readonly emit: Emit
  /** Told why a letter was not delivered, and whether it is given up. */
  readonly onFailed: (applicationId: string, problem: string, givenUp: boolean) => void
  readonly now: () => number
}

/** Milliseconds for which a letter is tried. */
const LONGEST = 72 * 3600 * 1000
/** Milliseconds for which a claim link works. */
const CLAIM = 72 * 3600 * 1000

export function createAttempts(options: AttemptsOptions): Attempts {
  const { store, apis, changes, credentials, compose, byClaimLink, emit, onFailed, now } = options

  /** Whether the letter is still as this process left it: it is gone once its credentials were used, or the application was deleted. */
  async function isStillThere({ id, applicationId, version }: LetterRecord): Promise<boolean> {
    const letters = await store.listLetters({ applicationId, state: undefined, limit: 100 })
    return letters.some((letter) => letter.id === id && letter.version === version)
  }

  function next(letter: LetterRecord, changed: Partial<LetterRecord>): LetterRecord {
    return { ...letter, ...changed, version: letter.version + 1 }
  }

  /** Nobody has these, though the letter that brought them is another process's, or no more. */
  async function forget(id: string, hashes: readonly string[]): Promise<void> {
    await changes.change(id, { type: undefined }, (current) => {
      const held = [...current.keys, ...current.secrets].some(({ hash }) => hashes.includes(hash))
      return held ? { changed: without(current, hashes) } : undefined
    })
  }

  return {
    async prepare(leased) {
      let attempt: Attempt | undefined
      await changes.change(leased.applicationId, { type: undefined }, async (current) => {
        attempt = undefined
        if (!(await isStillThere(leased))) return undefined
        if (current.contact === undefined) return { changed: {}, letter: { remove: leased } }
        const attempts = leased.attempts + 1
        const about = {
          application: { ...current, ...without(current, leased.attempted.flat()) },
          purpose: leased.purpose,
          to: current.contact,
          overlap: leased.overlap,
        }
        if (byClaimLink) {
          const { plain, hash } = mintClaim(credentials())
          const claims = [{ hash, expiresAt: now() + CLAIM }, ...leased.claims.slice(0, 1)]
          const letter = next(leased, { attempts, claims })
          attempt = { letter, content: compose({ ...about, claim: plain }) }
          return { changed: {}, letter: { save: letter } }
        }
        const issue = issueFor(leased.purpose, credentials(), apis, current.apis, now())
        // Two sets at most: this one, and the one before, which may have arrived.
        const [previous = [], ...older] = leased.attempted
        const letter = next(leased, { attempts, attempted: [hashesOf(issue), previous] })
        attempt = { letter, content: compose({ ...about, issue }) }
        return {
          changed: withIssue({ ...current, ...without(current, older.flat()) }, issue),
          letter: { save: letter },
        }
      })
      return attempt
    },
    async accepted(letter) {
      let activated = false
      await changes.change(letter.applicationId, { type: 'application.delivered' }, async (current) => {
        activated = false
        if (!(await isStillThere(letter))) return undefined
        activated = !byClaimLink && current.status === 'pending'
        const details = { purpose: letter.purpose, ...(activated && { activated }) }
        if (byClaimLink) {
          const claimable = next(letter, {
            state: 'claimable',
            claims: letter.claims.slice(0, 1),
            leasedUntil: 0,
            problem: undefined,
          })
          return { changed: {}, details, letter: { save: claimable } }
        }
        return {
          changed: { ...settled(current, letter, now()), ...(activated && { status: 'active' }) },
          details,
          letter: { remove: letter },
        }
      })
      if (activated) emit('application.activated', { applicationId: letter.applicationId })
    },
    async failed(letter, error) {
      const { refused, permanent, problem } = readFailure(error)
      const [latest = [], ...earlier] = letter.attempted
      const dueAt = now() + pauseAfter(letter.attempts)
      const givenUp = permanent || dueAt > letter.createdAt + LONGEST
      const type = givenUp ? 'application.deliveryFailed' : undefined
      const saved = await changes.change(letter.applicationId, { type, reason: problem }, async (current) => {
        if (!(await isStillThere(letter))) return undefined
        // What was certainly not accepted is nobody's; what may have been stays good beside the next letter's.
        const undone = refused && { attempted: earlier, claims: letter.claims.slice(1) }
        return {
          changed: refused ? without(current, latest) : {},
          details: { purpose: letter.purpose, problem },
          letter: {
            save: next(letter, { ...undone, state: givenUp ? 'failed' : 'due', dueAt, leasedUntil: 0, problem }),
          },
        }
      })
      if (saved) onFailed(letter.applicationId, problem, givenUp)
      else if (refused) await forget(letter.applicationId, latest)
    },
  }
}

/** An application's credentials once a letter has been accepted: its own, and those it replaces until the overlap ends. */
function settled(
  current: ApplicationRecord,
  letter: LetterRecord,
  now: number,
): Pick<ApplicationRecord, 'keys' | 'secrets'> {
  const [latest = [], ...earlier] = letter.attempted
  const rest = without(current, earlier.flat())
  const replace = ([newest, ...former]: ApplicationRecord['keys']): ApplicationRecord['keys'] => {
    if (!newest) return []
    // Where another has been made since, by hand, that one has replaced the letter's already.
    return latest.includes(newest.hash) ? [newest, ...retire(former, now, letter.overlap)] : [newest, ...former]
  }
  return { keys: replace(rest.keys), secrets: replace(rest.secrets) }
}

/** What a mailer's error says: a code, and no text, since a mail server may repeat the letter in it. */
function readFailure(error: unknown): { refused: boolean; permanent: boolean; problem: string } {
  const { permanent, refused, code, responseCode } = (error ?? {}) as Record<string, unknown>
  const problem = [code, responseCode]
    .filter((each) => typeof each === 'number' || (typeof each === 'string' && CODE.test(each)))
    .join(' ')
  return {
    permanent: permanent === true,
    refused: permanent === true || refused === true,
    problem: problem || 'unknown',
  }
}

/** Shorter than any credential. */
const CODE = /^[A-Z0-9_]{1,32}$/i

/** Milliseconds: 2 seconds at first, doubled each time, an hour at most. */
function pauseAfter(attempts: number): number {
  return Math.min(3600, 2 ** Math.min(attempts, 12)) * 1000
}
