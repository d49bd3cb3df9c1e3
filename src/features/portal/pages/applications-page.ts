import { isLive } from '../../../core/applications/credentials/credentials.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { fillCount, fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import type { PortalTexts } from '../texts/languages.js'
import { renderLeft } from './page.js'
import type { Links, ApplicationView } from './view.js'
import { isAsked } from './terms-page.js'
import { renderDateTime, renderRelativeTime } from '../../../shared/web/times.js'
import { getFormats } from '../../../shared/web/formats.js'
import { EXPIRY_NOTICE_MS } from '../sections/credential-section.js'
import { findFullestQuota, findQuotaTone, sumUsage } from '../../../shared/web/usage-figures.js'
import type { PlanUsage, UsageEntry } from '../../../shared/contracts/usage-entries.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import { renderPill, renderTable } from '../../../shared/web/parts.js'

interface ListedApplications {
  readonly records: readonly ApplicationRecord[]
  readonly titles: ReadonlyMap<string, string>
  readonly contact: string
  readonly terms: ApplicationView['terms']
  /** Of the last 30 days, by application; undefined if the platform stores no usage, or there are too many applications. */
  readonly usage: ReadonlyMap<string, readonly UsageEntry[]> | undefined
  /** With what is left of their quotas, as above. */
  readonly plans: ReadonlyMap<string, PlanUsage | undefined> | undefined
  readonly link: Links
  readonly texts: PortalTexts
  readonly now: number
}

export function renderApplications(list: ListedApplications): Html {
  const { records, contact, texts } = list
  return html`${renderLeft(texts)}
    <p class="intro">${fillText(texts.listAbout, { contact })}</p>
    <div class="applications">
      ${renderTable(
        FRAME_TEXTS[texts.language].myApplications,
        listColumns(list),
        records.map((record) => listCells(record, list)),
      )}
    </div>`
}

export function renderStatus({ status }: Pick<ApplicationRecord, 'status'>, { statuses }: PortalTexts): Html {
  const tone = status === 'active' ? 'good' : status === 'suspended' ? 'bad' : 'warn'
  return renderPill(statuses[status], tone)
}

function listColumns({ usage, texts }: ListedApplications) {
  const counts = usage ? [texts.callsOfMonth, texts.refusedOfMonth] : []
  return [
    ...[texts.nameOfList, texts.apis].map((title) => ({ title })),
    ...[...counts, texts.lastUse].map((title) => ({ title, isNumber: true })),
  ]
}

function listCells(record: ApplicationRecord, list: ListedApplications): Html[] {
  const { titles, terms, usage, plans, link, now, texts } = list
  const { lastUsedAt } = record
  const { count, percent } = getFormats(texts.language)
  const live = [...record.keys, ...record.secrets].filter((each) => isLive(each, now))
  const expiring = live.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt - now < EXPIRY_NOTICE_MS)
  const apis = Object.keys(record.apis).map((name) => titles.get(name) ?? name)
  const { calls, refused } = sumUsage(usage?.get(record.id) ?? [])
  const quota = findFullestQuota(plans?.get(record.id))
  const tone = quota && findQuotaTone(quota)
  const status = record.status !== 'active' && renderStatus(record, texts)
  return [
    html`<p class="named alone"><a href="${link(record.id)}">${record.name}</a> ${status}</p>
      <p class="facts">
        ${isAsked(record, terms) && html`<span class="warn">${texts.termsToAccept}</span>`}
        ${quota && tone === 'bad' && html`<span class="${quota.soft ? 'warn' : 'wrong'}">${fillHtml(texts.quotaUsedUp, { time: renderDateTime(quota.endsAt.getTime(), texts) })}</span>`}
        ${quota && tone === 'warn' && html`<span class="warn">${fillText(texts.quotaNearlyUsed, { percent: percent.format(quota.used / quota.limit) })}</span>`}
        ${expiring.length > 0 && html`<span class="warn">${fillCount(texts.expireSoon, expiring.length)}</span>`}
      </p>`,
    html`<span class="soft">${apis.length > 0 ? apis.join(', ') : texts.noApiYet}</span>`,
    ...(usage ? [calls, refused] : []).map(
      (each) => html`<span class="${each === 0 && 'soft'}">${count.format(each)}</span>`,
    ),
    lastUsedAt ? renderRelativeTime(lastUsedAt, now, texts) : html`<span class="soft">${texts.neverUsed}</span>`,
  ]
}
