import type { Api } from '../index.js'
import { html, type Html } from '../web/html.js'
import type { JsonObject } from '../openapi/document.js'
import { renderApiCommands, renderCopyButton } from './api-samples.js'
import { renderExportLinks } from './export/links.js'
import { renderPage } from './page.js'
import type { Site } from './site.js'

/** The page that lists the APIs: addresses, scopes, commands to copy, links to references and metadata. */
export function renderIndexPage(site: Site): string {
  const { title, apis, documents, registration, portal, guides, changelog, assets, brand } = site
  const [first] = apis
  const baseUrl = first ? first.resource.slice(0, -first.name.length - 1) : ''
  const content = html`
    <main>
      <div class="opening">
        <h1>${title}</h1>
        <p class="lead">${formatApiCount(apis)} below <code>${renderBreakable(baseUrl)}</code></p>
        ${renderSteps(registration)}
        ${registration && html`<p class="actions"><a class="button" href="register">Register an application</a></p>`}
      </div>
      ${guides.length > 0 && renderContents('Guides', guides)}
      ${
        apis.length > 3 &&
        renderContents(
          'APIs',
          apis.map((api) => ({ path: `#api-${api.name}`, title: api.title })),
        )
      }
      ${apis.map((api) => renderApi(api, documents.get(api.name)))}
    </main>
  `
  const footer = html` ${apis.some(({ scheme }) => scheme === 'oauth2') && html`<p>Access tokens are signed; the keys to verify them are in the <a href="${baseUrl}/.well-known/jwks.json">key set</a>.</p>`}
    ${changelog && html`<p class="alone"><a href="${changelog.path}">${changelog.title}</a></p>`}
    <p>For language models: <a href="llms.txt">llms.txt</a></p>`
  const head = html`<link rel="alternate" type="text/plain" title="For language models" href="llms.txt" />`
  return renderPage({
    title,
    root: './',
    assets,
    brand,
    styles: ['console.css'],
    scripts: ['console.js'],
    head,
    header: { content: portal && html`<a href="applications">My applications</a>` },
    content,
    footer,
    isIndex: true,
  })
}

function formatApiCount({ length }: readonly Api[]): string {
  return length === 1 ? 'One API' : `${length} APIs`
}

function renderSteps(registration: boolean): Html {
  if (!registration)
    return html`<p>
      Each API is called with the credentials of your application, which the operator of this platform gave you.
    </p>`
  return html` <ol class="steps">
    <li><strong>Register</strong> Give your application a name and an e-mail address.</li>
    <li><strong>Receive</strong> The key, and the secret if an API needs one, arrive by e-mail.</li>
    <li><strong>Call</strong> Try the APIs in their references on this site, or with the commands below.</li>
  </ol>`
}

function renderContents(label: string, links: readonly { readonly path: string; readonly title: string }[]): Html {
  return html`<nav class="contents" aria-label="${label}">
    <ul>
      ${links.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}
    </ul>
  </nav>`
}

function renderApi(api: Api, document: JsonObject | undefined): Html {
  const { name, title, description, scheme } = api
  return html` <section id="api-${name}" class="api" aria-labelledby="title-${name}">
    <div class="about">
      <h2 id="title-${name}">${title}</h2>
      <p class="scheme">${scheme === 'oauth2' ? 'OAuth 2.0, access token' : 'API key'}</p>
      ${description !== undefined && html`<p>${description}</p>`}
      <dl>${renderFacts(api)}</dl>
      <p class="links">
        ${document && html`<a class="button quiet" href="apis/${name}">Open the reference<span class="unseen"> of ${title}</span></a>`}
        ${renderLinks(api, document)}
      </p>
    </div>
    <div class="calls">${renderApiCommands(api, document)}</div>
  </section>`
}

function renderFacts({ resource, tokenEndpoint, keyHeaders, scopes }: Api): Html[] {
  const entries = Object.entries(scopes)
  const usage =
    tokenEndpoint === undefined
      ? [renderFact('Header', `${keyHeaders[0]}: $API_KEY`)]
      : [
          renderFact('Token address', tokenEndpoint),
          html`<dt>client_id</dt>
            <dd>
              The key of your application, or its id (<code>app_&hellip;</code>), which is no secret and may appear in
              logs
            </dd>`,
          renderFact('Header', 'Authorization: Bearer $ACCESS_TOKEN'),
        ]
  if (entries.length > 0)
    usage.push(
      html`<dt>Scopes</dt>
        ${entries.map(([scope, meaning]) => html`<dd class="scope"><code>${scope}</code> <span>${meaning}</span></dd>`)}`,
    )
  return [renderFact('Address', resource), ...usage]
}

function renderFact(term: string, value: string): Html {
  return html`<dt>${term}</dt>
    <dd class="copyable"><code>${renderBreakable(value)}</code>${renderCopyButton(term)}</dd>`
}

/** Allows line breaks after the slashes of a URL. */
function renderBreakable(text: string): Html[] {
  return text.split(/(?<=[^/]\/)(?=[^/])/).map((part) => html`${part}<wbr />`)
}

function renderLinks(api: Api, document: JsonObject | undefined): Html[] {
  const { tokenEndpoint, resource } = api
  const targets: [text: string, href: string][] = []
  if (tokenEndpoint !== undefined)
    targets.push(
      ['Authorization server metadata', `${resource}/.well-known/oauth-authorization-server`],
      ['Protected resource metadata', `${resource}/.well-known/oauth-protected-resource`],
    )
  const exports = document ? renderExportLinks(api, 'apis/') : []
  return [...exports, ...targets.map(([text, href]) => html`<a href="${href}">${text}</a> `)]
}
