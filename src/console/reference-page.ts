import type { Api } from '../index.js'
import { html } from '../lib/html.js'
import type { PageBrand } from '../lib/page-brand.js'
import { THEME_BUTTON } from '../lib/theme-switch.js'
import { asObject, listOperations, type JsonObject } from '../openapi/document.js'
import type { Assets } from './assets.js'
import { renderAlternates, renderExportLinks } from './export/links.js'
import { renderPage } from './page.js'

interface ReferencePageOptions {
  /** The console's title. */
  readonly title: string
  readonly api: Api
  readonly document: JsonObject
  readonly registration: boolean
  /** Whether credentials are sent by e-mail. */
  readonly hasMailer: boolean
  readonly assets: Assets
  readonly brand: PageBrand
}

/** The reference of one API. The list of operations is readable before the script has loaded, and without it. */
export function renderReferencePage(options: ReferencePageOptions): string {
  const { title, api, document, registration, hasMailer, assets, brand } = options
  const content = html`
    <header class="bar">
      <a href="../">${title}</a>
      ${registration && html`<a href="../register">Register an application</a>`} ${THEME_BUTTON}
    </header>
    <main class="reference">
      <h1>${api.title}</h1>
      <p class="lead"><code>${api.resource}</code></p>
      ${asObject(document['info'])['description'] === undefined && api.description !== undefined && html`<p>${api.description}</p>`}
      <p class="links">${renderExportLinks(api, '')}</p>
      <div
        id="reference"
        data-api="${api.title}"
        data-scheme="${api.scheme}"
        data-token-endpoint="${api.tokenEndpoint}"
        data-key-header="${api.keyHeaders[0]}"
        data-document="${api.name}/openapi.json"
        data-credential-source="${hasMailer ? 'came by e-mail when your application was registered' : 'came from the operator of this platform'}"
        data-register="${registration && '../register'}"
      >
        <h2>Operations</h2>
        <ul class="operations">
          ${listOperations(document['paths']).map(
            ({ method, path, operation }) =>
              html`<li>
                <code>${method} ${path}</code>
                ${typeof operation['summary'] === 'string' && operation['summary']}
              </li>`,
          )}
        </ul>
        <noscript><p>To try them here, allow JavaScript for this page.</p></noscript>
      </div>
    </main>
  `
  return renderPage({
    title: `${api.title}, ${title}`,
    root: '../',
    assets,
    brand,
    styles: ['console.css', 'reference.css'],
    scripts: ['swagger-ui.js', 'operations.js', 'reference.js'],
    head: renderAlternates(api, ''),
    content,
  })
}
