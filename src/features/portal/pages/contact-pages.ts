import {
  findRecentInvitation,
  listContacts,
  listOpenInvitations,
  refuseContact,
  normalizeContact,
} from '../../../core/applications/contacts/contact-lists.js'
import { readRegistrationContact } from '../../../core/applications/records/validation.js'
import { formatRelativeTime } from '../../../shared/lib/relative-time.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html } from '../../../shared/web/html.js'
import { FormProblem, type ActionPage } from './action-page.js'
import { renderInputField } from '../../../shared/web/form-field.js'
import { hashAddress, mayRemove } from '../sections/contact-section.js'
import { readField } from '../../../core/http/form.js'
import type { ApplicationView } from './view.js'

export function createInvitePage(view: ApplicationView): ActionPage {
  const { texts } = view
  return {
    action: 'invite',
    heading: texts.inviteOne,
    button: texts.invite,
    render: (entered, problem) =>
      html`<p>${texts.inviteAbout}</p>
        ${renderInputField(
          { id: 'address', label: texts.address, problem },
          html`type="email" value="${readField(entered, 'address')}" required maxlength="254" autocomplete="off"`,
        )}`,
    async perform(entered, { invite, by, limitInvitation }) {
      const { record, now } = view
      if (readField(entered, 'address') === '') throw new FormProblem(texts.addressMissing, 'address')
      // A mistake counts against no limit that the address or the application shares with others.
      const address = readRegistrationContact(readField(entered, 'address'))
      refuseContact(record, address, now)
      const recent = findRecentInvitation(record, address, now)
      if (recent) {
        const seconds = Math.ceil(recent.waitMs / 1000)
        const text = fillText(texts.invitedBefore, { wait: formatRelativeTime(seconds, texts.language) })
        throw new FormProblem(text, 'address', seconds)
      }
      await limitInvitation(record.id, address)
      await invite(record.id, address, { by })
      return { done: 'invited' }
    },
  }
}

/** Undefined if no such contact can be removed: one remains, and the first one may have to stay. */
export function createRemovePage(view: ApplicationView, hash: string): ActionPage | undefined {
  const contacts = listContacts(view.record)
  const address = contacts.find((each) => hashAddress(each) === hash)
  if (address === undefined || contacts.length === 1) return undefined
  if (!mayRemove(view, address)) return undefined
  const isMe = normalizeContact(address) === view.session.contact
  const { texts } = view
  return {
    action: 'removeContact',
    heading: isMe ? fillText(texts.leaveIt, { name: view.record.name }) : texts.removeOne,
    button: isMe ? texts.leave : texts.remove,
    render: () =>
      html`<p>${fillHtml(texts.removeAbout, { address: html`<strong>${address}</strong>` })}</p>
        <p class="notice warn">${texts.keepWorking[isMe ? 'mine' : 'others']}</p>`,
    async perform(_entered, { applications, by }) {
      await applications.removeContact(view.record.id, address, { by })
      return isMe ? { left: 'left' } : { done: 'removed' }
    },
  }
}

export function createCancelPage(view: ApplicationView, hash: string): ActionPage | undefined {
  const invitation = listOpenInvitations(view.record, view.now).find(({ address }) => hashAddress(address) === hash)
  if (!invitation) return undefined
  const { texts } = view
  return {
    action: 'invite',
    heading: texts.cancelIt,
    render: () =>
      html`<p>${fillHtml(texts.cancelAbout, { address: html`<strong>${invitation.address}</strong>` })}</p>`,
    async perform(_entered, { applications, by }) {
      await applications.cancelInvitation(view.record.id, invitation.address, { by })
      return { done: 'cancelled' }
    },
  }
}
