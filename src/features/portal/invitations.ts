import { isBelow } from './sign-in/sign-in.js'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { ApplicationRecord, Invitation } from '../../shared/contracts/application-record.js'
import type { Store } from '../../shared/contracts/store.js'
import { toApplication } from '../../core/applications/records/application-info.js'
import {
  readInvitedApplication,
  describeContactActor,
  endInvitations,
  isSameContact,
  listOpenInvitations,
  refuseContact,
} from '../../core/applications/contacts/contact-lists.js'
import type { ActorOptions } from '../../core/applications/call-options.js'
import { addContactTo } from '../../core/applications/contacts/contacts.js'
import { createQueuedEmail } from '../../core/applications/queue/queued-emails.js'
import { refuseUnlessActive } from '../../core/applications/records/status.js'
import { readRegistrationContact } from '../../core/applications/records/validation.js'
import type { Core } from '../../feature.js'
import { removeTag } from '../../shared/lib/email-address.js'
import type { RateLimits } from '../../core/rate-limits/rate-limits.js'

const INVITATION_LIFETIME_MS = 7 * 24 * 3600 * 1000

export function createInvitations(
  options: Pick<Core, 'writer' | 'opened' | 'wakeSender' | 'now'> & {
    readonly store: Store
  },
  writer = options.writer,
) {
  const { store, opened, wakeSender, now } = options

  return {
    async invite(id: string, given: string, { by }: ActorOptions = {}) {
      const address = readRegistrationContact(given)
      await opened()
      const { record } = await writer.change(id, { type: 'application.contactInvited', by }, async (current) => {
        refuseUnlessActive(current, 'invite')
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
      wakeSender()
      return toApplication(record, now())
    },
    /** Makes the invited a contact and ends the invitation, in one commit; undefined for a token that is not open. */
    async acceptInvitation(token: string, origin: RequestOrigin | undefined) {
      const id = readInvitedApplication(token)
      if (id === undefined) return undefined
      const hash = (await opened()).hash(token)
      const found = await store.findApplication(id)
      const invited = found && findInvitation(found, hash, now())
      if (!invited) return undefined
      const event = { type: 'application.contactAdded', by: describeContactActor(invited.address), origin } as const
      const accepted = await writer.change(id, event, async (current) => {
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

function findInvitation(current: ApplicationRecord, hash: string, now: number): Invitation | undefined {
  if (current.status !== 'active') return undefined
  return listOpenInvitations(current, now).find(({ hashes }) => hashes.includes(hash))
}

/** Contacts are named in the e-mail. What operators pass as `by` is for the audit log only. */
function describeActor(by: string | undefined): { invitedBy: string } | undefined {
  const [, address] = /^contact:(.+)$/.exec(by ?? '') ?? []
  return address === undefined ? undefined : { invitedBy: address }
}

/** Bounds the e-mails that contacts send to addresses of their choice. Both calls reject with `too_many_requests`. */
export function createInvitationLimits({ create }: Pick<RateLimits, 'create'>) {
  const perHour = (limit: number) => ({ limit, window: 3600 })
  const contacts = create('invitations', perHour(20), { untrustedKeys: true })
  const applications = create('invitationsOfApplication', perHour(20), { untrustedKeys: true })
  const addresses = create('invitationsToAddress', perHour(5), { untrustedKeys: true })
  // The first ones of an application are not counted in all, so that no stranger uses up those of others.
  const reserved = create('reservedInvitations', perHour(2), { untrustedKeys: true })
  const all = create('allInvitations', perHour(200))

  return {
    /** Counts a form that a contact sends, whether or not it leads to an e-mail. */
    async countAttempt(contact: string): Promise<void> {
      await contacts?.(contact)
    },
    /** Counts an invitation: by the application, by the address, and by all together. */
    async limitInvitation(applicationId: string, address: string): Promise<void> {
      await applications?.(applicationId)
      // Whatever stands behind a plus sign, the e-mail arrives in one mailbox.
      await addresses?.(removeTag(address).toLowerCase())
      if (!(await isBelow(reserved, applicationId))) await all?.('all')
    },
  }
}
