import type { Application } from '../../index.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { formatKeySet } from '../../shared/lib/key-set-text.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderCard, renderChip, renderPill, renderRows } from '../../shared/web/parts.js'
import { ACTIONS, renderActions, type ActionName } from './actions.js'
import { describeActor, describeLimit } from './audit.js'
import { formatGrants } from '../../shared/web/formats.js'
import { fillTime, findTitle, renderItem, renderSection } from './formats.js'
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
    const titled = apis && Object.fromEntries(Object.entries(apis).map(([api, its]) => [findTitle(site, api), its]))
    return renderItem(
      html`${name} ${renderPill(texts.kinds[kind])}`,
      [
        ...shown.map((each) => html`<code>${each}</code>`),
        lastUsedAt ? fillTime(texts.lastUsed, lastUsedAt, visit) : texts.neverUsed,
        since && html`<span class="warn">${fillTime(texts.unreadable, since, visit)}</span>`,
        expiresAt
          ? html`<span class="${isSoon && 'warn'}">${fillTime(texts.expires, expiresAt, visit)}</span>`
          : texts.doesNotExpire,
        fillTime(texts.created, createdAt, visit),
        titled && fillText(texts.onlyFor, { apis: formatGrants(titled) }),
        networks && fillText(texts.onlyFrom, { networks: networks.join(', ') }),
      ],
      renderActions(site, visit, `${kind} credential`, { application, query: { credential: id }, subject: name }),
    )
  })
  const actions = renderActions(site, visit, 'credentials', { application, subject: texts.credentials })
  return html`<div id="credentials">
    ${renderSection(texts.credentials, rows, { empty: texts.noCredentials, actions })}
  </div>`
}

/** What the application may use, and what it waits for. */
export function renderAccess(site: Site, visit: Visit, application: Application): Html {
  const { auth } = site
  const { texts } = visit
  const { apis: granted, accessRequests, rateLimits } = application
  const isPending = application.status === 'pending'
  const known = auth.apis.map(({ name }) => name)
  const names = [...known, ...Object.keys(granted).filter((name) => !known.includes(name))]
  const rows = names.map((name) => {
    const title = findTitle(site, name)
    const hasScopes = Object.keys(auth.apis.find((api) => api.name === name)?.scopes ?? {}).length > 0
    const grant = Object.hasOwn(granted, name) ? granted[name] : undefined
    const request = accessRequests.find(({ api }) => api === name)
    const limit = Object.hasOwn(rateLimits, name) ? rateLimits[name] : undefined
    const scopes = (request ?? grant)?.scopes ?? []
    const place = isPending ? '' : request ? 'request' : grant ? 'api' : 'otherApi'
    return renderItem(
      html`${title}
      ${request ? renderPill(texts.waits, 'warn') : grant && (isPending ? renderPill(texts.statuses.pending, 'warn') : renderPill(texts.granted, 'good'))}`,
      [
        request && fillTime(texts.requested, request.requestedAt, visit, { by: describeActor(request.by, texts) }),
        !request && !grant && texts.notSignedIn,
        ...scopes.map((scope) => renderChip(scope)),
        limit && `${texts.labels.rateLimits}: ${describeLimit(limit, texts)}`,
        limit?.until && fillTime(texts.limitEnds, limit.until, visit),
      ],
      renderActions(site, visit, place, {
        application,
        query: { api: name },
        subject: title,
        shown: request ? 2 : 1,
        except: hasScopes ? [] : ['allow'],
      }),
    )
  })
  return renderSection(texts.access, rows, {})
}

/** The people who get its e-mails and manage it at the portal. */
export function renderContacts(site: Site, visit: Visit, application: Application): Html {
  const { contacts, invitations } = application
  const { texts } = visit
  const rows = [
    ...contacts.map((address, at) => {
      const about = { application, query: { at: String(at) }, subject: address, shown: 0 }
      return renderItem(address, [at === 0 && texts.getsEmails], renderActions(site, visit, 'contact', about))
    }),
    ...invitations.map(({ address, expiresAt }, at) => {
      const about = { application, query: { at: String(at) }, subject: address, shown: 0 }
      const actions = renderActions(site, visit, 'invitation', about)
      return renderItem(address, [fillTime(texts.invited, expiresAt, visit)], actions)
    }),
  ]
  const actions = renderActions(site, visit, 'contacts', { application, subject: texts.contacts })
  return renderSection(texts.contacts, rows, { empty: texts.noContact, actions })
}

/** What interrupts or ends the application: each with what then happens. */
export function renderDanger(site: Site, visit: Visit, application: Application): Html | false {
  const { texts } = visit
  const names = (Object.keys(ACTIONS) as ActionName[]).filter((name) => ACTIONS[name].place === 'danger')
  const rows = names.flatMap((name) => {
    const except = names.filter((each) => each !== name)
    const actions = renderActions(site, visit, 'danger', { application, except })
    const warning = texts.warnings[name as keyof typeof texts.warnings]
    return actions ? [renderItem(texts.actions[name], [warning], actions)] : []
  })
  return rows.length > 0 && renderCard({ title: texts.dangerZone, level: 2, isDanger: true }, renderRows(rows))
}
