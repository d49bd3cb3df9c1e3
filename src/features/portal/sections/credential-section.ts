import { findNewest } from '../../../core/applications/credentials/credential-lists.js'
import { formatRecordedKeySet } from '../../../core/applications/credentials/key-sets.js'
import { isLive, LISTS, type CredentialKind } from '../../../core/applications/credentials/credentials.js'
import type { ApplicationRecord, CredentialRecord } from '../../../shared/contracts/application-record.js'
import { formatGrants } from '../../../shared/web/formats.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { renderEmpty, renderPill, renderTable } from '../../../shared/web/parts.js'
import { renderDate, renderDateTime, renderRelativeTime } from '../../../shared/web/times.js'
import { findTitle, isOffered, renderAction, renderSection, type ApplicationView } from '../pages/view.js'
import { hasOwnMember } from '../../../shared/lib/own-members.js'

/** A credential is pointed out this long before its end. */
export const EXPIRY_NOTICE_MS = 14 * DAY_MS

export interface ShownCredential {
  readonly kind: CredentialKind
  readonly credential: CredentialRecord
  /** Whether a newer one of its name replaces it. */
  readonly isReplaced: boolean
}

export function listCredentials(record: ApplicationRecord, now: number): ShownCredential[] {
  return (['key', 'secret'] as const).flatMap((kind) => {
    const live = record[LISTS[kind]].filter((each) => isLive(each, now))
    return live.map((credential) => ({
      kind,
      credential,
      isReplaced: findNewest(live, credential.name, now)?.id !== credential.id,
    }))
  })
}

export function renderCredentials(view: ApplicationView): Html {
  const { record, link, now, texts } = view
  const rows = listCredentials(record, now).map((each) => listCells(each, view))
  const labels = { addKey: texts.add.key, addSecret: texts.add.secret, addKeySet: texts.keySets.add }
  const adding = (['addKey', 'addSecret', 'addKeySet'] as const)
    .filter((page) => isOffered(view, page))
    .map((page) => renderAction(link(record.id, page), labels[page], ''))
  const columns = [texts.name, texts.lastUse, texts.expires, texts.actions]
  return renderSection(
    {
      id: 'credentials',
      title: texts.credentials,
      about: texts.credentialsAbout,
      beside: adding.length > 0 && html`${adding}`,
    },
    rows.length === 0
      ? renderEmpty({ title: texts.noCredential })
      : renderTable(
          `${texts.credentials}, ${record.name}`,
          columns.map((title) => ({ title })),
          rows,
        ),
  )
}

function listCells(shown: ShownCredential, view: ApplicationView): Html[] {
  const { kind, credential, isReplaced } = shown
  const { record, link, now, texts } = view
  const { id, name, createdAt, lastUsedAt, apis, networks, keySet } = credential
  const address = (page: 'rename' | 'rotate' | 'end' | 'replaceKeySet' | 'reloadKeySet'): string =>
    link(record.id, page, id)
  // Both have the same name after a rotation.
  const subject = keySet
    ? `(${texts.keySets.kind} ${name})`
    : fillText((isReplaced ? texts.ofReplaced : texts.ofCredential)[kind], { name })
  const canReplace = keySet && isOffered(view, 'replaceKeySet')
  return [
    html`<h3>${name} ${renderPill(keySet ? texts.keySets.kind : texts.kinds[kind])}</h3>
      <p class="facts">
        ${renderShown(credential)}
        <span>${fillHtml(texts.created, { date: renderDate(createdAt, texts) })}</span>
        ${keySet && hasOwnMember(keySet, 'address') && keySet.outage && html`<span class="warn">${fillHtml(texts.keySets.unreadable, { time: renderRelativeTime(keySet.outage.since, now, texts) })}</span>`}
        ${apis && html`<span>${fillText(texts.onlyFor, { apis: formatGrants(apis, (api) => findTitle(view, api)) })}</span>`}
        ${networks && html`<span>${fillText(texts.onlyFrom, { networks: networks.join(', ') })}</span>`}
      </p>`,
    lastUsedAt === undefined
      ? html`<span class="soft">${texts.neverUsed}</span>`
      : renderRelativeTime(lastUsedAt, now, texts),
    renderEnd(shown, view),
    html`<p class="actions">
      ${canReplace && renderAction(address('replaceKeySet'), texts.keySets.replace, subject)}
      ${!keySet && isOffered(view, 'rotate') && !isReplaced && renderAction(address('rotate'), texts.rotate, subject)}
      ${canReplace && hasOwnMember(keySet, 'address') && renderAction(address('reloadKeySet'), texts.keySets.reload, subject)}
      ${isOffered(view, 'rename') && !isReplaced && renderAction(address('rename'), texts.rename, subject)}
      ${isOffered(view, 'end') && renderAction(address('end'), texts.end, subject, 'danger')}
    </p>`,
  ]
}

export function renderShown(credential: CredentialRecord): Html {
  const lines = formatRecordedKeySet(credential)
  return html`${(lines ?? [`${credential.prefix}…`]).map((line) => html`<code class="inline">${line}</code> `)}`
}

function renderEnd({ kind, credential, isReplaced }: ShownCredential, { now, texts }: ApplicationView): Html {
  const { expiresAt } = credential
  if (expiresAt === undefined) return html`<span class="soft">${texts.doesNotExpire}</span>`
  const date = renderDateTime(expiresAt, texts)
  if (isReplaced) return html`<span class="warn">${fillHtml(texts.replacedUntil[kind], { date })}</span>`
  const isSoon = expiresAt - now < EXPIRY_NOTICE_MS
  return html`<span class="${isSoon && 'warn'}">${renderRelativeTime(expiresAt, now, texts)}</span>`
}
