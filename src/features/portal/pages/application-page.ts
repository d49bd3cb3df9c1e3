import { fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { renderApis } from '../sections/api-section.js'
import { renderContacts } from '../sections/contact-section.js'
import { EXPIRY_NOTICE_MS, listCredentials, renderCredentials } from '../sections/credential-section.js'
import type { CountedRefusal, PlanUsage, UsageEntry } from '../../../shared/contracts/usage-entries.js'
import { renderNetworks } from './network-page.js'
import { renderPlan, renderUsage } from '../sections/usage-section.js'
import { renderTermsNote } from './terms-page.js'
import { renderFlash } from './page.js'
import { getFormats } from '../../../shared/web/formats.js'
import { renderDate, renderDateTime, renderRelativeTime } from '../../../shared/web/times.js'
import { renderCopyButton } from '../../../shared/web/first-steps.js'
import { FRAME_TEXTS, renderContents } from '../../../shared/web/page-frame.js'
import { renderBar, renderCard, renderRows, renderTiles } from '../../../shared/web/parts.js'
import {
  describeRefused,
  findFullestQuota,
  findQuotaTone,
  renderRefusals,
  sumUsage,
} from '../../../shared/web/usage-figures.js'
import { findTitle, isOffered, renderAction, renderAsk, renderSection, type ApplicationView } from './view.js'

export function renderApplication(
  view: ApplicationView,
  counted: {
    /** The last 30 days; undefined if the platform stores no usage. */
    readonly usage: readonly UsageEntry[] | undefined
    /** Undefined if it has no plan, or the platform knows none. */
    readonly plan: PlanUsage | undefined
    /** Newest first; undefined if the platform stores no refusals. */
    readonly refusals: readonly CountedRefusal[] | undefined
  },
): Html {
  const { record, texts } = view
  const { plan, usage, refusals } = counted
  const isPending = record.status === 'pending'
  const isActive = record.status === 'active'
  const isUsed = sumUsage(usage ?? []).calls > 0
  const contact = view.supportUrl !== undefined && renderAction(view.supportUrl, texts.contactUs, '')
  const reached = isActive && plan?.quotas.find(({ left, soft }) => left === 0 && !soft)
  const sections = [
    usage && (isActive || isUsed) && (['usage', texts.usage, renderUsage(view, usage)] as const),
    plan && !isPending && (['plan', texts.plan, renderPlan(view, plan)] as const),
    refusals &&
      (refusals.length > 0 || (isActive && isUsed)) &&
      (['refusals', texts.refusals, renderRefusedCalls(view, refusals)] as const),
    !isPending && (['credentials', texts.credentials, renderCredentials(view)] as const),
    ['apis', texts.apis, renderApis(view)] as const,
    ['networks', texts.networks, renderNetworks(view)] as const,
    ['colleagues', texts.contacts, renderContacts(view)] as const,
    ['danger', texts.deletion, renderDangerZone(view)] as const,
  ].flatMap((each) => (each && each[2] ? [each] : []))
  const notices = Object.keys(texts.notices) as (keyof typeof texts.notices)[]
  return html`${notices.map((each) => renderFlash(each, texts))}
    <p class="facts">
      <span class="copyable"
        ><span class="unseen">${texts.applicationId}</span>
        <code>${record.id}</code>${renderCopyButton(texts.applicationId, FRAME_TEXTS[texts.language])}</span
      >
      <span>${fillHtml(texts.created, { date: renderDate(record.createdAt, texts) })}</span>
    </p>
    ${isPending && renderAsk(record.isHeld ? texts.isHeld : texts.isPending, renderAction(view.developersUrl, FRAME_TEXTS[texts.language].readReference, ''), 'warn')}
    ${record.status === 'suspended' && renderAsk(html`${texts.isSuspended} ${!contact && texts.pleaseContact}`, contact, 'bad')}
    ${reached && renderAsk(fillHtml(texts.quotaReached, { time: renderDateTime(reached.endsAt.getTime(), texts) }), contact, 'bad')}
    ${renderTermsNote(view)} ${(isActive || isUsed) && renderSummary(view, usage, plan)}
    <div class="parts">
      ${!isPending && renderContents(sections, texts)}
      <div>${sections.map(([, , section]) => section)}</div>
    </div>`
}

function renderSummary(view: ApplicationView, usage: readonly UsageEntry[] | undefined, plan?: PlanUsage): Html {
  const { record, now, texts } = view
  const { count } = getFormats(texts.language)
  const sum = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const [next] = listCredentials(record, now)
    .flatMap(({ kind, credential: { name, expiresAt } }) =>
      expiresAt === undefined ? [] : [{ kind, name, expiresAt }],
    )
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
  return renderTiles([
    ...(usage === undefined
      ? []
      : [
          { label: texts.callsOfMonth, value: count.format(sum.calls) },
          describeRefused(texts.refusedOfMonth, sum, texts.language),
        ]),
    {
      label: texts.quotaLeft,
      value: quota === undefined ? html`<span class="soft">${texts.noQuota}</span>` : count.format(quota.left),
      note:
        quota &&
        html`${fillText(texts.quotaOf[quota.per], { limit: count.format(quota.limit) })}${renderBar(quota.per === 'day' ? texts.today : texts.thisMonth, quota.used, quota.limit)}`,
      tone: quota && findQuotaTone(quota),
    },
    {
      label: texts.endsNext,
      value:
        next === undefined
          ? html`<span class="soft">${texts.doesNotExpire}</span>`
          : renderRelativeTime(next.expiresAt, now, texts),
      note: next && fillText(texts.value[next.kind], { name: next.name }),
      tone: next && next.expiresAt - now < EXPIRY_NOTICE_MS ? 'warn' : undefined,
    },
  ])
}

function renderRefusedCalls(view: ApplicationView, refusals: readonly CountedRefusal[]): Html {
  const { refusals: title, refusalsAbout: about, language } = view.texts
  const rows = renderRefusals(refusals, (api) => findTitle(view, api), { now: view.now, language })
  return renderSection({ id: 'refusals', title, about }, rows)
}

function renderDangerZone(view: ApplicationView): Html | false {
  const { record, link, texts } = view
  const isPending = record.status === 'pending'
  const renderRow = (page: 'revokeTokens' | 'delete', label: string, means: string, kind = ''): Html =>
    html`<li class="row">
      <div>
        <h3>${label}</h3>
        <p>${means}</p>
      </div>
      <p class="actions">${renderAction(link(record.id, page), label, '', kind)}</p>
    </li>`
  const rows = [
    isOffered(view, 'revokeTokens') &&
      record.secrets.length > 0 &&
      renderRow('revokeTokens', texts.revoke, texts.revokeMeans),
    isOffered(view, 'delete') &&
      renderRow(
        'delete',
        isPending ? texts.withdrawIt : texts.deleteIt,
        isPending ? texts.withdrawalMeans : texts.deletionMeans,
        'danger',
      ),
  ].filter((each) => each !== false)
  const card = renderCard({ title: texts.deletion, isDanger: true }, renderRows(rows))
  return rows.length > 0 && html`<div id="danger">${card}</div>`
}
