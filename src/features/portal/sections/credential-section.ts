import { findNewest, LISTS } from '../../../applications/credentials/credential-lists.js'
import { isLive, type CredentialKind } from '../../../applications/credentials/credentials.js'
import type { ApplicationRecord, CredentialRecord, GrantedApis } from '../../../contracts/application-record.js'
import { html, type Html } from '../../../web/html.js'
import { EXPIRY_NOTICE_MS } from '../pages/applications-page.js'
import { renderDate, renderDateTime, renderRelativeTime } from '../pages/times.js'
import { offers, renderAction, renderSection, type ApplicationView } from '../pages/view.js'

/** A live credential of an application. */
export interface ShownCredential {
  readonly kind: CredentialKind
  readonly credential: CredentialRecord
  /** Whether a newer one of its name replaces it. */
  readonly isReplaced: boolean
}

/** The live credentials, keys first, newest first. */
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

/** The live credentials, with the actions that each has. */
export function renderCredentials(view: ApplicationView): Html {
  const { record, link, now } = view
  const shown = listCredentials(record, now)
  const canAddSecret = offers(view, 'addSecret')
  const adding = [
    offers(view, 'addKey') && renderAction(link(record.id, 'credentials', 'new-key'), 'Add a key', ''),
    canAddSecret && renderAction(link(record.id, 'credentials', 'new-secret'), 'Add a secret', ''),
    offers(view, 'revokeTokens') &&
      record.secrets.length > 0 &&
      renderAction(link(record.id, 'tokens', 'revoke'), 'Revoke all access tokens', '', 'danger'),
  ]
  return renderSection(
    'credentials',
    'Credentials',
    'What this application identifies itself with. Only the first characters are shown: the rest is not stored.',
    html`${
      shown.length > 0
        ? html`<ul class="rows">
            ${shown.map((each) => renderCredential(each, view))}
          </ul>`
        : html`<p class="empty">There are no credentials.</p>`
    }
    ${adding.some(Boolean) && html`<p class="actions foot">${adding}</p>`}`,
  )
}

function renderCredential({ kind, credential, isReplaced }: ShownCredential, view: ApplicationView): Html {
  const { record, link, now } = view
  const { id, name, prefix, createdAt, lastUsedAt, apis } = credential
  const address = (page: string): string => link(record.id, 'credentials', id, page)
  // Both have the same name after a rotation.
  const subject = `the ${isReplaced ? 'replaced ' : ''}${kind} ${name}`
  return html`<li class="row">
    <div>
      <h3>${name} <span class="kind">${KIND_WORDS[kind]}</span></h3>
      <p><code class="inline">${prefix}&hellip;</code></p>
      <p class="facts">
        <span>Created ${renderDate(createdAt)}</span>
        <span>${lastUsedAt === undefined ? 'Never used' : html`Last used ${renderRelativeTime(lastUsedAt, now)}`}</span>
        ${renderEnd(credential, isReplaced, now)} ${apis && html`<span>Only for ${formatGrants(apis)}</span>`}
      </p>
    </div>
    <p class="actions">
      ${offers(view, 'rename') && !isReplaced && renderAction(address('rename'), 'Rename', subject)}
      ${offers(view, 'rotate') && !isReplaced && renderAction(address('rotate'), 'Rotate', subject)}
      ${offers(view, 'end') && renderAction(address('end'), 'End', subject, 'danger')}
    </p>
  </li> `
}

function formatGrants(apis: GrantedApis): string {
  const grants = Object.entries(apis).map(([api, { scopes }]) => [api, ...scopes].join(' '))
  return grants.join(', ')
}

export const KIND_WORDS = { key: 'Key', secret: 'Secret' } as const

function renderEnd({ expiresAt }: CredentialRecord, isReplaced: boolean, now: number): Html {
  if (expiresAt === undefined) return html`<span>Does not expire</span>`
  if (isReplaced) return html`<span class="warn">Replaced: works until ${renderDateTime(expiresAt)}</span>`
  const isSoon = expiresAt - now < EXPIRY_NOTICE_MS
  return html`<span class="${isSoon && 'warn'}">Expires ${renderRelativeTime(expiresAt, now)}</span>`
}
