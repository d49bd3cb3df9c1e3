import type { Application } from '../../index.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { formatKeySet } from '../../shared/lib/key-set-text.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderChip, renderPill } from '../../shared/web/parts.js'
import { renderActions } from './actions.js'
import { formatGrants } from '../../shared/web/formats.js'
import { fillTime, renderItem, renderSection } from './formats.js'
import type { Site, Visit } from './visit.js'

const EXPIRY_NOTICE_MS = 30 * 24 * 3_600_000

export function renderCredentials(site: Site, visit: Visit, application: Application): Html {
  const { texts } = visit
  const { keys, secrets } = application
  const listed = [
    ...keys.map((credential) => ({ kind: 'key', credential }) as const),
    ...secrets.map((credential) => ({ kind: credential.keySet ? 'keySet' : 'secret', credential }) as const),
  ]
  const rows = listed.map(({ kind, credential }) => {
    const { id, name, prefix, createdAt, lastUsedAt, expiresAt, apis, networks, keySet } = credential
    const since = keySet && 'jwksUri' in keySet ? keySet.unreadableSince : undefined
    const isSoon = expiresAt && expiresAt.getTime() - visit.now < EXPIRY_NOTICE_MS
    const shown = keySet ? formatKeySet(keySet) : [`${prefix}\u2026`]
    return renderItem(
      html`${name} ${renderPill(texts.kinds[kind])}`,
      [
        ...shown.map((each) => html`<code>${each}</code>`),
        lastUsedAt ? fillTime(texts.lastUsed, lastUsedAt, visit) : texts.neverUsed,
        fillTime(texts.created, createdAt, visit),
        since && html`<span class="warn">${fillTime(texts.unreadable, since, visit)}</span>`,
        expiresAt
          ? html`<span class="${isSoon && 'warn'}">${fillTime(texts.expires, expiresAt, visit)}</span>`
          : texts.doesNotExpire,
        apis && fillText(texts.onlyFor, { apis: formatGrants(apis) }),
        networks && fillText(texts.onlyFrom, { networks: networks.join(', ') }),
      ],
      renderActions(site, visit, 'credential', { application, query: { credential: id }, subject: name }),
    )
  })
  const end = renderActions(site, visit, 'credentials', { application })
  return renderSection(texts.credentials, rows, { empty: texts.noCredentials, end })
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
        ${limit && html`<p class="soft">${fillText(texts.ownLimit, { limit: limit.limit, window: limit.window })}${limit.until && html`, ${fillTime(texts.limitEnds, limit.until, visit)}`}</p>`}
        ${request && html`<p class="facts-line"><span>${fillTime(texts.requested, request.requestedAt, visit, { by: request.by ?? '' })}</span> ${request.scopes.map((scope) => html`${renderChip(scope)} `)}</p>`}
      </div>
      ${request && renderActions(site, visit, 'request', { application, query: { api: name }, subject: title })}
      ${!request && renderActions(site, visit, 'api', { application, query: { api: name }, subject: title, except: grant ? [] : ['limit', 'disallow'] })}
    </li> `
  })
  return renderSection(texts.access, rows, {})
}

/** The people who get its e-mails and manage it at the portal. */
export function renderContacts(site: Site, visit: Visit, application: Application): Html {
  const { contacts, invitations } = application
  const { texts } = visit
  const rows = [
    ...contacts.map((address, at) => {
      const actions = renderActions(site, visit, 'contact', {
        application,
        query: { at: String(at) },
        subject: address,
      })
      return renderItem(address, [at === 0 && texts.getsEmails], actions)
    }),
    ...invitations.map(({ address, expiresAt }, at) => {
      const about = { application, query: { at: String(at) }, subject: address }
      const actions = renderActions(site, visit, 'invitation', about)
      return renderItem(address, [fillTime(texts.invited, expiresAt, visit)], actions)
    }),
  ]
  const end = renderActions(site, visit, 'contacts', { application })
  return renderSection(texts.contacts, rows, { empty: texts.noContact, end })
}
