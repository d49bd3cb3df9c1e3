import type { ApiSettings } from '../../../core/options/settings.js'
import type { ApplicationWriter } from '../../../core/applications/records/application-writer.js'
import { type PortalAction, isPossible } from '../portal-options.js'
import { countChanges, type ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { RegistrationOffer } from '../../../shared/contracts/offers.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { Tone } from '../../../shared/web/look.js'
import { renderNotice } from '../../../shared/web/parts.js'
import type { PortalSession } from '../sign-in/session.js'
import { renderCsrf } from './page.js'
import type { PortalTexts } from '../texts/languages.js'

export interface ApplicationView {
  readonly record: ApplicationRecord
  readonly session: PortalSession
  readonly address: string | undefined
  readonly texts: PortalTexts
  readonly apis: readonly ApiSettings[]
  readonly actions: ReadonlySet<PortalAction>
  readonly terms: RegistrationOffer['terms']
  readonly link: Links
  readonly developersUrl: string
  readonly supportUrl: string | undefined
  readonly findLatestExpiry: ApplicationWriter['findLatestExpiry']
  readonly internalHosts: readonly string[]
  readonly now: number
}

export function isOffered({ record, actions }: Pick<ApplicationView, 'record' | 'actions'>, action: PortalAction) {
  return actions.has(action) && isPossible(action, record)
}

export function findTitle({ apis }: ApplicationView, api: string): string {
  return apis.find(({ name }) => name === api)?.title ?? api
}

/** The hidden fields of every form. `version` counts the shown record's changes: a form that is sent late changes nothing. */
export function renderHiddenFields({ session, record }: Pick<ApplicationView, 'session' | 'record'>): Html {
  return html`${renderCsrf(session)} <input type="hidden" name="version" value="${countChanges(record)}" />`
}

export function renderSection(
  section: Record<'id' | 'about', string> & { readonly title: Html | string; readonly beside?: Html | false },
  content: Html,
): Html {
  const { id, title, about, beside } = ownMembers(section)
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title">
    <header>
      <div>
        <h2 id="${id}-title">${title}</h2>
        <p class="soft">${about}</p>
      </div>
      ${beside && html`<p class="actions">${beside}</p>`}
    </header>
    ${content}
  </section> `
}

/** A link that looks like a small button. `subject` tells screen readers what it is for. */
export function renderAction(href: string, label: string, subject: string, kind = ''): Html {
  return html`<a class="action ${kind}" href="${href}">${label}<span class="unseen"> ${subject}</span></a> `
}

/** A notice with what is to be done. */
export function renderAsk(text: Html | string, action: Html | false, tone: Tone): Html {
  return renderNotice(
    html`<div class="row">
      <p>${text}</p>
      ${action}
    </div>`,
    tone,
  )
}

export function renderTotal(term: Html, value: Html | string, note?: Html | false): Html {
  return html`<div>
    ${term}
    <dd>${value}</dd>
    ${note && html`<dd>${note}</dd>`}
  </div>`
}

/** The paths of pages below that of the application. `*` stands for what the page is about, such as a credential. */
const PATHS = {
  addKey: 'credentials/new-key',
  addSecret: 'credentials/new-secret',
  addKeySet: 'credentials/new-key-set',
  replaceKeySet: 'credentials/*/keys',
  reloadKeySet: 'credentials/*/reload',
  rename: 'credentials/*/rename',
  rotate: 'credentials/*/rotate',
  end: 'credentials/*/end',
  requestAccess: 'apis/*/request',
  revokeTokens: 'tokens/revoke',
  invite: 'colleagues/invite',
  removeContact: 'colleagues/*/remove',
  cancelInvitation: 'invitations/*/cancel',
  acceptTerms: 'terms',
  networks: 'networks',
  delete: 'delete',
  download: 'download',
} as const

export type PageName = keyof typeof PATHS

export type Links = (applicationId: string, page?: PageName, subject?: string) => string

export function createLinks(root: string): Links {
  return (applicationId, page, subject = '') => {
    const path = page === undefined ? '' : `/${PATHS[page].replace('*', () => encodeURIComponent(subject))}`
    return `${root}/${encodeURIComponent(applicationId)}${path}`
  }
}

export function findPage(path: readonly string[]): { readonly page: PageName; readonly subject: string } | undefined {
  const names = Object.keys(PATHS) as PageName[]
  const page = names.find((name) => {
    const segments = PATHS[name].split('/')
    return segments.length === path.length && segments.every((each, at) => each === '*' || each === path[at])
  })
  return page && { page, subject: path[PATHS[page].split('/').indexOf('*')] ?? '' }
}
