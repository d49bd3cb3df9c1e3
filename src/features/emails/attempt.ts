import {
  findNewest,
  isFull,
  removeCredentials,
  retireOthers,
  addCredential,
  listHashes,
} from '../../core/applications/credentials/credential-lists.js'
import {
  isDelivery,
  isHeldBySuspension,
  nextVersion,
  suspendEmails,
  findDelivered,
  isFirstDelivery,
} from '../../core/applications/queue/queued-emails.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { Core } from '../../feature.js'
import type { QueuedEmail, DeliveryPurpose } from '../../shared/contracts/queued-email.js'
import { readServiceFailure, type ServiceFailure } from '../../shared/lib/service-failure.js'
import { isNotice, type Recipient, describeDelivery, describeReminder, type Notice, describeNotice } from './content.js'
import type { Edit } from '../../core/applications/records/application-writer.js'
import type { ApprovalLinks } from '../../core/applications/decisions/approval-requests.js'
import { findExpiring } from '../../core/applications/credentials/credential-expiry.js'
import { createRegisteredKeySet, formatMailedKeySet } from '../../core/applications/credentials/key-sets.js'
import { LISTS, mintCredentials } from '../../core/applications/credentials/credentials.js'
import { issueInvitationToken } from '../../core/applications/contacts/contact-lists.js'
import type { Api } from '../../shared/contracts/api.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import { createClaimToken } from './claim-link.js'
import { ownMembers } from '../../shared/lib/own-members.js'

export type Attempts = ReturnType<typeof createAttempts>

export function createAttempts(
  core: Core,
  delivering: Delivering,
  onFailed: (applicationId: string, problem: string, final: boolean) => void,
) {
  const { store, writer, emit, pageUrl, now } = core
  const { delivery } = delivering

  /** Whether the e-mail is still as this process saved it: operators' calls cancel, redirect and suspend e-mails, and a first use removes them. */
  async function isUnchanged({ id, version }: QueuedEmail): Promise<boolean> {
    const email = await store.emails.find(id)
    return email?.version === version
  }

  async function removeHashes(applicationId: string, hashes: readonly string[]): Promise<void> {
    await writer.change(applicationId, { type: undefined }, (current) => {
      const has = [...current.keys, ...current.secrets].some(({ hash }) => hashes.includes(hash))
      return has ? { changed: removeCredentials(current, hashes) } : undefined
    })
  }

  async function saveFailure(email: QueuedEmail, failure: ServiceFailure): Promise<void> {
    const { applicationId } = email
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
  }

  return {
    /** Makes and saves the credentials or the claim link, which reminders lack; undefined if nothing is to be sent. */
    async prepare(leased: QueuedEmail) {
      const lacking = findLackingPage(leased, pageUrl)
      const prepared = await writer.change<Attempt | typeof FULL>(
        leased.applicationId,
        { type: undefined },
        async (current) => {
          if (!(await isUnchanged(leased))) return undefined
          if (current.status === 'suspended' && isHeldBySuspension(leased.purpose))
            return { changed: {}, emails: suspendEmails([{ ...leased, leasedUntil: 0 }], now()) }
          if (lacking) return undefined
          if (current.contact !== undefined && delivery === 'inline' && hasNoRoom(current, leased, now())) {
            // It is retried when an operator has made room.
            const failed = nextVersion(leased, { state: 'failed', leasedUntil: 0, problem: FULL.problem })
            return { changed: {}, emails: [{ save: failed }], result: FULL }
          }
          const edit = prepareAttempt(core, delivering, leased, current)
          return edit ?? { changed: {}, emails: [{ remove: leased }] }
        },
      )
      if (!prepared && lacking) await saveFailure({ ...leased, attemptCount: leased.attemptCount + 1 }, lacking)
      if (!prepared?.result) return undefined
      const { record, result } = prepared
      if ('email' in result) return { email: result.email, content: result.describe(record) }
      onFailed(leased.applicationId, result.problem, true)
      return undefined
    },
    async accepted(email: QueuedEmail): Promise<void> {
      const { applicationId, purpose } = email
      const accepted = await writer.change(applicationId, { type: 'application.delivered' }, async (current) => {
        if (!(await isUnchanged(email))) return undefined
        if (delivery === 'claim-link' && isDelivery(purpose)) {
          const claimLinks = email.claimLinks.slice(0, 1)
          const save = nextVersion(email, { state: 'claimable', claimLinks, leasedUntil: 0, problem: undefined })
          return { changed: {}, details: describeEmail(email), emails: [{ save }] }
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
    async failed(email: QueuedEmail, error: unknown): Promise<void> {
      await saveFailure(email, readServiceFailure(error))
    },
  }
}

function describeEmail({ purpose, credentialId }: QueuedEmail) {
  return { purpose, ...(credentialId !== undefined && { credentialId }) }
}

const FULL = { problem: 'too_many_credentials' } as const

const PAGES: { readonly [Purpose in QueuedEmail['purpose']]?: readonly [page: string, feature: string] } = {
  approvalRequest: ['decide', 'registration() with operators'],
  invitation: ['portal', 'portal()'],
}

/** Another process may have the feature: the e-mail is tried again later, as if the mail server had not answered. */
function findLackingPage({ purpose }: QueuedEmail, pageUrl: Core['pageUrl']): ServiceFailure | undefined {
  const [page, feature] = PAGES[purpose] ?? []
  if (page === undefined || pageUrl(page) !== undefined) return undefined
  return { refused: true, permanent: false, problem: `${feature} is not given, so there is no page to link to` }
}

/** Credentials of attempts before the previous one make room. */
function hasNoRoom(current: ApplicationRecord, { purpose, attemptedHashes }: QueuedEmail, now: number): boolean {
  const lists = removeCredentials(current, attemptedHashes.slice(1).flat())
  return (purpose === 'key' && isFull(lists.keys, now)) || (purpose === 'secret' && isFull(lists.secrets, now))
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

const RETRY_PERIOD_MS = 72 * 3600 * 1000
const MAX_RETRY_DELAY_SECONDS = 3600

function toFailed(email: QueuedEmail, { refused, permanent, problem }: ServiceFailure, now: number): QueuedEmail {
  // 2 seconds after the first attempt, then twice as long each time, an hour at most.
  const delay = Math.min(MAX_RETRY_DELAY_SECONDS, 2 ** Math.min(email.attemptCount, 12))
  const dueAt = now + delay * 1000
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

/** One attempt to send an e-mail: its record, and its content once that and the application are saved. */
interface Attempt {
  readonly email: QueuedEmail
  describe(saved: ApplicationRecord): EmailContent
}

interface Delivering {
  readonly apis: ReadonlyMap<string, Api>
  readonly delivery: 'inline' | 'claim-link'
  readonly developersUrl: string | undefined
  readonly approvalLinks: ApprovalLinks
}

/** The texts of e-mails say 72 hours, in every language. */
const CLAIM_LINK_LIFETIME_MS = 72 * 3600 * 1000

function prepareAttempt(core: Core, delivering: Delivering, leased: QueuedEmail, current: ApplicationRecord) {
  if (isNotice(leased)) return prepareNotice(core, delivering, leased, current)
  if (current.contact === undefined) return undefined
  const recipient = { ...current, contact: current.contact }
  return leased.purpose === 'expiring'
    ? prepareReminder(core, leased, recipient)
    : prepareDelivery(core, delivering, leased, recipient)
}

function createEdit(email: QueuedEmail, describe: Attempt['describe'], changed: Partial<ApplicationRecord> = {}) {
  return { changed, emails: [{ save: email }], result: { email, describe } }
}

function prepareNotice(
  { credentials, now }: Core,
  { developersUrl, approvalLinks }: Delivering,
  leased: Notice,
  application: ApplicationRecord,
): Edit<Attempt> | undefined {
  const isInvitation = leased.purpose === 'invitation'
  const issued = isInvitation ? issueInvitationToken(application, leased, credentials(), now()) : NO_TOKEN
  const content =
    issued &&
    describeNotice(leased, application, { approvalLinks, developersUrl, invitationToken: issued.token, now: now() })
  if (!content) return undefined
  return createEdit(nextVersion(leased, { attemptCount: leased.attemptCount + 1 }), () => content, issued.changed)
}

const NO_TOKEN = { token: undefined, changed: {} }

/** Undefined if the credential has ended or was replaced since the e-mail was queued. */
function prepareReminder({ now }: Core, leased: QueuedEmail, application: Recipient): Edit<Attempt> | undefined {
  const expiring = findExpiring(application, leased.credentialId, now())
  if (!expiring) return undefined
  const email = nextVersion(leased, { attemptCount: leased.attemptCount + 1 })
  return createEdit(email, () => describeReminder(application, expiring, now()))
}

function prepareDelivery(
  { writer, credentials, now }: Core,
  { apis, delivery, developersUrl }: Delivering,
  leased: QueuedEmail,
  current: Recipient,
): Edit<Attempt> | undefined {
  // This e-mail replaces those of its earlier attempts, so its text does not count their credentials as previous ones.
  const application = { ...current, ...removeCredentials(current, leased.attemptedHashes.flat()) }
  const delivered = findDelivered(application, leased, { findLatestExpiry: writer.findLatestExpiry, now: now() })
  if (!delivered) return undefined
  const { kind, terms } = delivered
  const { overlap } = leased
  const purpose = leased.purpose as DeliveryPurpose
  const attemptCount = leased.attemptCount + 1
  const hasPrevious = findNewest(application[LISTS[kind]], terms.name, now()) !== undefined
  const isRepeated = leased.attemptedHashes.flat().length > 0 || leased.claimLinks.length > 0
  const replacesEarlier = isRepeated || (purpose === 'registration' && !isFirstDelivery(leased))
  const keySet = createRegisteredKeySet(leased, now(), terms)
  const publicKeys = keySet?.keySet && formatMailedKeySet(keySet.keySet)
  const { note } = ownMembers(leased.details ?? {})
  const told = { ...(publicKeys && { publicKeys }), ...(typeof note === 'string' && { note }) }
  const described = { purpose, overlap, hasPrevious, replacesEarlier, link: undefined, ...told }

  if (delivery === 'claim-link') {
    const { plain, hash } = createClaimToken(credentials())
    const claimLinks = [{ hash, expiresAt: now() + CLAIM_LINK_LIFETIME_MS }, ...leased.claimLinks.slice(0, 1)]
    const email = nextVersion(leased, { attemptCount, claimLinks })
    const link = `${developersUrl}/register/claim#${plain}`
    return createEdit(email, () => describeDelivery(current, { ...described, link }, terms))
  }
  const minted = mintCredentials(credentials(), purpose, current, {
    apis,
    terms,
    hasKeySet: keySet !== undefined,
    now: now(),
  })
  const secret = minted.secret?.record ?? keySet
  // At most two sets remain: this one, and the previous one, which may have arrived.
  const [previous = [], ...older] = leased.attemptedHashes
  const email = nextVersion(leased, {
    attemptCount,
    attemptedHashes: [[...listHashes(minted), ...(keySet ? [keySet.hash] : [])], previous],
  })
  const { keys, secrets } = removeCredentials(current, older.flat())
  const describe = (saved: ApplicationRecord): EmailContent =>
    describeDelivery({ ...saved, contact: current.contact }, described, terms, minted)
  return createEdit(email, describe, {
    keys: minted.key ? addCredential(keys, minted.key.record, now()) : keys,
    secrets: secret ? addCredential(secrets, secret, now()) : secrets,
  })
}
