import type { Api } from '../contracts/api.js'
import type { Emit } from '../contracts/events.js'
import type { EmailMessage } from '../contracts/mailer.js'
import type { ApplicationRecord, QueuedEmail, Store } from '../contracts/store.js'
import type { ApplicationWriter } from '../applications/application-writer.js'
import { mintClaim } from './claim-link.js'
import type { Credentials } from '../applications/credentials.js'
import { listHashes, issueFor, retire, without, withIssue } from '../applications/issue.js'
import type { ComposeEmail } from './message.js'

/** One try to send a email: what it says, and the record of it, saved before it leaves. */
export interface Attempt {
  readonly content: EmailMessage
  readonly email: QueuedEmail
}

/** What happens to application and email before a email is sent, and after each way in which that can end. */
export interface Attempts {
  /** Makes the credentials (or the claim link) and saves their hashes; undefined where there is nothing to send any more. */
  prepare(leased: QueuedEmail): Promise<Attempt | undefined>
  /** The mail server has accepted it: it replaces earlier ones, and what it brought replaces what was. */
  accepted(email: QueuedEmail): Promise<void>
  /** It has not, for certain or perhaps: tried again later, or given up. */
  failed(email: QueuedEmail, error: unknown): Promise<void>
}

interface AttemptsOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  readonly credentials: () => Credentials
  readonly compose: ComposeEmail
  readonly byClaimLink: boolean
  readonly emit: Emit
  /** Told why a email was not delivered, and whether it is given up. */
  readonly onFailed: (applicationId: string, problem: string, givenUp: boolean) => void
  readonly now: () => number
}

/** Milliseconds for which a email is tried. */
const LONGEST = 72 * 3600 * 1000
/** Milliseconds for which a claim link works. */
const CLAIM = 72 * 3600 * 1000

export function createAttempts(options: AttemptsOptions): Attempts {
  const { store, apis, writer, credentials, compose, byClaimLink, emit, onFailed, now } = options

  /** Whether the email is still as this process left it: it is gone once its credentials were used, or the application was deleted. */
  async function isStillThere({ id, version }: QueuedEmail): Promise<boolean> {
    const email = await store.findEmail(id)
    return email?.version === version
  }

  function next(email: QueuedEmail, changed: Partial<QueuedEmail>): QueuedEmail {
    return { ...email, ...changed, version: email.version + 1 }
  }

  /** Nobody has these, though the email that brought them is another process's, or no more. */
  async function forget(id: string, hashes: readonly string[]): Promise<void> {
    await writer.change(id, { type: undefined }, (current) => {
      const held = [...current.keys, ...current.secrets].some(({ hash }) => hashes.includes(hash))
      return held ? { changed: without(current, hashes) } : undefined
    })
  }

  return {
    async prepare(leased) {
      let attempt: Attempt | undefined
      await writer.change(leased.applicationId, { type: undefined }, async (current) => {
        attempt = undefined
        if (!(await isStillThere(leased))) return undefined
        if (current.contact === undefined) return { changed: {}, email: { remove: leased } }
        const attemptCount = leased.attemptCount + 1
        const about = {
          application: { ...current, ...without(current, leased.attemptedHashes.flat()) },
          purpose: leased.purpose,
          to: current.contact,
          overlap: leased.overlap,
        }
        if (byClaimLink) {
          const { plain, hash } = mintClaim(credentials())
          const claimLinks = [{ hash, expiresAt: now() + CLAIM }, ...leased.claimLinks.slice(0, 1)]
          const email = next(leased, { attemptCount, claimLinks })
          attempt = { email, content: compose({ ...about, claim: plain }) }
          return { changed: {}, email: { save: email } }
        }
        const issue = issueFor(leased.purpose, credentials(), apis, current.apis, now())
        // Two sets at most: this one, and the one before, which may have arrived.
        const [previous = [], ...older] = leased.attemptedHashes
        const email = next(leased, { attemptCount, attemptedHashes: [listHashes(issue), previous] })
        attempt = { email, content: compose({ ...about, issue }) }
        return {
          changed: withIssue({ ...current, ...without(current, older.flat()) }, issue),
          email: { save: email },
        }
      })
      return attempt
    },
    async accepted(email) {
      let activated = false
      await writer.change(email.applicationId, { type: 'application.delivered' }, async (current) => {
        activated = false
        if (!(await isStillThere(email))) return undefined
        activated = !byClaimLink && current.status === 'pending'
        const details = { purpose: email.purpose, ...(activated && { activated }) }
        if (byClaimLink) {
          const claimable = next(email, {
            state: 'claimable',
            claimLinks: email.claimLinks.slice(0, 1),
            leasedUntil: 0,
            problem: undefined,
          })
          return { changed: {}, details, email: { save: claimable } }
        }
        return {
          changed: { ...settled(current, email, now()), ...(activated && { status: 'active' }) },
          details,
          email: { remove: email },
        }
      })
      if (activated) emit('application.activated', { applicationId: email.applicationId })
    },
    async failed(email, error) {
      const { refused, permanent, problem } = readFailure(error)
      const [latest = [], ...earlier] = email.attemptedHashes
      const dueAt = now() + pauseAfter(email.attemptCount)
      const givenUp = permanent || dueAt > email.createdAt + LONGEST
      const type = givenUp ? 'application.deliveryFailed' : undefined
      const saved = await writer.change(email.applicationId, { type, reason: problem }, async (current) => {
        if (!(await isStillThere(email))) return undefined
        // What was certainly not accepted is nobody's; what may have been stays good beside the next email's.
        const undone = refused && { attemptedHashes: earlier, claimLinks: email.claimLinks.slice(1) }
        return {
          changed: refused ? without(current, latest) : {},
          details: { purpose: email.purpose, problem },
          email: {
            save: next(email, { ...undone, state: givenUp ? 'failed' : 'due', dueAt, leasedUntil: 0, problem }),
          },
        }
      })
      if (saved) onFailed(email.applicationId, problem, givenUp)
      else if (refused) await forget(email.applicationId, latest)
    },
  }
}

/** An application's credentials once a email has been accepted: its own, and those it replaces until the overlap ends. */
function settled(
  current: ApplicationRecord,
  email: QueuedEmail,
  now: number,
): Pick<ApplicationRecord, 'keys' | 'secrets'> {
  const [latest = [], ...earlier] = email.attemptedHashes
  const rest = without(current, earlier.flat())
  const replace = ([newest, ...former]: ApplicationRecord['keys']): ApplicationRecord['keys'] => {
    if (!newest) return []
    // Where another has been made since, by hand, that one has replaced the email's already.
    return latest.includes(newest.hash) ? [newest, ...retire(former, now, email.overlap)] : [newest, ...former]
  }
  return { keys: replace(rest.keys), secrets: replace(rest.secrets) }
}

/** What a mailer's error says: a code, and no text, since a mail server may repeat the email in it. */
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
function pauseAfter(attemptCount: number): number {
  return Math.min(3600, 2 ** Math.min(attemptCount, 12)) * 1000
}
