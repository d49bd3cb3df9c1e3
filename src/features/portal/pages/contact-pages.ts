import {
  findRecentInvitation,
  listContacts,
  listOpenInvitations,
  refuseContact,
  normalizeContact,
} from '../../../applications/contacts/contact-lists.js'
import { readRegistrationContact } from '../../../applications/records/validation.js'
import { OAuthError, retryAfter } from '../../../contracts/denial.js'
import { formatWait } from '../../../lib/format-wait.js'
import { html } from '../../../web/html.js'
import { FormProblem, renderActionForm, type ActionPage } from './action-page.js'
import { hashAddress, mayRemove } from '../sections/contact-section.js'
import { readField } from '../form-fields.js'
import type { ApplicationView } from './view.js'

export function createInvitePage(view: ApplicationView): ActionPage {
  return {
    action: 'invite',
    heading: 'Invite a colleague',
    render: (entered) =>
      renderActionForm(view, {
        button: 'Invite',
        content: html`<p>
            Whoever follows the link in the e-mail may see and change this application as you may. The link works for 7
            days.
          </p>
          <div class="field">
            <label for="address">E-mail address</label>
            <input
              id="address"
              name="address"
              type="email"
              value="${readField(entered, 'address')}"
              required
              maxlength="254"
              autocomplete="off"
            />
          </div>`,
      }),
    async perform(entered, { invite, by, limitInvitation }) {
      const { record, now } = view
      if (readField(entered, 'address') === '') throw new FormProblem('Enter an e-mail address.')
      // A mistake counts against no limit that the address or the application shares with others.
      const address = readRegistrationContact(readField(entered, 'address'))
      refuseContact(record, address, now)
      const recent = findRecentInvitation(record, address, now)
      if (recent) throw createTooEarlyError(Math.ceil(recent.waitMs / 1000))
      await limitInvitation(record.id, address)
      await invite(record.id, address, { by })
      return { done: 'invited' }
    },
  }
}

function createTooEarlyError(seconds: number): OAuthError {
  return new OAuthError(
    'too_many_requests',
    `This address was invited less than an hour ago. Ask your colleague to look for that e-mail, or try again in ${formatWait(seconds)}`,
    { headers: retryAfter(seconds) },
  )
}

/** Undefined if no such contact can be removed: one remains, and the first one may have to stay. */
export function createRemovePage(view: ApplicationView, hash: string): ActionPage | undefined {
  const contacts = listContacts(view.record)
  const address = contacts.find((each) => hashAddress(each) === hash)
  if (address === undefined || contacts.length === 1) return undefined
  if (!mayRemove(view, address)) return undefined
  const isMe = normalizeContact(address) === view.session.contact
  return {
    action: 'removeContact',
    heading: isMe ? `Leave ${view.record.name}` : 'Remove a colleague',
    render: () =>
      renderActionForm(view, {
        button: isMe ? 'Leave' : 'Remove',
        isDestructive: true,
        content: html`<p>
            <strong>${address}</strong> can no longer see or change this application, and is signed out where this is
            the only one.
          </p>
          <p class="note">
            Credentials that ${isMe ? 'you know' : 'this person knows'} keep working. Rotate them if that must not be.
          </p>`,
      }),
    async perform(_entered, { applications, by }) {
      await applications.removeContact(view.record.id, address, { by })
      return isMe ? { left: 'left' } : { done: 'removed' }
    },
  }
}

/** Undefined if there is no such invitation. */
export function createCancelPage(view: ApplicationView, hash: string): ActionPage | undefined {
  const invitation = listOpenInvitations(view.record, view.now).find(({ address }) => hashAddress(address) === hash)
  if (!invitation) return undefined
  return {
    action: 'invite',
    heading: 'Cancel an invitation',
    render: () =>
      renderActionForm(view, {
        button: 'Cancel the invitation',
        isDestructive: true,
        content: html`<p>The link that was sent to <strong>${invitation.address}</strong> no longer works.</p>`,
      }),
    async perform(_entered, { applications, by }) {
      await applications.cancelInvitation(view.record.id, invitation.address, { by })
      return { done: 'cancelled' }
    },
  }
}
