import type { ApiSettings } from '../../../core/options/settings.js'
import type { AccessRequest } from '../../../shared/contracts/application-record.js'
import { findApplicationLimit } from '../../../core/applications/records/application-limits.js'
import { findGrant, listGrantedScopes } from '../../../core/applications/records/grants.js'
import { html, type Html, fillHtml } from '../../../shared/web/html.js'
import { fillCount, fillText } from '../../../shared/lib/fill-in.js'
import { renderCopyButton } from '../../../shared/web/first-steps.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import { renderChip, renderPill, renderRows } from '../../../shared/web/parts.js'
import type { PortalTexts } from '../texts/languages.js'
import { renderDateTime, renderRelativeTime } from '../../../shared/web/times.js'
import { renderStatus } from '../pages/applications-page.js'
import { isOffered, renderAction, renderSection, type ApplicationView } from '../pages/view.js'

export function findRequestable(api: ApiSettings, { record }: Pick<ApplicationView, 'record'>) {
  if (api.registration === 'closed' || findAccessRequest(api.name, record)) return undefined
  const grant = findGrant(record, api)
  const granted = grant ? listGrantedScopes(api, grant.scopes) : []
  const scopes = api.registrationScopes.filter((scope) => !granted.includes(scope))
  return grant && scopes.length === 0 ? undefined : { scopes }
}

export function renderApis(view: ApplicationView): Html {
  const isGranted = (api: ApiSettings): boolean => findGrant(view.record, api) !== undefined
  const isShown = (api: ApiSettings): boolean =>
    isGranted(api) ||
    findAccessRequest(api.name, view.record) !== undefined ||
    (isOffered(view, 'requestAccess') && findRequestable(api, view) !== undefined)
  const shown = view.apis.filter(isShown).toSorted((a, b) => Number(isGranted(b)) - Number(isGranted(a)))
  const { texts } = view
  return renderSection(
    { id: 'apis', title: texts.apis, about: view.record.status === 'pending' ? texts.apisLater : texts.apisAbout },
    renderRows(
      shown.map((api) => renderApi(api, view)),
      texts.noApiYet,
    ),
  )
}

function findAccessRequest(api: string, { accessRequests }: ApplicationView['record']): AccessRequest | undefined {
  return accessRequests.find((each) => each.api === api)
}

function renderApi(api: ApiSettings, view: ApplicationView): Html {
  const { name, title, description, resource } = api
  const { texts } = view
  const grant = findGrant(view.record, api)
  const request = findAccessRequest(name, view.record)
  const requestable = isOffered(view, 'requestAccess') && findRequestable(api, view)
  return html`<li class="row">
    <div>
      <h3>
        <a href="${view.developersUrl}#api-${name}">${title}</a> ${renderAccess(grant !== undefined, request, view)}
      </h3>
      ${grant ? html`<p class="copyable"><code>${resource}</code>${renderCopyButton(resource, FRAME_TEXTS[texts.language])}</p>` : description !== undefined && html`<p class="soft">${description}</p>`}
    </div>
    <div>
      ${grant ? renderScopes(api, listGrantedScopes(api, grant.scopes)) : requestable && renderScopes(api, requestable.scopes)}
      ${grant && renderLimit(api, view)} ${request && renderRequest(request, view)}
    </div>
    ${requestable && html`<p class="actions">${renderAction(view.link(view.record.id, 'requestAccess', name), grant ? texts.requestMore : texts.request, fillText(texts.toApi, { title }))}</p>`}
  </li> `
}

function renderAccess(isGranted: boolean, request: AccessRequest | undefined, { record, texts }: ApplicationView) {
  if (request) return renderPill(texts.waiting, 'warn')
  if (record.status !== 'active') return isGranted && renderStatus(record, texts)
  return isGranted ? renderPill(texts.granted, 'good') : html`<span class="soft">${texts.notGranted}</span>`
}

function renderScopes({ scopes: meanings }: ApiSettings, scopes: readonly string[]): Html | false {
  if (scopes.length === 0) return false
  return html`<ul class="scopes">
    ${scopes.map((scope) => html`<li>${renderChip(scope)} ${Object.hasOwn(meanings, scope) && meanings[scope]!}</li>`)}
  </ul>`
}

function renderLimit({ name }: ApiSettings, { record: { rateLimits }, now, texts }: ApplicationView): Html | false {
  const own = rateLimits && findApplicationLimit(rateLimits, name, now)
  if (!own) return false
  const until = own.until !== undefined && html`, ${fillHtml(texts.until, { date: renderDateTime(own.until, texts) })}`
  return html`<p class="soft">${describeLimit(own.limit, own.window, texts)}${until}</p>`
}

export function describeLimit(limit: number, seconds: number, texts: PortalTexts): string {
  const requests = fillCount(texts.requests, limit, limit.toLocaleString(texts.language))
  return fillText(texts.ownLimit, { requests, seconds: fillCount(texts.seconds, seconds) })
}

function renderRequest({ scopes, requestedAt }: AccessRequest, { now, texts }: ApplicationView): Html {
  const wanted = scopes.length > 0 && html` ${scopes.map((scope) => html`${renderChip(scope)} `)}`
  return html`<p class="soft">
    ${fillHtml(texts.requested, { time: renderRelativeTime(requestedAt, now, texts) })}${wanted}
  </p>`
}
