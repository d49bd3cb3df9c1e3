import type { ApplicationRecord, JsonObject } from '../../../shared/contracts/application-record.js'
import type { ContactChange, ContactChangeType } from '../../../shared/contracts/email-content.js'
import type { EventType, NewAuditRecord } from '../../../shared/contracts/events.js'
import type { EmailChange, QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Store } from '../../../shared/contracts/store.js'
import { findContact, isSameContact, listContacts, listOpenInvitations } from '../contacts/contact-lists.js'
import {
  createQueuedEmail,
  MAX_CHANGES_EMAILS,
  nextVersion,
  readDetails,
  readEmailId,
  requeueEmail,
} from './queued-emails.js'

interface SavedChange {
  readonly type: EventType | undefined
  readonly by: string | undefined
  readonly details: NewAuditRecord['details']
  readonly emails: readonly EmailChange[]
  readonly now: number
}

/** Changes of this time are collected in one e-mail to each contact. */
const COLLECTING_MS = 10 * 60_000

/** The given changes of e-mails, and notifications: queued in the change's transaction, so that neither is stored alone. */
export async function notifyContacts(
  store: Pick<Store, 'emails'>,
  former: ApplicationRecord,
  record: ApplicationRecord,
  saved: SavedChange,
): Promise<readonly EmailChange[]> {
  const { emails, now } = saved
  const notifications = listNotifications(former, record, saved)
  const erases = emails.includes('removeAll')
  if (!store.emails || (notifications.length === 0 && !erases)) return emails
  const query = { applicationId: record.id, purpose: 'changes', state: undefined, limit: MAX_CHANGES_EMAILS } as const
  const changedIds = emails.map(readEmailId)
  // A process that is sending one has read its text already.
  const queued = (await store.emails.list(query)).filter(
    ({ id, leasedUntil }) => leasedUntil <= now && !changedIds.includes(id),
  )
  const saves = notifications.map(({ recipient, changes }): EmailChange | undefined => {
    const earlier = queued.find((email) => isSameContact(email.recipient ?? '', recipient))
    if (earlier && !erases) return { save: append(earlier, former.name, changes, now) }
    if (!earlier && queued.length >= MAX_CHANGES_EMAILS) return undefined
    return { save: createChangesEmail(record.id, recipient, describe(recipient, former.name, changes, earlier), now) }
  })
  // A contact who was removed before the deletion still gets the notification of the removal.
  const kept = erases ? queued.filter(({ recipient = '' }) => findContact(former, recipient) === undefined) : []
  return [
    ...emails,
    ...saves.filter((change) => change !== undefined),
    ...kept.map(({ recipient = '', details, createdAt }) => ({
      save: createChangesEmail(record.id, recipient, details, createdAt - COLLECTING_MS),
    })),
  ]
}

function listNotifications(former: ApplicationRecord, record: ApplicationRecord, saved: SavedChange) {
  const contacts = listContacts(former)
  const [, contact = ''] = /^contact:(.+)$/.exec(saved.by ?? '') ?? []
  // One who accepts an invitation has become a contact just now.
  const actor = findContact(former, contact) ?? findContact(record, contact)
  if (actor === undefined) {
    // `update` corrects an address, and `recover` takes an application back: the former mailbox may be a stranger's.
    if (saved.type !== 'application.contactRemoved') return []
    const removals = listRemoved(former, record).map((address) => ({ type: 'contactRemoved', address }) as const)
    return removals.map((removal) => ({ recipient: removal.address, changes: [{ ...removal, at: saved.now }] }))
  }
  const changes = listChanges(former, record, saved).map((change) => ({ ...change, at: saved.now, by: actor }))
  if (changes.length === 0) return []
  return contacts.filter((each) => !isSameContact(each, actor)).map((recipient) => ({ recipient, changes }))
}

function listRemoved(former: ApplicationRecord, record: ApplicationRecord): readonly string[] {
  return listContacts(former).filter((address) => findContact(record, address) === undefined)
}

type StoredChange = {
  readonly type: ContactChangeType
  readonly at: number
  readonly by?: string
  readonly credential?: NonNullable<ContactChange['credential']>
  readonly address?: string
}

const CREDENTIAL_CHANGES: Partial<Record<EventType, ContactChangeType>> = {
  'application.credentialAdded': 'credentialAdded',
  'application.credentialRotated': 'credentialRotated',
  'application.credentialUpdated': 'credentialUpdated',
  'application.credentialEnded': 'credentialEnded',
}

function listChanges(
  former: ApplicationRecord,
  record: ApplicationRecord,
  { type, details, now }: SavedChange,
): readonly Omit<StoredChange, 'at' | 'by'>[] {
  if (record.status === 'deleted') return [{ type: 'deleted' }]
  const isUpdate = type === 'application.credentialUpdated'
  // Only other keys of a key set are in the details.
  const hasOtherKeys = isUpdate && readDetails({ details })['keySet'] !== undefined
  const credentialChange = hasOtherKeys ? 'keySetChanged' : type && CREDENTIAL_CHANGES[type]
  const list = (change: ContactChangeType, addresses: readonly string[]) =>
    addresses.map((address) => ({ type: change, address }))
  const invited = listOpenInvitations(record, now)
    .filter((each) => type === 'application.contactInvited' && !former.invitations.includes(each))
    .map(({ address }) => address)
  return [
    ...(credentialChange ? [{ type: credentialChange, credential: readCredential(details) }] : []),
    ...(record.tokensRevokedAt === former.tokensRevokedAt ? [] : [{ type: 'tokensRevoked' } as const]),
    ...(record.networks === former.networks ? [] : [{ type: 'networksChanged' } as const]),
    ...list('contactRemoved', listRemoved(former, record)),
    ...list('contactAdded', listRemoved(record, former)),
    ...list('contactInvited', invited),
  ]
}

function readCredential(details: NewAuditRecord['details']): NonNullable<StoredChange['credential']> {
  const { credential, name, formerName } = readDetails({ details })
  return {
    kind: credential === 'secret' || credential === 'keySet' ? credential : 'key',
    name: String(name),
    ...(typeof formerName === 'string' && { formerName }),
  }
}

function createChangesEmail(
  applicationId: string,
  recipient: string,
  details: JsonObject | undefined,
  now: number,
): QueuedEmail {
  return createQueuedEmail(applicationId, 'changes', now + COLLECTING_MS, { recipient, details })
}

function append(email: QueuedEmail, name: string, changes: readonly StoredChange[], now: number): QueuedEmail {
  const details = describe(email.recipient ?? '', name, changes, email)
  const next = email.state === 'failed' ? requeueEmail(email, now + COLLECTING_MS) : nextVersion(email)
  return { ...next, details }
}

/** Enough for what people do in this time. */
const MAX_LISTED_CHANGES = 20

/** What the e-mail is stored with. The name, because it is erased with the application. */
function describe(
  recipient: string,
  name: string,
  changes: readonly StoredChange[],
  earlier: QueuedEmail | undefined,
): JsonObject {
  const former = readChanges(earlier)
  const listed = [...former.changes, ...changes]
  let more = former.more
  while (listed.length > MAX_LISTED_CHANGES) {
    const ranks = listed.map((change) => rank(change, recipient))
    listed.splice(ranks.lastIndexOf(Math.max(...ranks)), 1)
    more += 1
  }
  return { name, changes: listed, more }
}

const RANKS: Readonly<Record<ContactChangeType, number>> = {
  deleted: 0,
  contactRemoved: 1,
  contactAdded: 1,
  credentialAdded: 2,
  credentialRotated: 2,
  contactInvited: 2,
  credentialEnded: 3,
  tokensRevoked: 3,
  networksChanged: 3,
  credentialUpdated: 4,
  keySetChanged: 2,
}

/** The greater, the less important: nobody hides a removal behind a hundred other changes. */
function rank({ type, address }: StoredChange, recipient: string): number {
  return type === 'contactRemoved' && isSameContact(address ?? '', recipient) ? 0 : RANKS[type]
}

function readChanges(email: Pick<QueuedEmail, 'details'> | undefined) {
  const { name, changes, more } = readDetails(email)
  return {
    name: typeof name === 'string' ? name : '',
    changes: (Array.isArray(changes) ? changes : []) as readonly StoredChange[],
    more: typeof more === 'number' ? more : 0,
  }
}

export function readChangesEmail(email: QueuedEmail) {
  const { changes, ...others } = readChanges(email)
  return {
    ...others,
    changes: changes.map((change) => {
      const { type, at, by, credential, address } = readDetails({ details: change }) as StoredChange
      const isRecipient = address !== undefined && isSameContact(address, email.recipient ?? '')
      return { type, at: new Date(at), by, credential, address, isRecipient }
    }),
  }
}
