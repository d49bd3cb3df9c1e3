import type { ApiSettings } from '../../../core/options/settings.js'
import { LISTS } from '../../../core/applications/credentials/credential-lists.js'
import { findGrant } from '../../../core/applications/records/grants.js'
import { formatEnvFile } from '../../../shared/samples/env-file.js'
import { renderCopyable, renderFirstCalls } from '../../../shared/web/first-steps.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import type { FrameTexts } from '../../../shared/web/texts/en.js'
import type { IssuedCredential } from './action-page.js'
import { formatDateTime, renderDateTime } from './times.js'
import { renderHiddenFields, type ApplicationView } from './view.js'

/** Shows a new credential. It is in this page only: a reload sends the form again, which then changes nothing. */
export function renderIssued(view: ApplicationView, issued: IssuedCredential, developersUrl: string): Html {
  const { record, link, texts } = view
  const { kind, name, plain, expiresAt } = issued
  const expiry = expiresAt && renderDateTime(expiresAt.getTime(), texts)
  const frame = FRAME_TEXTS[texts.language]
  const apis = listApis(view, kind)
  return html`<p class="note">${texts.shownOnce[kind]}</p>
    ${kind === 'secret' && renderCopyable(texts.sendAsClientId, record.id, frame)}
    ${renderCopyable(fillText(texts.value[kind], { name }), plain, frame)}
    <p>${expiry ? fillHtml(texts.expiresOn[kind], { date: expiry }) : texts.itDoesNotExpire[kind]}</p>
    ${apis.length > 0 && renderDownload(view, issued, frame)}
    ${apis.length > 0 && renderFirstCalls({ apis, credentials: listCredentials(view, issued), developersUrl, texts: frame })}
    <p class="actions"><a class="button" href="${link(record.id)}">${texts.stored[kind]}</a></p>`
}

function renderDownload(view: ApplicationView, { kind, plain }: IssuedCredential, { downloadEnv }: FrameTexts): Html {
  return html`<form class="download" method="post" action="${view.link(view.record.id, 'download')}">
    ${renderHiddenFields(view)}
    <input type="hidden" name="kind" value="${kind}" />
    <input type="hidden" name="value" value="${plain}" />
    <button class="quiet">${downloadEnv}</button>
  </form>`
}

/** The contents of the file `.env`: the credential, when it expires, and the addresses of the APIs that it is for. */
export function formatIssuedFile(view: ApplicationView, issued: Pick<IssuedCredential, 'kind' | 'plain'>): string {
  const { record, texts } = view
  const { kind, plain } = issued
  const expiresAt = record[LISTS[kind]].find(({ prefix }) => plain.startsWith(prefix))?.expiresAt
  const comments =
    expiresAt === undefined ? [] : [fillText(texts.fileExpiresOn, { date: formatDateTime(expiresAt, texts) })]
  return formatEnvFile(listApis(view, kind), listCredentials(view, issued), comments)
}

function listCredentials({ record }: ApplicationView, { kind, plain }: Pick<IssuedCredential, 'kind' | 'plain'>) {
  return kind === 'key' ? { key: plain } : { clientId: record.id, secret: plain }
}

/** The APIs that the application may use with a credential of that kind. */
function listApis({ apis, record }: ApplicationView, kind: IssuedCredential['kind']): readonly ApiSettings[] {
  const scheme = kind === 'key' ? 'apiKey' : 'oauth2'
  return apis.filter((api) => api.scheme === scheme && findGrant(record, api) !== undefined)
}
