import { LISTS } from '../../../applications/credentials/credential-lists.js'
import { findGrant } from '../../../applications/records/grants.js'
import { html, type Html } from '../../../web/html.js'
import { formatCallCommand, formatTokenAssignment } from '../../../samples/curl.js'
import type { IssuedCredential } from './action-page.js'
import type { PortalApi } from '../sections/api-section.js'
import { KIND_WORDS } from '../sections/credential-section.js'
import { formatDateTime, renderDateTime } from './times.js'
import { renderHiddenFields, type ApplicationView } from './view.js'

type IssuedView = ApplicationView & { readonly apis: readonly PortalApi[] }

/** Shows a new credential. It is in this page only: a reload sends the form again, which then changes nothing. */
export function renderIssued(view: IssuedView, issued: IssuedCredential): Html {
  const { record, link } = view
  const label = KIND_WORDS[issued.kind]
  return html`<p class="note">It is shown only on this page. Store it in a safe place, such as a secret manager.</p>
    ${issued.kind === 'secret' && renderCopyable('Application id, to send as client_id', record.id)}
    ${renderCopyable(`${label} “${issued.name}”`, issued.plain)}
    <p>
      ${issued.expiresAt ? html`It expires on ${renderDateTime(issued.expiresAt.getTime())}.` : 'It does not expire.'}
    </p>
    <form class="download" method="post" action="${link(record.id, 'download')}">
      ${renderHiddenFields(view)}
      <input type="hidden" name="kind" value="${issued.kind}" />
      <input type="hidden" name="value" value="${issued.plain}" />
      <button class="quiet">Download as .env</button>
    </form>
    <h2>Try it</h2>
    ${listExamples(view, issued).map(({ caption, command }) => renderCopyable(caption, command))}
    <p class="actions"><a class="button" href="${link(record.id)}">I have stored it</a></p>`
}

/** The contents of the file `.env`: the credential, when it expires, and the addresses of the APIs that it is for. */
export function formatEnvFile(view: IssuedView, { kind, plain }: Pick<IssuedCredential, 'kind' | 'plain'>): string {
  const apis = listApis(view, kind)
  const saved = view.record[LISTS[kind]].find(({ prefix }) => plain.startsWith(prefix))
  const end = saved?.expiresAt === undefined ? '' : `# Expires on ${formatDateTime(saved.expiresAt)}\n`
  const lines =
    kind === 'key'
      ? [`API_KEY=${plain}`, ...apis.map(({ name, resource }) => `${formatName(name)}_URL=${resource}`)]
      : [
          `CLIENT_ID=${view.record.id}`,
          `CLIENT_SECRET=${plain}`,
          ...apis.flatMap(({ name, resource, tokenEndpoint }) => [
            `${formatName(name)}_URL=${resource}`,
            `${formatName(name)}_TOKEN_URL=${tokenEndpoint}`,
          ]),
        ]
  return `${end}${lines.join('\n')}\n`
}

/** The APIs that the application may use with a credential of that kind. */
function listApis({ apis, record }: IssuedView, kind: IssuedCredential['kind']): readonly PortalApi[] {
  const scheme = kind === 'key' ? 'apiKey' : 'oauth2'
  return apis.filter((api) => api.scheme === scheme && findGrant(record, api) !== undefined)
}

/** An API's name as part of the name of an environment variable. */
function formatName(api: string): string {
  return api
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_')
}

interface Example {
  readonly caption: string
  readonly command: string
}

/** Commands that work as they are: for each API one call, and for a secret the request for an access token before it. */
function listExamples(view: IssuedView, { kind, plain }: IssuedCredential): Example[] {
  const credentials = kind === 'key' ? { key: plain } : { key: view.record.id, secret: plain }
  return listApis(view, kind).flatMap(({ title, scheme, resource, tokenEndpoint, keyHeaders: [keyHeader] }) => {
    const call = { scheme, method: 'GET', url: resource, headers: [], tokenEndpoint, keyHeader, credentials } as const
    const example = { caption: `Call ${title}`, command: formatCallCommand(call) }
    if (tokenEndpoint === undefined) return [example]
    const command = formatTokenAssignment({ tokenEndpoint, credentials })
    return [{ caption: `Get an access token for ${title}`, command }, example]
  })
}

/** A value or a command. The button is hidden without JavaScript: a click on the text selects all of it. */
function renderCopyable(caption: string, text: string): Html {
  return html`<figure class="copyable">
    <figcaption>
      ${caption}<button type="button" class="copy" aria-label="Copy: ${caption}" hidden>Copy</button>
    </figcaption>
    <pre><code>${text}</code></pre>
  </figure> `
}
