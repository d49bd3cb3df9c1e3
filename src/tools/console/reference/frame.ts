import { html, type Html } from '../../../shared/web/html.js'
import { renderPage, type Site } from '../page.js'
import type { Reference } from './operation.js'
import { renderSideList, type SideListOptions } from './side-list.js'
import { textWith, words } from '../words.js'

interface FrameOptions extends SideListOptions {
  readonly title?: string
  readonly head?: Html
  readonly content: Html
}

export function renderReferenceFrame(reference: Reference, options: Site, frame: FrameOptions): string {
  const { title, head, content, ...list } = frame
  const root = `../${list.up}`
  const main = renderMain(reference, options, root, html`${renderHeading(reference, frame)}${content}`)
  return renderPage({
    title: [...(title === undefined ? [] : [title]), reference.api.title, options.title].join(', '),
    root,
    site: options,
    tab: 'referenceTab',
    bodyClass: 'reference',
    styles: ['console.css', 'reference.css'],
    scripts: list.current === 'samples' ? ['console.js', 'first-use.js'] : ['reference.js'],
    ...(head && { head }),
    header: createHeader(reference),
    content: html`<div class="columns">${renderSideList(reference, options, list)}${main}</div>`,
  })
}

/** Of all pages but the reference itself: above the title the API, and for a schema the list of them. */
function renderHeading({ api }: Reference, { title, up, current }: FrameOptions): Html | false {
  if (title === undefined) return false
  const [shown, isSchema] = typeof current === 'object' ? [current, 'schema' in current] : []
  return html`<div class="crumb">
      <h1><a href="${up}${api.name}${shown && !isSchema && `#${shown.key}`}">${api.title}</a></h1>
      ${isSchema && html`<a href="../schemas">${words().schemas}</a>`}
    </div>
    <h2>${title}</h2> `
}

function createHeader({ api }: Reference) {
  return {
    skip: { href: '#reference', label: words().skip },
    state: html`<p class="authorization">
      <span class="state" role="status">${words().notAuthorized}</span>
      <button type="button" class="button quiet authorize">
        ${words().authorize}<span class="unseen">${textWith('forApi', { api: api.title })}</span>
      </button>
    </p>`,
    control: html`<button
      type="button"
      class="icon menu"
      aria-label="${words().searchOperations}"
      aria-expanded="false"
      aria-controls="sidebar"
      hidden
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="8.5" cy="8.5" r="5" />
        <path d="m12.5 12.5 4.5 4.5" />
      </svg>
    </button>`,
  }
}

/** Phones open the list at the left with the button, if there are scripts. */
function renderMain({ api, operations }: Reference, options: Site, root: string, content: Html): Html {
  return html`<main
    id="reference"
    data-api="${api.name}"
    data-scheme="${api.scheme}"
    data-schemes="${options.schemes.join(' ')}"
    data-resource="${api.resource}"
    ${api.clientAuthentication.includes('private_key_jwt') && html`data-proof="${api.clientAuthentication.length === 1 ? 'only' : 'too'}"`}
    data-token-endpoint="${api.tokenEndpoint}"
    data-key-header="${api.keyHeaders[0]}"
    data-search="${root}apis/${api.name}/search.json"
    data-calls="${root}${options.assets['calls.js'].path}"
    data-script="${root}${options.assets['reference.js'].path}"
    data-support="${options.brand.supportUrl}"
    data-register="${options.registration && `${root}register`}"
    data-emails="${String(options.hasEmails)}"
  >
    <button type="button" class="list chevron" aria-controls="sidebar">
      ${words().operations} <span class="size">${operations.length}</span>
    </button>
    ${content}
  </main>`
}
