import type { ApprovalLinks } from '../applications/approval-links.js'
import type { ApplicationWriter, Edit } from '../applications/application-writer.js'
import {
  addCredential,
  findNewest,
  isFull,
  LISTS,
  listHashes,
  removeCredentials,
  retireOthers,
} from '../applications/credential-lists.js'
import { findExpiring } from '../applications/credential-expiry.js'
import { mintCredentials, type Credentials } from '../applications/credentials.js'
import { issueInvitationToken } from '../applications/invitations.js'
import { findDelivered, isDelivery, isHeldBySuspension, suspendEmails } from '../applications/queued-emails.js'
import type { Api } from '../contracts/api.js'
import type { EmailContent } from '../contracts/email-content.js'
import type { Emit } from '../contracts/events.js'
import type { ApplicationRecord, DeliveryPurpose, NewAuditRecord, QueuedEmail, Store } from '../contracts/store.js'
import { createClaimToken } from './claim-link.js'
import { describeDelivery, describeReminder, type Recipient } from './content.js'
import { describeNotice, isNotice, type Notice } from './notice.js'

/** Changes the application and its queued e-mail before the e-mail is sent, and after each outcome. */
export interface Attempts {
  /**
   * Makes the credentials (or the claim link) and saves their hashes; undefined if the e-mail need not be sent any more. A
   * reminder has none of them.
   */
  prepare(leased: QueuedEmail): Promise<Attempt | undefined>
  /** The mail server has accepted the e-mail: earlier e-mails end, and the overlap of what it replaces starts. */
  accepted(email: QueuedEmail): Promise<void>
  /** The mail server has refused the e-mail, or the outcome is unknown: it is retried later, or has failed. */
  failed(email: QueuedEmail, error: unknown): Promise<void>
}

/** One attempt to send an e-mail: what it is about, and its record as saved before it is sent. */
export interface Attempt {
  readonly content: EmailContent
  readonly email: QueuedEmail
}

interface AttemptsOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  readonly credentials: () => Credentials
  readonly delivery: 'inline' | 'claim-link'
  readonly developersUrl: string | undefined
  readonly approvalLinks: ApprovalLinks
  readonly emit: Emit
  /** Called after each e-mail that was not accepted; `final` if it is not retried. */
  readonly onFailed: (applicationId: string, problem: string, final: boolean) => void
  readonly now: () => number
}

const RETRY_PERIOD_MS = 72 * 3600 * 1000
const CLAIM_LINK_LIFETIME_MS = 72 * 3600 * 1000
const MAX_RETRY_DELAY_SECONDS = 3600

export function createAttempts(options: AttemptsOptions): Attempts {
  const { store, writer, delivery, emit, onFailed, now } = options

  /** Whether the e-mail is still as this process saved it: operators' calls cancel, redirect and suspend e-mails, and a first use removes them. */
  async function isUnchanged({ id, version }: QueuedEmail): Promise<boolean> {
    const email = await store.findEmail(id)
    return email?.version === version
  }

  async function removeHashes(applicationId: string, hashes: readonly string[]): Promise<void> {
    await writer.change(applicationId, { type: undefined }, (current) => {
      const has = [...current.keys, ...current.secrets].some(({ hash }) => hashes.includes(hash))
      return has ? { changed: removeCredentials(current, hashes) } : undefined
    })
  }

  return {
    async prepare(leased) {
      const prepared = await writer.change<Attempt | 'full'>(
        leased.applicationId,
        { type: undefined },
        async (current) => {
          if (!(await isUnchanged(leased))) return undefined
          if (current.status === 'suspended' && isHeldBySuspension(leased.purpose)) {
            return { changed: {}, emails: suspendEmails([{ ...leased, leasedUntil: 0 }], now()) }
          }
          if (isNotice(leased)) return sendNotice(options, leased, current)
          if (current.contact === undefined) return { changed: {}, emails: [{ remove: leased }] }
          if (delivery === 'inline' && hasNoRoom(current, leased, now())) {
            return { changed: {}, emails: [{ save: toFull(leased) }], result: 'full' as const }
          }
          const recipient = { ...current, contact: current.contact }
          const prepare = leased.purpose === 'expiring' ? prepareReminder : prepareDelivery
          const prepared = prepare(options, leased, recipient)
          if (!prepared) return { changed: {}, emails: [{ remove: leased }] }
          const { changed, attempt } = prepared
          return { changed, emails: [{ save: attempt.email }], result: attempt }
        },
      )
      if (prepared?.result !== 'full') return prepared?.result
      onFailed(leased.applicationId, TOO_MANY_CREDENTIALS, true)
      return undefined
    },
    async accepted(email) {
      const { applicationId, purpose } = email
      const accepted = await writer.change(applicationId, { type: 'application.delivered' }, async (current) => {
        if (!(await isUnchanged(email))) return undefined
        if (delivery === 'claim-link' && isDelivery(purpose)) {
          return { changed: {}, details: describeEmail(email), emails: [{ save: toClaimable(email) }] }
        }
        const activated = current.status === 'pending' && isDelivery(purpose)
        return {
          changed: { ...replaceCredentials(current, email, now()), ...(activated && { status: 'active' }) },
          details: { ...describeEmail(email), ...(activated && { activated }) },
          emails: [{ remove: email }],
          result: { activated },
        }
      })
      if (accepted?.result?.activated) emit('application.activated', { applicationId })
    },
    async failed(email, error) {
      const { applicationId } = email
      const failure = readFailure(error)
      const { problem } = failure
      const failed = toFailed(email, failure, now())
      const final = failed.state === 'failed'
      const [latest = []] = email.attemptedHashes
      const type = final ? 'application.deliveryFailed' : undefined
      const saved = await writer.change(applicationId, { type, reason: problem }, async (current) => {
        if (!(await isUnchanged(email))) return undefined
        return {
          changed: failure.refused ? removeCredentials(current, latest) : {},
          details: { ...describeEmail(email), problem },
          // Nobody can retry an e-mail of a deleted application.
          emails: [final && current.status === 'deleted' ? { remove: email } : { save: failed }],
        }
      })
      if (saved) onFailed(applicationId, problem, final)
      // Another process has leased the e-mail, or it was removed. The credentials of this attempt reached nobody.
      else if (failure.refused) await removeHashes(applicationId, latest)
    },
  }
}

/** Details of audit records: what an e-mail was about. */
function describeEmail({ purpose, credentialId }: QueuedEmail): NonNullable<NewAuditRecord['details']> {
  return { purpose, ...(credentialId !== undefined && { credentialId }) }
}

/** An attempt, and what it changes of the application. */
interface Prepared {
  readonly changed: Partial<ApplicationRecord>
  readonly attempt: Attempt
}

/** Saves the attempt, or removes a notice that is to be sent no more. */
function sendNotice(options: AttemptsOptions, leased: Notice, application: ApplicationRecord): Edit<Attempt> {
  const { credentials, now } = options
  const isInvitation = leased.purpose === 'invitation'
  const issued = isInvitation ? issueInvitationToken(application, leased, credentials(), now()) : NO_TOKEN
  const content = issued && describeNotice(leased, application, { ...options, invitationToken: issued.token })
  if (!content) return { changed: {}, emails: [{ remove: leased }] }
  const email = nextVersion(leased, { attemptCount: leased.attemptCount + 1 })
  return { changed: issued.changed, emails: [{ save: email }], result: { email, content } }
}

const NO_TOKEN = { token: undefined, changed: {} }

/** Undefined if the credential has ended or was replaced since the e-mail was queued. */
function prepareReminder({ now }: AttemptsOptions, leased: QueuedEmail, application: Recipient): Prepared | undefined {
  const expiring = findExpiring(application, leased.credentialId, now())
  if (!expiring) return undefined
  const email = nextVersion(leased, { attemptCount: leased.attemptCount + 1 })
  return { changed: {}, attempt: { email, content: describeReminder(application, expiring, now()) } }
}

function prepareDelivery(
  { apis, writer, credentials, delivery, developersUrl, now }: AttemptsOptions,
  leased: QueuedEmail,
  current: Recipient,
): Prepared | undefined {
  // This e-mail replaces those of its earlier attempts, so its text does not count their credentials as previous ones.
  const application = { ...current, ...removeCredentials(current, leased.attemptedHashes.flat()) }
  const delivered = findDelivered(application, leased, { findLatestExpiry: writer.findLatestExpiry, now: now() })
  if (!delivered) return undefined
  const { kind, terms } = delivered
  const { overlap } = leased
  const purpose = leased.purpose as DeliveryPurpose
  const attemptCount = leased.attemptCount + 1
  const hasPrevious = findNewest(application[LISTS[kind]], terms.name, now()) !== undefined
  const described = { purpose, overlap, terms, hasPrevious }

  if (delivery === 'claim-link') {
    const { plain, hash } = createClaimToken(credentials())
    const claimLinks = [{ hash, expiresAt: now() + CLAIM_LINK_LIFETIME_MS }, ...leased.claimLinks.slice(0, 1)]
    const email = nextVersion(leased, { attemptCount, claimLinks })
    const link = `${developersUrl}/register/claim#${plain}`
    return { changed: {}, attempt: { email, content: describeDelivery(current, { ...described, link }) } }
  }
  const minted = mintCredentials(credentials(), purpose, apis, current.apis, now(), terms)
  // At most two sets: this one, and the previous one, which may have arrived.
  const [previous = [], ...older] = leased.attemptedHashes
  const email = nextVersion(leased, { attemptCount, attemptedHashes: [listHashes(minted), previous] })
  const { keys, secrets } = removeCredentials(current, older.flat())
  return {
    changed: {
      keys: minted.key ? addCredential(keys, minted.key.record, now()) : keys,
      secrets: minted.secret ? addCredential(secrets, minted.secret.record, now()) : secrets,
    },
    attempt: { email, content: describeDelivery(current, { ...described, minted }) },
  }
}

const TOO_MANY_CREDENTIALS = 'too_many_credentials'

/** Credentials of attempts before the previous one make room. */
function hasNoRoom(current: ApplicationRecord, { purpose, attemptedHashes }: QueuedEmail, now: number): boolean {
  const lists = removeCredentials(current, attemptedHashes.slice(1).flat())
  return (purpose === 'key' && isFull(lists.keys, now)) || (purpose === 'secret' && isFull(lists.secrets, now))
}

/** It is retried when an operator has made room. */
function toFull(email: QueuedEmail): QueuedEmail {
  return nextVersion(email, { state: 'failed', leasedUntil: 0, problem: TOO_MANY_CREDENTIALS })
}

function nextVersion(email: QueuedEmail, changed: Partial<QueuedEmail>): QueuedEmail {
  return { ...email, ...changed, version: email.version + 1 }
}

function toClaimable(email: QueuedEmail): QueuedEmail {
  return nextVersion(email, {
    state: 'claimable',
    claimLinks: email.claimLinks.slice(0, 1),
    leasedUntil: 0,
    problem: undefined,
  })
}

/** The credentials after the e-mail was accepted: its own, and those that they replace until the overlap ends. */
function replaceCredentials(
  current: ApplicationRecord,
  { attemptedHashes: [latest = [], ...earlier], overlap }: QueuedEmail,
  now: number,
): Pick<ApplicationRecord, 'keys' | 'secrets'> {
  const { keys, secrets } = removeCredentials(current, earlier.flat())
  const replace = (records: ApplicationRecord['keys']): ApplicationRecord['keys'] => {
    const delivered = records.find(({ hash }) => latest.includes(hash))
    // A credential that was made since, by rotateKey() or rotateSecret(), has replaced the e-mail's already.
    const isNewest = delivered !== undefined && findNewest(records, delivered.name, now) === delivered
    return isNewest ? retireOthers(records, delivered, now, overlap) : records
  }
  return { keys: replace(keys), secrets: replace(secrets) }
}

/** What a mailer's error says, in terms of the contract of `Mailer`. */
interface Failure {
  readonly refused: boolean
  readonly permanent: boolean
  readonly problem: string
}

function toFailed(email: QueuedEmail, { refused, permanent, problem }: Failure, now: number): QueuedEmail {
  const dueAt = now + computeRetryDelayMs(email.attemptCount)
  const final = permanent || dueAt > email.createdAt + RETRY_PERIOD_MS
  return nextVersion(email, {
    // The credentials of a refused e-mail end. Those of an e-mail that may have been accepted stay valid beside the next ones.
    ...(refused && { attemptedHashes: email.attemptedHashes.slice(1), claimLinks: email.claimLinks.slice(1) }),
    state: final ? 'failed' : 'due',
    dueAt,
    leasedUntil: 0,
    problem,
  })
}

/** Codes only, and no text, because a mail server may repeat the e-mail in its answer. */
function readFailure(error: unknown): Failure {
  const { permanent, refused, code, responseCode } = (error ?? {}) as Record<string, unknown>
  const problem = [code, responseCode]
    .filter((each) => typeof each === 'number' || (typeof each === 'string' && SHORT_CODE.test(each)))
    .join(' ')
  return {
    permanent: permanent === true,
    refused: permanent === true || refused === true,
    problem: problem || 'unknown',
  }
}

/** Shorter than any credential. */
const SHORT_CODE = /^[A-Z0-9_]{1,32}$/i

/** 2 seconds after the first attempt, then twice as long each time, an hour at most. */
function computeRetryDelayMs(attemptCount: number): number {
  return Math.min(MAX_RETRY_DELAY_SECONDS, 2 ** Math.min(attemptCount, 12)) * 1000
}
