import { html, type Html } from '../../web/html.js'
import type { PageBrand } from '../../web/page-brand.js'
import type { PageHeader } from '../../web/page-frame.js'
import type { Assets } from '../assets.js'
import { renderAlternates, renderExportLinks } from '../export/links.js'
import { renderPage } from '../page.js'
import { renderInformation } from './information.js'
import { renderMarkdown } from './markdown.js'
import { renderExternalDocs, renderOperation, type Reference } from './operation.js'
import type { ReferenceOperation } from './operation-keys.js'
import { groupByTag, type TagGroup } from './tags.js'

/** The parts that the pages of all references have in common. */
export interface ReferencePageOptions {
  /** The console's title. */
  readonly title: string
  readonly registration: boolean
  /** Whether credentials are sent by e-mail. */
  readonly hasEmails: boolean
  readonly supportUrl: string | undefined
  /** The schemes of all APIs of the console, which share one authorization. */
  readonly schemes: readonly string[]
  readonly assets: Assets
  readonly brand: PageBrand
  /** The path of the search index below the console's `apis/`. */
  readonly search: string
}

/** The reference of one API: all operations as a list and in a sidebar. Each links to its page, which works without scripts. */
export function renderReferencePage(reference: Reference, options: ReferencePageOptions): string {
  const { api, document, operations } = reference
  const groups = groupByTag(document, operations)
  const content = html`
    <div class="columns">
      ${renderSidebar(groups)}
      ${renderMain(
        reference,
        options,
        '../',
        html`<h1>${api.title}</h1>
          <p class="lead"><code>${api.resource}</code></p>
          ${renderInformation(document, api.description)}
          <p class="links">${renderExportLinks(api, '')}</p>
          ${groups.map((group) => renderGroup(api.name, group))}`,
      )}
    </div>
  `
  return renderPage({
    ...readPageOptions(options),
    title: `${api.title}, ${options.title}`,
    root: '../',
    head: renderAlternates(api, ''),
    header: createHeader(reference, options, '../', true),
    content,
  })
}

/** The page of one operation. The reference shows its article in place. */
export function renderOperationPage(
  reference: Reference,
  operation: ReferenceOperation,
  options: ReferencePageOptions,
): string {
  const { api } = reference
  const root = '../../../'
  const content = html`
    ${renderMain(
      reference,
      options,
      root,
      html`<h1><a href="../../${api.name}#${operation.key}">${api.title}</a></h1>
        <h2>${operation.summary ?? operation.key}</h2>
        <section class="operation open" id="${operation.key}">
          <h3>${renderTitle(operation)}</h3>
          <div class="content">${renderOperation(reference, operation)}</div>
        </section>`,
    )}
  `
  const title = `${operation.summary ?? `${operation.method} ${operation.path}`}, ${api.title}, ${options.title}`
  const header = createHeader(reference, options, root, false)
  return renderPage({ ...readPageOptions(options), title, root, header, content })
}

function readPageOptions({ assets, brand }: ReferencePageOptions) {
  return {
    assets,
    brand,
    bodyClass: 'reference',
    styles: ['console.css', 'reference.css'],
    scripts: ['reference.js'],
  } as const
}

function createHeader(
  { api }: Reference,
  options: ReferencePageOptions,
  root: string,
  hasSidebar: boolean,
): PageHeader {
  return {
    home: { href: root, label: options.title },
    links: [options.registration && { href: `${root}register`, label: 'Register an application' }],
    content: [
      hasSidebar &&
        html`<button type="button" class="button quiet menu" aria-expanded="false" aria-controls="sidebar" hidden>
          Operations
        </button>`,
      html`<p class="state" role="status"></p>
        <button type="button" class="button authorize">Authorize<span class="unseen"> for ${api.title}</span></button>`,
    ],
  }
}

function renderSidebar(groups: readonly TagGroup[]): Html {
  return html`<nav id="sidebar" aria-label="Operations">
    <input
      type="search"
      class="search"
      aria-label="Search operations"
      placeholder="Search"
      autocomplete="off"
      spellcheck="false"
      hidden
    />
    ${groups.map(
      ({ title, operations }) =>
        html`<section>
          <h2>${title}</h2>
          <ul>
            ${operations.map((each) => html`<li><a href="#${each.key}" data-key="${each.key}">${renderTitle(each)}</a></li>`)}
          </ul>
        </section>`,
    )}
  </nav>`
}

function renderMain({ api }: Reference, options: ReferencePageOptions, root: string, content: Html): Html {
  const source = options.hasEmails
    ? 'came by e-mail when your application was registered'
    : 'came from the operator of this platform'
  return html`<main
    id="reference"
    data-api="${api.name}"
    data-title="${api.title}"
    data-scheme="${api.scheme}"
    data-schemes="${options.schemes.join(' ')}"
    data-resource="${api.resource}"
    data-token-endpoint="${api.tokenEndpoint}"
    data-key-header="${api.keyHeaders[0]}"
    data-scopes="${Object.keys(api.scopes).join(' ')}"
    data-search="${root}apis/${options.search}"
    data-support="${options.supportUrl}"
    data-register="${options.registration && `${root}register`}"
    data-root="${root}"
    data-credential-source="${source}"
  >
    ${content}
  </main>`
}

function renderGroup(name: string, { title, description, externalDocs, operations }: TagGroup): Html {
  return html`<section class="tag">
    <h2>${title}</h2>
    ${description !== undefined && html`<div class="markdown">${renderMarkdown(description, { headingLevel: 3 })}</div>`}
    ${renderExternalDocs(externalDocs)}
    ${operations.map(
      (each) =>
        html`<section class="operation" id="${each.key}">
          <h3><a class="toggle" href="${name}/operations/${each.key}">${renderTitle(each)}</a></h3>
          <div class="content" hidden></div>
        </section>`,
    )}
  </section>`
}

/** Method, path and summary of an operation. */
function renderTitle({ method, path, summary, deprecated, isWebhook }: ReferenceOperation): Html {
  const kind = /^[a-z]+$/i.test(method) ? method.toLowerCase() : 'other'
  return html`<span class="method ${kind}">${method}</span>
    <span class="path${deprecated && ' old'}">${renderPath(path, isWebhook)}</span
    >${summary !== undefined && html` <span class="summary">${summary}</span>`}${deprecated && html` <span class="note">deprecated</span>`}`
}

/** Lines may break after a slash. */
function renderPath(path: string, isWebhook: boolean): Html | string {
  if (isWebhook) return path
  return html`${path.split(/(?<=[^/]\/)(?=[^/])/).map((part, at) => html`${at > 0 && html`<wbr />`}${part}`)}`
}
