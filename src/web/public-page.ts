import { hashSource } from './hash-source.js'
import { html, type Html } from './html.js'
import { ownMembers } from '../lib/own-members.js'
import type { PageBrand } from './page-brand.js'
import { PALETTE_CSS } from './palette.js'
import { THEME_BUTTON, THEME_SCRIPT, THEME_SCRIPT_SOURCE } from './theme-switch.js'

/** The links and the brand of every page. */
export interface PageLinks {
  readonly brand: PageBrand
  /** The address of the console. */
  readonly developersUrl: string | undefined
  /** The address where contacts manage their applications; undefined if there is no portal. */
  readonly portalUrl: string | undefined
}

const STYLE = `${PALETTE_CSS}* { box-sizing: border-box }
body { margin: 0 auto; max-width: 36rem; padding: 0 clamp(1rem, 4vw, 2.5rem) 4rem }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: 1rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem }
header a:first-child::before { content: '←'; display: inline-block; margin-right: .5em }
h1 { margin: clamp(1.5rem, 4vw, 3rem) 0 1.5rem; font-size: clamp(1.75rem, 1.4rem + 1.6vw, 2.4rem); font-weight: 650; line-height: 1.15; letter-spacing: -.02em }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.125rem; font-weight: 650 }
p { margin: 0 0 1rem }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px }
form { display: grid; gap: 1.25rem }
.field { display: grid; gap: .375rem }
label, legend { font-weight: 550 }
input:not([type=checkbox]), select, textarea { width: 100%; padding: .5rem .75rem; border: 1px solid var(--soft); border-radius: 6px; color: inherit; background: var(--raised); font: inherit }
[aria-invalid]:not([type=checkbox]) { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad) }
fieldset { margin: 0; padding: 0; border: 0 }
legend { padding: 0; margin-bottom: .375rem }
fieldset > .wrong { margin-bottom: .375rem }
.choice { display: flex; gap: .75rem; align-items: baseline; padding: .75rem 1rem; border: 1px solid var(--line); background: var(--raised); font-weight: 400 }
.choice:first-of-type { border-radius: 8px 8px 0 0 }
.choice:last-of-type { border-radius: 0 0 8px 8px }
.choice:only-of-type { border-radius: 8px }
.choice + .choice { border-top: 0 }
.choice strong { font-weight: 600 }
.choice em { color: var(--soft); font-style: normal }
button { justify-self: start; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: 6px; color: var(--on-accent); background: var(--accent); font: inherit; font-weight: 550; cursor: pointer }
button:hover { filter: brightness(1.08) }
button.quiet { color: var(--accent); background: none }
button:disabled { opacity: .6; cursor: default }
.wrong { margin: 0; color: var(--bad) }
.problem ul { margin: .25rem 0 0; padding-left: 1.25rem }
.problem a { color: inherit }
.problem { margin: 0 0 1.25rem; padding: .5rem .75rem; border-left: 3px solid var(--bad); background: var(--code) }
dl { margin: 0 }
dt { margin-top: 1rem; color: var(--soft); font-size: .875rem }
dd { margin: .25rem 0 0 }
.field p { margin: 0 }
.facts { margin-bottom: 2rem }
.facts dd, .quote { overflow-wrap: anywhere }
.facts ul { margin: 0; padding-left: 1.25rem }
.quote { white-space: pre-line; padding-left: .75rem; border-left: 3px solid var(--line) }
code { display: block; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--code); font: .875rem/1.5 var(--mono); overflow-wrap: anywhere; user-select: all }
`

/**
 * Style and script are in the page and allowed by their hashes. So the pages need no other address, whatever path or proxy
 * they are served behind.
 */
export function createContentSecurityPolicy(script?: string): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(STYLE)}`,
    `script-src ${THEME_SCRIPT_SOURCE}${script === undefined ? '' : ` ${hashSource(script)}`}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A whole page for people who are not signed in. With `isError` its title, which is announced first, says so. */
export function renderPage(
  heading: string,
  { brand, developersUrl, portalUrl }: PageLinks,
  content: Html,
  options: { readonly script?: string; readonly isError?: boolean } = {},
): string {
  const { script, isError = false } = ownMembers(options)
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no" />
        <title>${isError && 'Error: '}${heading}</title>
        ${THEME_SCRIPT} ${{ markup: `<style>${STYLE}</style>` }} ${brand.style}
      </head>
      <body>
        ${brand.header}
        <header>
          ${developersUrl !== undefined && html`<a href="${developersUrl}">All APIs</a>`}
          ${developersUrl !== undefined && portalUrl !== undefined && html`<a href="${portalUrl}">My applications</a>`}
          ${THEME_BUTTON}
        </header>
        <main>
          <h1>${heading}</h1>
          ${content}
        </main>
        ${brand.footer} ${script !== undefined && { markup: `<script>${script}</script>` }}
      </body>
    </html> `
  return markup
}
