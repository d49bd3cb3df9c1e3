import type { ApplicationRecord, CredentialRecord, KeySetOutage } from '../../../shared/contracts/application-record.js'
import type { Emit, EventType } from '../../../shared/contracts/events.js'
import type { Logger } from '../../../shared/contracts/logger.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { ConcurrencyLimit } from '../../../shared/lib/concurrency-limit.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import type { AddressState, PublishedKeySet } from '../../key-sets/key-set-cache.js'
import { findContact, listContacts } from '../contacts/contact-lists.js'
import { createQueuedEmail } from '../queue/queued-emails.js'
import type { ApplicationWriter } from '../records/application-writer.js'
import { hasOwnMember, ownMembers } from '../../../shared/lib/own-members.js'

/** Contacts get an e-mail about an address that has not answered for so long: most servers answer again before. */
const NOTICE_AFTER_MS = 3600_000
/** Known keys go on for so long after they were read. */
const KEYS_GO_ON_MS = DAY_MS

/** Kept with the record, so that all processes know an outage, and one of them tells of its beginning, its end and its effect. */
export function createKeySetOutages(options: {
  readonly writer: Pick<ApplicationWriter, 'change'>
  readonly limitChanges: ConcurrencyLimit
  readonly wakeSender: () => void
  readonly emit: Emit
  readonly logger: Pick<Logger, 'warn'>
  readonly now: () => number
}) {
  const { writer, limitChanges, wakeSender, emit, logger, now } = options
  async function save(id: string, read: CredentialRecord, state: AddressState): Promise<void> {
    const credentialId = read.id
    const changed = await writer.change(id, { type: undefined }, (current) => {
      const credential = current.secrets.find((each) => each.id === credentialId)
      // Replaced meanwhile: what was read at the former address, its keys above all, says nothing of the new one.
      const isSame = credential && isOneAddress(credential, read)
      const step = current.status === 'active' && isSame && findStep(credential, state, now())
      if (!step) return undefined
      const { keySet, notice, event } = ownMembers(step)
      const secrets = current.secrets.map((each) => (each === credential ? { ...each, keySet } : each))
      const emails = notice
        ? listContacts(current).map((recipient) => ({
            save: createQueuedEmail(id, 'keySetOutage', now(), { recipient, credentialId, details: { notice } }),
          }))
        : []
      return { changed: { secrets }, emails, result: { event, tells: emails.length > 0 } }
    })
    if (changed?.result?.event) emit(changed.result.event, { applicationId: id, reason: state.problem })
    if (changed?.result?.tells) wakeSender()
  }

  return {
    /** Notes what an attempt to read the address has shown. Never rejects: a request goes on without it. */
    async note({ id, status }: ApplicationRecord, credential: CredentialRecord, state: AddressState | undefined) {
      if (!state || status !== 'active' || !findStep(credential, state, now())) return
      try {
        await limitChanges(id, () => save(id, credential, state))
      } catch (error) {
        logger.warn(`An outage of a key set of application ${id} could not be noted.`, error)
      }
    },
  }
}

interface Step {
  readonly keySet: PublishedKeySet
  readonly notice?: NonNullable<KeySetOutage['notice']>
  readonly event?: EventType
}

function isOneAddress({ keySet: one }: CredentialRecord, { keySet: other }: CredentialRecord): boolean {
  if (!one || !other || !hasOwnMember(one, 'address') || !hasOwnMember(other, 'address')) return false
  return one.address === other.address && one.byOperator === other.byOperator
}

function findStep(
  { keySet }: CredentialRecord,
  { problem, keys, readAt }: AddressState,
  now: number,
): Step | undefined {
  if (!keySet || !hasOwnMember(keySet, 'address')) return undefined
  const { outage, ...others } = keySet
  if (problem === undefined)
    // What was read before the outage was noticed is no end of it.
    return outage && (readAt ?? 0) > outage.since ? { keySet: others, event: 'keySet.available' } : undefined
  if (!outage) {
    const begun = { since: now, ...(keys && readAt !== undefined && { keys, readAt }) }
    return { keySet: { ...others, outage: begun }, event: 'keySet.unavailable' }
  }
  const notice = findEnd(outage) <= now ? 'refused' : 'goesOn'
  if (now < outage.since + NOTICE_AFTER_MS || outage.notice === notice || outage.notice === 'refused') return undefined
  // An address that fails again and again fills no mailbox.
  if (outage.notice === undefined && now < (keySet.notifiedAt ?? 0) + DAY_MS) return undefined
  return { keySet: { ...others, outage: { ...outage, notice }, notifiedAt: now }, notice }
}

/** When the keys that are known are refused; the beginning of the outage if none are. */
function findEnd({ since, readAt }: KeySetOutage): number {
  return readAt === undefined ? since : readAt + KEYS_GO_ON_MS
}

/** What such an e-mail tells, at the time when it is sent; undefined if the address can be read again, or the recipient is no contact any more. */
export function describeOutage({ recipient, credentialId, details }: QueuedEmail, application: ApplicationRecord) {
  const credential = application.secrets.find(({ id }) => id === credentialId)
  const keySet = credential?.keySet
  if (!credential || !keySet || !hasOwnMember(keySet, 'address') || !keySet.outage || application.status !== 'active')
    return undefined
  if (recipient === undefined || findContact(application, recipient) === undefined) return undefined
  return {
    to: recipient,
    keySet: { name: credential.name, jwksUri: keySet.address },
    since: new Date(keySet.outage.since),
    refusedFrom: new Date(findEnd(keySet.outage)),
    isRefused: details?.['notice'] === 'refused',
  }
}
