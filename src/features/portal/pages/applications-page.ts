import { isLive } from '../../../applications/credentials/credentials.js'
import type { ApplicationRecord, CredentialRecord } from '../../../contracts/application-record.js'
import { DAY_MS } from '../../../lib/day.js'
import { html, type Html } from '../../../web/html.js'
import type { Links } from './page-links.js'
import { renderDate, renderRelativeTime } from './times.js'

interface ApplicationsPageOptions {
  readonly records: readonly ApplicationRecord[]
  /** Titles of the APIs by name. */
  readonly titles: ReadonlyMap<string, string>
  /** The address of the registration; undefined if the platform's pages have no address. */
  readonly registerUrl: string | undefined
  readonly link: Links
  readonly now: number
}

/** A credential is pointed out this long before its end. */
export const EXPIRY_NOTICE_MS = 14 * DAY_MS

/** The list of the applications of a mailbox. */
export function renderApplications({ records, titles, registerUrl, link, now }: ApplicationsPageOptions): Html {
  return html`<p class="notice" id="deleted" tabindex="-1">The application has been deleted.</p>
    <p class="notice" id="left" tabindex="-1">You are no longer a contact of the application.</p>
    ${records.length === 0 && html`<p class="empty card">There is no application with your address.</p>`}
    <ul class="applications">
      ${records.map((record) => renderApplication(record, titles, link(record.id), now))}
    </ul>
    ${registerUrl !== undefined && html`<p><a class="button quiet" href="${registerUrl}">Register an application</a></p>`} `
}

/** The status in words. */
export function renderStatus({ status }: Pick<ApplicationRecord, 'status'>): Html {
  return html`<span class="status ${status}">${STATUS_WORDS[status]}</span>`
}

const STATUS_WORDS = { pending: 'Pending', active: 'Active', suspended: 'Suspended', deleted: 'Deleted' } as const

function renderApplication(
  record: ApplicationRecord,
  titles: ReadonlyMap<string, string>,
  href: string,
  now: number,
): Html {
  const live = [...record.keys, ...record.secrets].filter((each) => isLive(each, now))
  const lastUsedAt = Math.max(...live.map((each) => each.lastUsedAt ?? 0))
  const expiring = live.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt - now < EXPIRY_NOTICE_MS)
  const apis = Object.keys(record.apis).map((name) => titles.get(name) ?? name)
  return html`<li class="card">
    <h2><a href="${href}">${record.name}</a> ${renderStatus(record)}</h2>
    <p>${apis.length > 0 ? apis.join(', ') : 'No API yet'}</p>
    <p class="facts">
      <span>Created ${renderDate(record.createdAt)}</span>
      <span>${lastUsedAt > 0 ? html`Last used ${renderRelativeTime(lastUsedAt, now)}` : 'Never used'}</span>
      ${expiring.length > 0 && html`<span class="warn">${countCredentials(expiring)} soon</span>`}
    </p>
  </li> `
}

function countCredentials({ length }: readonly CredentialRecord[]): string {
  return length === 1 ? 'One credential expires' : `${length} credentials expire`
}
