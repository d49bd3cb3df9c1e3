import { ownMembers } from '../lib/own-members.js'
import type { Language } from '../contracts/application-record.js'
import { VALUE_CSS } from './first-steps.js'
import { html, keepWhole, type Html } from './html.js'
import { COLORS, FIRST_GROUND, FORM_CSS, LOOK_CSS, shortenStyle } from './look.js'
import { styleParts } from './parts.js'
import type { PageBrand } from './page-brand.js'
import { createDeveloperHeader, type DeveloperTab, renderFrame } from './page-frame.js'
import { formatPagePolicy } from './frame-script.js'

export interface PageLinks {
  readonly brand: PageBrand
  readonly developersUrl: string | undefined
  /** The address where contacts manage their applications; undefined if there is no portal. */
  readonly portalUrl: string | undefined
}

const { warn, 'warn-ground': ground } = COLORS
const PLAIN = `${LOOK_CSS}${FORM_CSS}${styleParts('chip', 'pill', 'empty')}.pill.warn { color: light-dark(${warn.light}, ${warn.dark}); background: light-dark(${ground.light}, ${ground.dark}) }
:root { --page: 40rem; ${FIRST_GROUND} }
h1 { margin: var(--top) 0 var(--space-2) }
main:has(> .box > .empty, #refused:not([hidden])) > h1 { text-align: center }
.intro { margin-bottom: var(--space-5); color: var(--soft) }
h1 + :is(.box, form, .problem) { margin-top: var(--space-5) }
h2 ~ p { color: var(--soft); font-size: .875rem }
.box .empty p:first-of-type { color: var(--ink); font-size: var(--text-plain); font-weight: 500 }
`

/** The names of scopes, and beside them what they mean. */
const SCOPES = `.hint, .about, label small { color: var(--soft); font-size: var(--text-small); font-weight: 400 }
.about, .facts ul { display: grid; grid-template-columns: fit-content(50%) 1fr; gap: var(--space-1) var(--space-2); overflow-wrap: anywhere; & > * { grid-column: 1 / -1 } }
:is(.scope, .facts li) { display: grid; grid-template-columns: subgrid; justify-items: start; align-items: baseline }
`

const FORM = `${SCOPES}.problem ul { display: grid; margin: var(--space-1) 0 0; padding-left: 1.25rem; a { color: inherit } }
@media (max-width: 63.99rem), (pointer: coarse) { .problem li > a { display: block; min-height: 44px; margin-block: -.25rem; padding-block: var(--finger) } }
form + h2 { font-size: var(--text-large) }
fieldset > .wrong { margin-bottom: .375rem }
.choice > span { flex: 1; display: grid; gap: var(--space-1); min-width: 0 }
.choice .name { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); align-items: baseline }
.choice { display: flex; gap: var(--space-3); align-items: start; padding: var(--space-3) var(--space-4); border: 1px solid var(--line); background: var(--raised); font-size: .875rem; font-weight: 400 }
.choice:hover { background: var(--over) }
.choice:has(:checked) { background: color-mix(in srgb, var(--accent) 6%, var(--raised)) }
.choice:first-of-type { border-radius: var(--corner-box) var(--corner-box) 0 0 }
.choice:last-of-type { border-radius: 0 0 var(--corner-box) var(--corner-box) }
.choice:only-of-type { border-radius: var(--corner-box) }
.choice + .choice { border-top: 0 }
.field > .choice { padding: var(--finger, 0) 0; border: 0; background: none; & > span { display: block } }
.about em { color: var(--ink); font-style: normal }
`

const DECISION = `${SCOPES}.box > .empty:has(~ :is(.quote, dl)) { margin-bottom: var(--space-4); padding-bottom: var(--space-5); border-bottom: 1px solid var(--line); & ~ dl { margin-top: var(--space-4) } }
dl { margin: 0 }
dt { margin-top: var(--space-4) }
dd { margin: var(--space-1) 0 0 }
.facts ul { margin: var(--space-1) 0 0; padding: 0; list-style: none }
dt:first-child { margin: 0 }
.decision { display: grid; gap: var(--space-5) }
.decision form + form { margin-top: var(--space-5); padding-top: var(--space-5); border-top: 1px solid var(--line) }
.decision button { justify-self: stretch }
.decision dd { font-size: .875rem }
:root:has(.decision) { --page: 80rem }
@media (min-width: 60rem) { .decision { grid-template-columns: minmax(0, 1fr) 21rem } .decision > * { align-self: start } .decision > div { position: sticky; top: 4.5rem } .decision dl { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: var(--space-3); align-content: start } .decision :is(dt, dd) { margin: 0 } .decision dd { grid-column: 2 } }
.quote { overflow-wrap: anywhere; white-space: pre-line; padding-left: var(--space-3); border-left: 3px solid var(--line) }
`

/** Only the page of credentials has code. */
const STYLES = {
  plain: shortenStyle(PLAIN),
  form: shortenStyle(`${PLAIN}${FORM}`),
  decision: shortenStyle(`${PLAIN}${DECISION}`),
  code: shortenStyle(`${PLAIN}${styleParts('code')}${VALUE_CSS}.notice { margin-bottom: var(--space-4); --tone: light-dark(${warn.light}, ${warn.dark}); background: light-dark(${ground.light}, ${ground.dark}) }
.copyable { margin-bottom: var(--space-3) }
#credentials p { margin-bottom: var(--space-5); color: var(--soft); font-size: var(--text-small) }
#ask > :last-child { margin: 0 }
#next > :last-child { margin-bottom: 0 }
#next .actions:last-child:not(:first-child) { margin-top: var(--space-5) }
`),
}

export function createContentSecurityPolicy(script?: string, style: keyof typeof STYLES = 'plain'): string {
  return formatPagePolicy([STYLES[style]], script === undefined ? [] : [script], "connect-src 'self'")
}

export function renderPage(
  heading: string,
  { brand, developersUrl, portalUrl }: PageLinks,
  content: Html,
  options: {
    readonly script?: string
    /** The title, which is announced first, says so. */
    readonly isError?: boolean
    readonly language?: Language
    /** False: no tabs, for pages that are not for developers. */
    readonly tab?: DeveloperTab | false
    readonly style?: keyof typeof STYLES
  } = {},
): string {
  const { script, isError = false, language = 'en', tab, style = 'plain' } = ownMembers(options)
  const known = { portal: portalUrl !== undefined }
  const header = createDeveloperHeader(developersUrl, known, { language, tab: tab || undefined })
  return renderFrame({
    language,
    title: heading,
    isError,
    brand: tab === false ? { ...brand, supportUrl: undefined } : brand,
    head: { markup: `<style>${STYLES[style]}</style>` },
    header: tab === false ? { home: header.home, tabs: undefined } : header,
    content: keepWhole(
      html`<main>
        <h1>${heading}</h1>
        ${content}
      </main>`,
    ),
    end: script !== undefined && { markup: `<script>${script}</script>` },
  })
}
