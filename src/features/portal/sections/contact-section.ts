import { createHash } from 'node:crypto'
import {
  listContacts,
  listOpenInvitations,
  normalizeContact,
} from '../../../core/applications/contacts/contact-lists.js'
import type { Invitation } from '../../../shared/contracts/application-record.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { renderPill } from '../../../shared/web/parts.js'
import { renderRelativeTime } from '../../../shared/web/times.js'
import { isOffered, renderAction, renderHiddenFields, renderSection, type ApplicationView } from '../pages/view.js'

/** Stands for an address in the path of a page: paths are in the logs of proxies. */
export function hashAddress(address: string): string {
  return createHash('sha256').update(normalizeContact(address)).digest('hex').slice(0, 16)
}

/**
 * Whether the visitor may remove that contact. The next contact gets the e-mails with credentials after the first one, so a
 * visitor who may not make credentials cannot remove the first one, but only that one itself.
 */
export function mayRemove(view: ApplicationView, address: string): boolean {
  const isFirst =
    view.record.contact !== undefined && normalizeContact(address) === normalizeContact(view.record.contact)
  if (!isFirst || normalizeContact(address) === view.session.contact) return true
  return isOffered(view, 'rotate') || (isOffered(view, 'addKey') && isOffered(view, 'addSecret'))
}

export function renderContacts(view: ApplicationView): Html {
  const { record, now, texts } = view
  const contacts = listContacts(record)
  return renderSection(
    { id: 'colleagues', title: texts.contacts, about: texts.contactsAbout },
    html`<ul class="rows">
        ${contacts.map((address, index) => renderContact(address, { isFirst: index === 0, isOnly: contacts.length === 1 }, view))}
        ${listOpenInvitations(record, now).map((invitation) => renderInvitation(invitation, view))}
      </ul>
      ${isOffered(view, 'invite') && renderInviteForm(view)}`,
  )
}

function renderContact(
  address: string,
  { isFirst, isOnly }: { readonly isFirst: boolean; readonly isOnly: boolean },
  view: ApplicationView,
): Html {
  const { texts } = view
  const isMe = normalizeContact(address) === view.session.contact
  const path = view.link(view.record.id, 'removeContact', hashAddress(address))
  return html`<li class="row">
    <h3>${address} ${isMe && renderPill(texts.you)} ${isFirst && renderPill(texts.getsEmails, 'info')}</h3>
    ${isOffered(view, 'removeContact') && !isOnly && mayRemove(view, address) && html`<p class="actions">${renderAction(path, isMe ? texts.leave : texts.remove, isMe ? texts.thisApplication : address)}</p>`}
  </li> `
}

function renderInvitation({ address, expiresAt }: Invitation, view: ApplicationView): Html {
  const { texts } = view
  const path = view.link(view.record.id, 'cancelInvitation', hashAddress(address))
  return html`<li class="row">
    <div>
      <h3>${address} ${renderPill(texts.isInvited, 'warn')}</h3>
      <p class="facts">
        <span>${fillHtml(texts.invitationEnds, { time: renderRelativeTime(expiresAt, view.now, texts) })}</span>
      </p>
    </div>
    ${isOffered(view, 'invite') && html`<p class="actions">${renderAction(path, texts.cancel, fillText(texts.invitationOf, { address }))}</p>`}
  </li> `
}

function renderInviteForm(view: ApplicationView): Html {
  const { texts } = view
  return html`<form class="invite" method="post" action="${view.link(view.record.id, 'invite')}">
    ${renderHiddenFields(view)}
    <label for="address">${texts.addressOfContact}</label>
    <div class="together">
      <input id="address" name="address" type="email" required maxlength="254" autocomplete="off" />
      <button class="quiet">${texts.invite}</button>
    </div>
  </form>`
}
