import type { Api } from '../../index.js'
import { renderCopyButton } from '../../shared/web/first-steps.js'
import { html, type Html } from '../../shared/web/html.js'
import type { JsonObject } from '../../shared/openapi/document.js'
import { renderApiCommands, renderPrograms } from './api-samples.js'
import { renderExportLinks } from './export/exports.js'
import { renderPage, type Site } from './page.js'
import { renderMarkdown } from './reference/markdown.js'
import { listReferenceOperations } from './reference/operations.js'
import { nameUnit } from './reference/schema-rules.js'
import { renderReferenceFrame } from './reference/frame.js'
import { renderPath } from './reference/side-list.js'
import { frameWords, readLanguage, textWith, words, wordsWith } from './words.js'

export function renderIndexPage(site: Site): string {
  const { title, apis, documents, registration, guides } = site
  const [first] = apis
  const baseUrl = first ? first.resource.slice(0, -first.name.length - 1) : ''
  const titles = apis.map((api) => api.title)
  const named = apis.length > 3 ? `${apis.length} ${words().apis}` : new Intl.ListFormat(readLanguage()).format(titles)
  const content = html`
    <main>
      <div class="opening">
        <h1>${nameUnit(words().build, apis.length)}</h1>
        <p class="lead">${textWith('callApis', { apis: named })}</p>
        ${renderSteps(registration)}
      </div>
      ${guides.length > 0 && renderContents(frameWords().guides, guides)}
      ${
        apis.length > 3 &&
        renderContents(
          words().apis,
          apis.map((api) => ({ path: `#api-${api.name}`, title: api.title })),
        )
      }
      ${apis.map((api) => {
        const { name, title } = api
        const document = documents.get(name)
        const label = document ? html`<a class="chevron" href="apis/${name}">${title}</a>` : title
        const heading = html`<h2 class="alone" id="title-${name}">${label}</h2>`
        return renderApi(api, document, { heading, folder: 'apis/', calls: renderApiCommands(api, document) })
      })}
    </main>
  `
  const footer = html` ${apis.some(({ scheme }) => scheme === 'oauth2') && html`<p>${wordsWith('signedTokens', { keySet: html`<a href="${baseUrl}/.well-known/jwks.json">${words().keySet}</a>` })}</p>`}
    <p>${words().forModels}: <a href="llms.txt">llms.txt</a></p>`
  const head = html`<link rel="alternate" type="text/plain" title="${words().forModels}" href="llms.txt" />`
  const page = renderPage({
    title,
    root: './',
    site,
    styles: ['console.css'],
    scripts: ['console.js'],
    head,
    content,
    footer,
    isIndex: true,
  })
  // The page repeats itself for each API: its indentation would be a twentieth of its size.
  return page.replaceAll(/<(pre|script|style)\b[^]*?<\/\1>|\s+/g, (part) => (part.startsWith('<') ? part : ' '))
}

function renderSteps(registration: boolean): Html {
  if (!registration) return html`<p>${words().fromOperator}</p>`
  return html`<div class="start">
    <ol class="steps">
      <li><strong>${words().stepRegister}</strong> ${words().howToRegister}</li>
      <li><strong>${words().stepReceive}</strong> ${words().howToReceive}</li>
      <li><strong>${words().stepCall}</strong> ${words().howToCall}</li>
    </ol>
    <p class="actions">
      <a class="button" href="register">${frameWords().register}</a>
    </p>
  </div>`
}

interface ContentsLink {
  readonly path: string
  readonly title: string
  /** A text that the link leads to: its first paragraph is shown. */
  readonly markdown?: string
}

function renderContents(label: string, links: readonly ContentsLink[]): Html {
  return html`<nav class="contents" aria-label="${label}">
    <h2>${label}</h2>
    <ul>
      ${links.map(({ path, title, markdown = '' }) => {
        const [, about = ''] = /<p>(.*?)<\/p>/s.exec(renderMarkdown(markdown).markup) ?? []
        const small = { markup: `<small>${about.replaceAll(/(<code>[^<]*<\/code>)|<[^>]*>/g, '$1')}</small>` }
        return html`<li>
          <a class="chevron" href="${path}"><span>${title} ${about !== '' && small}</span></a>
        </li>`
      })}
    </ul>
  </nav>`
}

export function renderSamplesPage(api: Api, site: Site): string {
  const document = site.documents.get(api.name)
  const title = words().samples
  const content = renderApi(api, document, { folder: '../', calls: renderPrograms(api, document) })
  if (document) {
    const reference = { api, document, operations: listReferenceOperations(document) }
    return renderReferenceFrame(reference, site, { title, up: '../', current: 'samples', content })
  }
  return renderPage({
    title: `${title}, ${api.title}, ${site.title}`,
    site,
    bodyClass: 'reference',
    root: '../../',
    styles: ['console.css', 'reference.css'],
    scripts: ['console.js'],
    content: html`<main>
      <div class="crumb"><h1>${api.title}</h1></div>
      <h2>${title}</h2>
      ${content}
    </main>`,
  })
}

function renderApi(
  api: Api,
  document: JsonObject | undefined,
  { heading, folder, calls }: { readonly heading?: Html; readonly folder: string; readonly calls: Html },
): Html {
  const { name, description, scheme } = api
  const about = html`<header>
    ${heading} <span class="chip">${words()[scheme]}</span> ${description !== undefined && html`<p>${description}</p>`}
  </header>`
  const facts = html`<dl>${renderFacts(api, document, folder)}</dl>`
  const shown = html`<div class="calls">${calls}</div>`
  // The page of samples shows them first.
  return html` <section id="api-${name}" class="api" ${heading && html`aria-labelledby="title-${name}"`}>
    ${
      heading
        ? html`<div>${about} ${facts}</div>
            ${shown}`
        : html`${about} ${shown} ${facts}`
    }
  </section>`
}

function renderFacts(api: Api, document: JsonObject | undefined, folder: string): Html[] {
  const { resource, tokenEndpoint, keyHeaders, scopes } = api
  const entries = Object.entries(scopes)
  const usage =
    tokenEndpoint === undefined
      ? [renderFact(words().header, `${keyHeaders[0]}: $API_KEY`)]
      : [
          renderFact(words().tokenAddress, tokenEndpoint),
          html`<dt>client_id</dt>
            <dd>${wordsWith('clientId', { id: html`<code>app_&hellip;</code>` })}</dd>`,
          renderFact(words().header, 'Authorization: Bearer $ACCESS_TOKEN'),
        ]
  if (entries.length > 0)
    usage.push(
      html`<dt>${words().scopes}</dt>
        ${entries.map(([scope, meaning]) => html`<dd class="scope"><code class="chip">${scope}</code> <span>${meaning}</span></dd>`)}`,
    )
  if (document) usage.push(renderLinks(words().document, renderExportLinks(api, folder)))
  const metadata = [
    ['oauth-authorization-server', words().serverMetadata],
    ['oauth-protected-resource', words().resourceMetadata],
  ].map(([path, text]) => html`<a href="${resource}/.well-known/${path}">${text}</a> `)
  if (tokenEndpoint !== undefined) usage.push(renderLinks(words().metadata, metadata))
  return [renderFact(words().baseUrl, resource), ...usage]
}

function renderFact(term: string, value: string): Html {
  return html`<dt>${term}</dt>
    <dd class="copyable"><code>${renderPath(value, false)}</code>${renderCopyButton(term, frameWords())}</dd>`
}

function renderLinks(term: string, links: readonly Html[]): Html {
  return html`<dt>${term}</dt>
    <dd class="links">${links}</dd>`
}
