import { randomBytes } from 'node:crypto'
import { ConfigurationError } from '../../contracts/errors.js'
import type { RequestOrigin } from '../../contracts/events.js'
import type { ApplicationRecord, Invitation } from '../../contracts/application-record.js'
import type { QueuedEmail } from '../../contracts/queued-email.js'
import type { Store } from '../../contracts/store.js'
import type { ApplicationWriter } from '../records/application-writer.js'
import { toApplication } from '../records/application-info.js'
import type { Applications } from '../applications-api.js'
import {
  describeContactActor,
  endInvitations,
  isSameContact,
  listOpenInvitations,
  refuseContact,
} from './contact-lists.js'
import { addContactTo } from './contacts.js'
import type { Credentials } from '../credentials/credentials.js'
import { requireMailer } from '../queue/email-outbox.js'
import { createQueuedEmail } from '../queue/queued-emails.js'
import { refuseUnlessActive } from '../records/status.js'
import { readRegistrationContact } from '../records/validation.js'

/**
 * Makes the invited person a contact and ends the invitation, in one commit; undefined if the token is not that of an open
 * invitation to an active application.
 */
export type AcceptInvitation = (
  token: string,
  origin: RequestOrigin | undefined,
) => Promise<AcceptedInvitation | undefined>

export interface AcceptedInvitation {
  readonly applicationId: string
  readonly applicationName: string
  /** The contact's address, as it was invited. */
  readonly address: string
}

interface InvitationsOptions {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  readonly hasMailer: boolean
  /** The address of the link in the e-mail; undefined if there is no portal. */
  readonly portalUrl: string | undefined
  /** Called when an e-mail has become due. */
  readonly onEmailDue: () => void
  readonly now: () => number
}

const INVITATION_LIFETIME_MS = 7 * 24 * 3600 * 1000

export function createInvitations(options: InvitationsOptions): Pick<Applications, 'inviteContact'> & {
  /** The calls for the portal. */
  readonly acceptInvitation: AcceptInvitation
} {
  const { store, writer, opened, hasMailer, portalUrl, onEmailDue, now } = options

  return {
    async inviteContact(id, given, { by } = {}) {
      requireMailer(hasMailer, 'inviteContact')
      requirePortal(portalUrl)
      const address = readRegistrationContact(given)
      await opened()
      const { record } = await writer.change(id, { type: 'application.contactInvited', by }, async (current) => {
        refuseUnlessActive(current, 'inviteContact')
        refuseContact(current, address, now())
        // An earlier invitation of the same address is replaced: its link no longer works.
        const ended = await endInvitations(store, current, now(), (each) => isSameContact(each.address, address))
        const createdAt = now()
        const invitation = { address, hashes: [], createdAt, expiresAt: createdAt + INVITATION_LIFETIME_MS, by }
        const invitations = [...ended.changed.invitations, invitation]
        const email = createQueuedEmail(id, 'invitation', createdAt, { recipient: address, details: describeActor(by) })
        return {
          changed: { invitations },
          details: { invitations: listOpenInvitations({ ...current, invitations }, createdAt).length },
          emails: [...ended.emails, { save: email }],
        }
      })
      onEmailDue()
      return toApplication(record, now())
    },
    async acceptInvitation(token, origin) {
      const [, id] = TOKEN.exec(token) ?? []
      if (id === undefined) return undefined
      const hash = (await opened()).hash(token)
      const found = await store.findApplication(id)
      const invited = found && findInvitation(found, hash, now())
      if (!invited) return undefined
      const event = { type: 'application.contactAdded', by: describeContactActor(invited.address), origin } as const
      const accepted = await writer.change<AcceptedInvitation>(id, event, async (current) => {
        // Check again: another request may have used the link.
        const invitation = findInvitation(current, hash, now())
        if (!invitation) return undefined
        const { address } = invitation
        const edit = await addContactTo(store, current, address, now())
        return {
          ...edit,
          details: { ...edit.details, invited: true },
          result: { applicationId: id, applicationName: current.name, address },
        }
      })
      return accepted?.result
    },
  }
}

/** The application's id, so that no index is needed, and 256 random bits. */
const TOKEN = /^(app_[0-9a-f]{32})\.[A-Za-z0-9_-]{43}$/

function findInvitation(current: ApplicationRecord, hash: string, now: number): Invitation | undefined {
  if (current.status !== 'active') return undefined
  return listOpenInvitations(current, now).find(({ hashes }) => hashes.includes(hash))
}

/**
 * A new token for the link of an invitation, and what it changes of the application; undefined if the invitation has ended.
 * The token of the previous attempt stays valid, because that e-mail may have arrived.
 */
export function issueInvitationToken(
  current: ApplicationRecord,
  { recipient = '' }: QueuedEmail,
  credentials: Pick<Credentials, 'hash'>,
  now: number,
): { readonly token: string; readonly changed: Pick<ApplicationRecord, 'invitations'> } | undefined {
  const open = listOpenInvitations(current, now).find(({ address }) => isSameContact(address, recipient))
  if (!open) return undefined
  const token = `${current.id}.${randomBytes(32).toString('base64url')}`
  const issued = { ...open, hashes: [credentials.hash(token), ...open.hashes.slice(0, 1)] }
  return { token, changed: { invitations: current.invitations.map((each) => (each === open ? issued : each)) } }
}

/** Contacts are named in the e-mail. What operators pass as `by` is for the audit log only. */
function describeActor(by: string | undefined): { invitedBy: string } | undefined {
  const [, address] = /^contact:(.+)$/.exec(by ?? '') ?? []
  return address === undefined ? undefined : { invitedBy: address }
}

function requirePortal(portalUrl: string | undefined): void {
  if (portalUrl !== undefined) return
  throw new ConfigurationError({
    problem: 'inviteContact: there is no portal for the link in the e-mail',
    fix: 'Give the option developersUrl, such as "https://api.example.com/developers", and do not set portal: false.',
  })
}
