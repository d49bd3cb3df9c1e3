import type { Edit } from '../../core/applications/records/application-writer.js'
import type { ApprovalLinks } from '../../core/applications/decisions/approval-requests.js'
import { findExpiring } from '../../core/applications/credentials/credential-expiry.js'
import {
  addCredential,
  findNewest,
  listHashes,
  removeCredentials,
  LISTS,
} from '../../core/applications/credentials/credential-lists.js'
import { createRegisteredKeySet, formatRecordedKeySet } from '../../core/applications/credentials/key-sets.js'
import { mintCredentials } from '../../core/applications/credentials/credentials.js'
import { issueInvitationToken } from '../../core/applications/contacts/contact-lists.js'
import { findDelivered, isFirstDelivery, nextVersion } from '../../core/applications/queue/queued-emails.js'
import type { Api } from '../../shared/contracts/api.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { EmailContent } from '../../shared/contracts/email-content.js'
import type { DeliveryPurpose, QueuedEmail } from '../../shared/contracts/queued-email.js'
import { createClaimToken } from './claim-link.js'
import { type Recipient, describeDelivery, describeReminder, type Notice, describeNotice } from './content.js'
import type { Core } from '../../feature.js'
import { ownMembers } from '../../shared/lib/own-members.js'

/** One attempt to send an e-mail: its record, and its content once that and the application are saved. */
export interface Attempt {
  readonly email: QueuedEmail
  describe(saved: ApplicationRecord): EmailContent
}

export interface Delivering {
  readonly apis: ReadonlyMap<string, Api>
  readonly delivery: 'inline' | 'claim-link'
  readonly developersUrl: string | undefined
  readonly approvalLinks: ApprovalLinks
}

const CLAIM_LINK_LIFETIME_MS = 72 * 3600 * 1000

interface Prepared {
  readonly changed: Partial<ApplicationRecord>
  readonly attempt: Attempt
}

export function sendNotice(
  { credentials, now }: Core,
  { developersUrl, approvalLinks }: Delivering,
  leased: Notice,
  application: ApplicationRecord,
): Edit<Attempt> {
  const isInvitation = leased.purpose === 'invitation'
  const issued = isInvitation ? issueInvitationToken(application, leased, credentials(), now()) : NO_TOKEN
  const content =
    issued &&
    describeNotice(leased, application, { approvalLinks, developersUrl, invitationToken: issued.token, now: now() })
  if (!content) return { changed: {}, emails: [{ remove: leased }] }
  const email = nextVersion(leased, { attemptCount: leased.attemptCount + 1 })
  return { changed: issued.changed, emails: [{ save: email }], result: { email, describe: () => content } }
}

const NO_TOKEN = { token: undefined, changed: {} }

/** Undefined if the credential has ended or was replaced since the e-mail was queued. */
export function prepareReminder({ now }: Core, leased: QueuedEmail, application: Recipient): Prepared | undefined {
  const expiring = findExpiring(application, leased.credentialId, now())
  if (!expiring) return undefined
  const email = nextVersion(leased, { attemptCount: leased.attemptCount + 1 })
  return { changed: {}, attempt: { email, describe: () => describeReminder(application, expiring, now()) } }
}

export function prepareDelivery(
  { writer, credentials, now }: Core,
  { apis, delivery, developersUrl }: Delivering,
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
  const isRepeated = leased.attemptedHashes.flat().length > 0 || leased.claimLinks.length > 0
  const replacesEarlier = isRepeated || (purpose === 'registration' && !isFirstDelivery(leased))
  const keySet = createRegisteredKeySet(leased, now(), terms)
  const publicKeys = formatRecordedKeySet(keySet)
  const { note: given } = ownMembers(leased.details ?? {})
  const note = typeof given === 'string' ? given : undefined
  const described = { purpose, overlap, terms, hasPrevious, replacesEarlier, publicKeys, note }

  if (delivery === 'claim-link') {
    const { plain, hash } = createClaimToken(credentials())
    const claimLinks = [{ hash, expiresAt: now() + CLAIM_LINK_LIFETIME_MS }, ...leased.claimLinks.slice(0, 1)]
    const email = nextVersion(leased, { attemptCount, claimLinks })
    const link = `${developersUrl}/register/claim#${plain}`
    return { changed: {}, attempt: { email, describe: () => describeDelivery(current, { ...described, link }) } }
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
  return {
    changed: {
      keys: minted.key ? addCredential(keys, minted.key.record, now()) : keys,
      secrets: secret ? addCredential(secrets, secret, now()) : secrets,
    },
    attempt: {
      email,
      describe: (saved) => describeDelivery({ ...saved, contact: current.contact }, { ...described, minted }),
    },
  }
}
