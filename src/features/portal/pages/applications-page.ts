import { isLive } from '../../../core/applications/credentials/credentials.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { PortalTexts } from '../texts/en.js'
import type { Links } from './page-links.js'
import { findUnaccepted } from '../sections/terms-note.js'
import type { ApplicationView } from './view.js'
import { renderDate, renderRelativeTime } from './times.js'

interface ApplicationsPageOptions {
  readonly records: readonly ApplicationRecord[]
  /** Titles of the APIs by name. */
  readonly titles: ReadonlyMap<string, string>
  /** The address of the registration; undefined if the platform's pages have no address. */
  readonly registerUrl: string | undefined
  /** The terms that applications are asked to accept; undefined if there are none. */
  readonly terms: ApplicationView['terms']
  readonly link: Links
  readonly texts: PortalTexts
  readonly now: number
}

/** A credential is pointed out this long before its end. */
export const EXPIRY_NOTICE_MS = 14 * DAY_MS

/** The list of the applications of a mailbox. */
export function renderApplications(options: ApplicationsPageOptions): Html {
  const { records, registerUrl, texts } = options
  return html`<p class="notice" id="deleted" tabindex="-1">${texts.notices.deleted}</p>
    <p class="notice" id="left" tabindex="-1">${texts.notices.left}</p>
    ${records.length === 0 && html`<p class="empty card">${texts.noApplication}</p>`}
    <ul class="applications">
      ${records.map((record) => renderApplication(record, options))}
    </ul>
    ${registerUrl !== undefined && html`<p><a class="button" href="${registerUrl}">${texts.register}</a></p>`} `
}

/** The status in words. */
export function renderStatus({ status }: Pick<ApplicationRecord, 'status'>, { statuses }: PortalTexts): Html {
  return html`<span class="status ${status}">${statuses[status]}</span>`
}

function renderApplication(record: ApplicationRecord, options: ApplicationsPageOptions): Html {
  const { titles, terms, link, now, texts } = options
  const live = [...record.keys, ...record.secrets].filter((each) => isLive(each, now))
  const lastUsedAt = Math.max(...live.map((each) => each.lastUsedAt ?? 0))
  const expiring = live.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt - now < EXPIRY_NOTICE_MS)
  const apis = Object.keys(record.apis).map((name) => titles.get(name) ?? name)
  return html`<li class="card">
    <h2><a href="${link(record.id)}">${record.name}</a> ${renderStatus(record, texts)}</h2>
    <p>${apis.length > 0 ? apis.join(', ') : texts.noApiYet}</p>
    <p class="facts">
      <span>${texts.created(renderDate(record.createdAt, texts))}</span>
      <span>${lastUsedAt > 0 ? texts.lastUsed(renderRelativeTime(lastUsedAt, now, texts)) : texts.neverUsed}</span>
      ${findUnaccepted(record, terms) && html`<span class="warn">${texts.termsAsked}</span>`}
      ${expiring.length > 0 && html`<span class="warn">${texts.expireSoon(expiring.length)}</span>`}
    </p>
  </li> `
}
