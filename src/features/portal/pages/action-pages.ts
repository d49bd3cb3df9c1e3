import type { PortalApi } from '../sections/api-section.js'
import { createDeletePage, createRequestPage, createRevokePage } from './access-pages.js'
import type { ActionPage } from './action-page.js'
import { createCancelPage, createInvitePage, createRemovePage } from './contact-pages.js'
import { createAddPage, createEndPage, createRenamePage, createRotatePage } from './credential-pages.js'
import { createNetworksPage } from './network-page.js'
import type { PageName } from './page-links.js'
import { createTermsPage } from './terms-page.js'
import type { ApplicationView } from './view.js'

/** Creates the page of an action; undefined if there is nothing like its subject, or it has no such page. */
type CreateActionPage = (view: ApplicationView, subject: string, apis: readonly PortalApi[]) => ActionPage | undefined

export const ACTION_PAGES: Readonly<Record<Exclude<PageName, 'download'>, CreateActionPage>> = {
  addKey: (view) => createAddPage(view, 'key'),
  addSecret: (view) => createAddPage(view, 'secret'),
  rename: createRenamePage,
  rotate: createRotatePage,
  end: createEndPage,
  requestAccess: (view, subject, apis) =>
    createRequestPage(
      view,
      apis.find(({ name }) => name === subject),
    ),
  revokeTokens: createRevokePage,
  invite: createInvitePage,
  removeContact: createRemovePage,
  cancelInvitation: createCancelPage,
  acceptTerms: createTermsPage,
  networks: createNetworksPage,
  delete: createDeletePage,
}
