import { createDeletePage, createRequestPage, createRevokePage } from './access-pages.js'
import type { ActionPage } from './action-page.js'
import type { PortalApi } from '../sections/api-section.js'
import { createCancelPage, createInvitePage, createRemovePage } from './contact-pages.js'
import { findCredentialPage } from './credential-pages.js'
import { createTermsPage } from './terms-page.js'
import { createNetworksPage } from './network-page.js'
import type { ApplicationView } from './view.js'

/** The page of an action by its path below that of the application; undefined if there is none. */
export function findActionPage(
  view: ApplicationView,
  apis: readonly PortalApi[],
  path: readonly string[],
): ActionPage | undefined {
  const [part = '', subject = '', action = '', ...more] = path
  if (more.length > 0) return undefined
  switch (part) {
    case 'credentials':
      return findCredentialPage(view, subject, action)
    case 'apis':
      return action === 'request'
        ? createRequestPage(
            view,
            apis.find(({ name }) => name === subject),
          )
        : undefined
    case 'tokens':
      return subject === 'revoke' && action === '' ? createRevokePage(view) : undefined
    case 'colleagues':
      if (subject === 'invite' && action === '') return createInvitePage(view)
      return action === 'remove' ? createRemovePage(view, subject) : undefined
    case 'invitations':
      return action === 'cancel' ? createCancelPage(view, subject) : undefined
    case 'terms':
      return path.length === 1 ? createTermsPage(view) : undefined
    case 'networks':
      return path.length === 1 ? createNetworksPage(view) : undefined
    case 'delete':
      return path.length === 1 ? createDeletePage(view) : undefined
    default:
      return undefined
  }
}
