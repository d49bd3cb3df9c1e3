import type { Application, CredentialInfo } from '../../index.js'
import { fillIn, fillText } from '../../shared/lib/fill-in.js'
import { formatKeySet } from '../../shared/lib/key-set-text.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderCard, renderChip, renderPill, renderRows } from '../../shared/web/parts.js'
import { renderActions } from './actions.js'
import { renderTime } from './formats.js'
import type { Site, Visit } from './visit.js'

const EXPIRY_NOTICE_MS = 30 * 24 * 3_600_000

/** The live keys, secrets and key sets. */
export function renderCredentials(site: Site, visit: Visit, application: Application): Html {
  const { texts } = visit
  const { keys, secrets } = application
  const listed = [
    ...keys.map((credential) => ({ kind: 'key' as const, credential })),
    ...secrets.map((credential) => ({
      kind: credential.keySet ? ('keySet' as const) : ('secret' as const),
      credential,
    })),
  ]
  const rows = listed.map(({ kind, credential }) => {
    const { id, name, prefix, createdAt, lastUsedAt, apis, networks, keySet } = credential
    const since = keySet && 'jwksUri' in keySet ? keySet.unreadableSince : undefined
    return html`<li class="row">
      <div>
        <h3>${name} ${renderPill(texts.kinds[kind])}</h3>
        <p class="facts-line">
          ${kind === 'keySet' ? formatKeySet(credential.keySet!).map((line) => html`<code>${line}</code>`) : html`<code>${prefix}&hellip;</code>`}
          <span
            >${lastUsedAt ? fillIn<string | Html>(texts.lastUsed, { time: renderTime(lastUsedAt, visit) }) : texts.neverUsed}</span
          >
          <span>${fillIn<string | Html>(texts.created, { time: renderTime(createdAt, visit) })}</span>
          ${since && html`<span class="warn">${fillIn<string | Html>(texts.unreadableSince, { time: renderTime(since, visit) })}</span>`}
          ${renderEnd(credential, visit)}
          ${apis && html`<span>${fillText(texts.onlyFor, { apis: formatGrants(apis) })}</span>`}
          ${networks && html`<span>${fillText(texts.onlyFrom, { networks: networks.join(', ') })}</span>`}
        </p>
      </div>
      ${renderActions(site, visit, 'credential', { application, query: { credential: id }, subject: name })}
    </li> `
  })
  return renderCard(
    { title: texts.credentials, level: 2 },
    html`${rows.length > 0 ? renderRows(rows) : html`<p class="soft">${texts.noCredentials}</p>`}
    ${renderActions(site, visit, 'credentials', { application })}`,
  )
}

function renderEnd({ expiresAt }: CredentialInfo, visit: Visit): Html {
  const { texts, now } = visit
  if (!expiresAt) return html`<span>${texts.doesNotExpire}</span>`
  const isSoon = expiresAt.getTime() - now < EXPIRY_NOTICE_MS
  return html`<span class="${isSoon && 'warn'}"
    >${fillIn<string | Html>(texts.expires, { time: renderTime(expiresAt, visit) })}</span
  >`
}

function formatGrants(apis: Application['apis']): string {
  return Object.entries(apis)
    .map(([api, { scopes }]) => (scopes.length > 0 ? `${api} (${scopes.join(', ')})` : api))
    .join(', ')
}

/** What the application may use, and what it waits for. */
export function renderAccess(site: Site, visit: Visit, application: Application): Html {
  const { auth } = site
  const { texts } = visit
  const { apis: granted, accessRequests, rateLimits } = application
  const known = auth.apis.map(({ name }) => name)
  const names = [...known, ...Object.keys(granted).filter((name) => !known.includes(name))]
  const rows = names.map((name) => {
    const title = auth.apis.find((api) => api.name === name)?.title ?? name
    const grant = Object.hasOwn(granted, name) ? granted[name] : undefined
    const request = accessRequests.find(({ api }) => api === name)
    const limit = Object.hasOwn(rateLimits, name) ? rateLimits[name] : undefined
    return html`<li class="row">
      <div>
        <h3>${title} ${request ? renderPill(texts.waits, 'warn') : grant && renderPill(texts.granted, 'good')}</h3>
        ${grant && grant.scopes.length > 0 && html`<p class="chips">${grant.scopes.map((scope) => html`${renderChip(scope)} `)}</p>`}
        ${limit && html`<p class="soft">${fillText(texts.ownLimit, { limit: limit.limit, window: limit.window })}${limit.until && html`, ${fillIn<string | Html>(texts.limitEnds, { time: renderTime(limit.until, visit) })}`}</p>`}
        ${request && html`<p class="facts-line"><span>${fillIn<string | Html>(texts.requested, { time: renderTime(request.requestedAt, visit), by: request.by ?? '' })}</span> ${request.scopes.map((scope) => html`${renderChip(scope)} `)}</p>`}
      </div>
      ${request && renderActions(site, visit, 'request', { application, query: { api: name }, subject: title })}
      ${!request && renderActions(site, visit, 'api', { application, query: { api: name }, subject: title, except: grant ? [] : ['limit', 'disallow'] })}
    </li> `
  })
  return renderCard({ title: texts.access, level: 2 }, renderRows(rows))
}

/** The people who get its e-mails and manage it at the portal. */
export function renderContacts(site: Site, visit: Visit, application: Application): Html {
  const { contacts, invitations } = application
  const { texts } = visit
  const rows = [
    ...contacts.map(
      (address, at) =>
        html`<li class="row">
          <div>
            <h3>${address}</h3>
            ${at === 0 && html`<p class="facts-line">${texts.getsEmails}</p>`}
          </div>
          ${renderActions(site, visit, 'contact', { application, query: { at: String(at) }, subject: address })}
        </li> `,
    ),
    ...invitations.map(
      ({ address, expiresAt }, at) =>
        html`<li class="row">
          <div>
            <h3>${address}</h3>
            <p class="facts-line">${fillIn<string | Html>(texts.invited, { time: renderTime(expiresAt, visit) })}</p>
          </div>
          ${renderActions(site, visit, 'invitation', { application, query: { at: String(at) }, subject: address })}
        </li> `,
    ),
  ]
  return renderCard(
    { title: texts.contacts, level: 2 },
    html`${rows.length > 0 ? renderRows(rows) : html`<p class="soft">${texts.noContact}</p>`}
    ${renderActions(site, visit, 'contacts', { application })}`,
  )
}
