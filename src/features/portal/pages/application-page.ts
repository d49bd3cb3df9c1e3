import type { ApplicationRecord } from '../../../contracts/application-record.js'
import { html, type Html } from '../../../web/html.js'
import { renderApis, type PortalApi } from '../sections/api-section.js'
import { renderStatus } from './applications-page.js'
import { renderContacts } from '../sections/contact-section.js'
import { renderCredentials } from '../sections/credential-section.js'
import type { DailyUsage, CountedRefusal } from '../../../contracts/offers.js'
import { renderRefusals } from '../sections/refusal-section.js'
import { renderDate } from './times.js'
import { renderUsage } from '../sections/usage-section.js'
import { offers, renderAction, renderSection, type ApplicationView } from './view.js'

export interface ApplicationPageOptions extends ApplicationView {
  readonly apis: readonly PortalApi[]
  /** The usage of the last 30 days; undefined if the platform stores no usage. */
  readonly usage: readonly DailyUsage[] | undefined
  /** Newest first; undefined if the platform stores no refusals. */
  readonly refusals: readonly CountedRefusal[] | undefined
}

/** The page of one application. */
export function renderApplication(options: ApplicationPageOptions): Html {
  const { record, usage, refusals } = options
  const sections = [
    ['apis', 'APIs'],
    ['credentials', 'Credentials'],
    usage && ['usage', 'Usage'],
    refusals && ['refusals', 'Refusals'],
    ['colleagues', 'Colleagues'],
  ].filter((each): each is [string, string] => each !== undefined)
  return html`${renderNotices()}
    <p class="facts">
      ${renderStatus(record)}
      <span>Application id <code class="inline">${record.id}</code></span>
      <span>Created ${renderDate(record.createdAt)}</span>
    </p>
    ${renderStatusNote(record)}
    <nav class="contents" aria-label="Parts of this page">
      <ul>
        ${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
      </ul>
    </nav>
    ${renderApis(options)} ${renderCredentials(options)} ${usage && renderUsage(options, usage)}
    ${refusals && renderRefusals(options, refusals)} ${renderContacts(options)} ${renderDeletion(options)}`
}

/** Notices of the last action. A redirect names one in its fragment, and the style sheet shows only that one. */
const NOTICES = {
  renamed: 'The credential has its new name.',
  ended: 'The credential has ended. Calls with it are refused.',
  revoked: 'All access tokens issued until now are refused.',
  granted: 'The application may use the API now.',
  requested: 'Your request was sent. We tell you by e-mail what was decided.',
  invited: 'The invitation was sent. Its link works for 7 days.',
  cancelled: 'The invitation is cancelled. Its link no longer works.',
  removed: 'The colleague has been removed.',
} as const

export type Notice = keyof typeof NOTICES

function renderNotices(): Html[] {
  return Object.entries(NOTICES).map(([id, text]) => html`<p class="notice" id="${id}" tabindex="-1">${text}</p> `)
}

function renderStatusNote({ status }: ApplicationRecord): Html | false {
  const note = STATUS_NOTES[status]
  return note !== undefined && html`<p class="note">${note}</p>`
}

const STATUS_NOTES: Readonly<Record<ApplicationRecord['status'], string | undefined>> = {
  active: undefined,
  deleted: undefined,
  pending:
    'This application is not active yet: it waits for our approval, or for the e-mail with its first credentials to arrive.',
  suspended:
    'This application is suspended: all its calls are refused. You can still end its credentials and revoke its access tokens. Please contact us.',
}

function renderDeletion(view: ApplicationView): Html | false {
  if (!offers(view, 'delete')) return false
  return renderSection(
    'deletion',
    'Delete',
    'Ends the application for everyone.',
    html`<div class="row">
      <p>All credentials and access tokens are refused from the next request on. This cannot be undone.</p>
      <p class="actions">
        ${renderAction(view.link(view.record.id, 'delete'), 'Delete this application', '', 'danger')}
      </p>
    </div>`,
  )
}
