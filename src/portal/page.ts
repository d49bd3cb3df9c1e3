import { createHash } from 'node:crypto'
import { html, type Html } from '../lib/html.js'
import { PALETTE_CSS } from '../lib/palette.js'
import { SCRIPTS } from './scripts.js'
import type { PortalSession } from './session.js'

/** What is on a page of the portal. */
export interface PortalPage {
  /** Undefined where nobody is signed in. */
  readonly session: PortalSession | undefined
  readonly content: Html
  /** What is wrong, above the content. The title, which is announced first, says that there is something. */
  readonly error?: string | Html | undefined
  readonly script?: keyof typeof SCRIPTS | undefined
}

/** A whole page. */
export type RenderPortalPage = (heading: string, page: PortalPage) => string

interface PageOptions {
  /** The path of the list of applications, without a slash at its end. Links begin with it. */
  readonly root: string
  /** The address of the console, which the pages link to. */
  readonly developersUrl: string
}

export function createPageRenderer({ root, developersUrl }: PageOptions): RenderPortalPage {
  return function renderPortalPage(heading, { session, content, error, script }) {
    const { markup } = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${error !== undefined && 'Error: '}${heading}</title>
          ${{ markup: `<style>${STYLE}</style>` }}
        </head>
        <body>
          <header>
            <nav aria-label="Portal">
              <a href="${developersUrl}">All APIs</a>
              ${session && html`<a href="${root}">My applications</a>`}
            </nav>
            ${session && renderSignOut(root, session)}
          </header>
          <main>
            <h1>${heading}</h1>
            ${error !== undefined && html`<div class="problem" role="alert" tabindex="-1" autofocus>${error}</div>`}
            ${content}
          </main>
          ${script && { markup: `<script>${SCRIPTS[script]}</script>` }}
        </body>
      </html> `
    return markup
  }
}

/** The field of every form that shows that the form is from this platform's own page. */
export function renderCsrf({ csrf }: Pick<PortalSession, 'csrf'>): Html {
  return html`<input type="hidden" name="csrf" value="${csrf}" />`
}

function renderSignOut(root: string, session: PortalSession): Html {
  return html`<form class="signed-in" method="post" action="${root}/sign-out">
    ${renderCsrf(session)}
    <span>${session.mailbox}</span>
    <button class="quiet">Sign out</button>
  </form>`
}

const STYLE = `${PALETTE_CSS}* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0 auto; max-width: 60rem; padding: 0 clamp(1rem, 4vw, 2.5rem) 4rem }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between; padding: 1rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem }
h1 { margin: clamp(1.5rem, 4vw, 3rem) 0 1.5rem; font-size: clamp(1.75rem, 1.4rem + 1.6vw, 2.4rem); font-weight: 650; line-height: 1.15; letter-spacing: -.02em; overflow-wrap: anywhere }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.125rem; font-weight: 650 }
p { margin: 0 0 1rem; max-width: 40rem }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px }
form { display: grid; gap: 1.25rem; max-width: 36rem }
.signed-in { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; color: var(--soft); overflow-wrap: anywhere }
.field { display: grid; gap: .375rem }
label { font-weight: 550 }
input { width: 100%; padding: .5rem .75rem; border: 1px solid var(--soft); border-radius: 6px; color: inherit; background: var(--raised); font: inherit }
[aria-invalid] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad) }
button { justify-self: start; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: 6px; color: var(--on-accent); background: var(--accent); font: inherit; font-weight: 550; cursor: pointer }
button.quiet { padding: .25rem .75rem; color: var(--accent); background: none }
button:hover { filter: brightness(1.08) }
.hint { margin: 0; color: var(--soft); font-size: .9375rem }
.problem { margin: 0 0 1.25rem; padding: .5rem .75rem; border-left: 3px solid var(--bad); background: var(--code) }
`

/**
 * Style and scripts are in the pages and allowed by their hashes. So the pages need no other address, whatever path or proxy
 * they are served behind.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${hashSource(STYLE)}'`,
  `script-src ${Object.values(SCRIPTS).map((script) => `'${hashSource(script)}'`).join(' ')}`,
  "connect-src 'none'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ') // prettier-ignore

function hashSource(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
