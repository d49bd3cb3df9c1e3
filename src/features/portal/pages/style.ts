import { FORM_CSS, LOOK_CSS, shortenStyle } from '../../../shared/web/look.js'
import { styleParts } from '../../../shared/web/parts.js'

const PARTS = styleParts('card', 'rows', 'pill', 'chip', 'tones', 'empty', 'code', 'desk')

const OWN = `h1 { margin: clamp(1.25rem, 3vw, 2.25rem) 0 var(--space-4) }
p { max-width: 42rem }
.warn { color: var(--warn) }
.wrong { color: var(--bad) }
form { max-width: 36rem }
form + p, noscript + p { margin-top: var(--space-5) }
fieldset { display: grid; gap: var(--space-2) }
.problem, .note { max-width: 42rem }
.note { margin: 0 0 var(--space-5); padding: .625rem .875rem; border: 1px solid var(--line); border-radius: var(--corner-control); background: var(--code) }
.notice { display: none; margin-bottom: var(--space-5) }
.notice:target { display: block }
form.card { padding: var(--space-5) }
form.card p, form.card .note { margin: 0 }
.applications { margin: var(--space-6) 0 }
.applications .facts { margin: 0; font-weight: 400 }
.applications a { font-weight: 600; overflow-wrap: anywhere }
.tiles { margin: var(--space-5) 0 }
.danger-zone { margin-top: var(--space-8) }
.card > section, section.card { padding: 0 }
.facts { display: flex; flex-wrap: wrap; gap: .125rem var(--space-4); margin: 0; color: var(--soft); font-size: var(--text-small); overflow-wrap: anywhere }
h1 + .facts, .notice + .facts { font-size: var(--text-small); margin-bottom: var(--space-5); align-items: center }
.kind { margin-left: var(--space-1); padding: 0 .5rem; border-radius: 99px; color: var(--soft); background: var(--code); font-size: var(--text-tiny); font-weight: 500 }
.contents { margin: var(--space-4) 0 var(--space-2); font-size: .875rem; font-weight: 500 }
.contents ul { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-5); margin: 0; padding: 0; list-style: none }
section:not(.card) { display: grid; grid-template-columns: minmax(0, 14rem) minmax(0, 1fr); gap: var(--space-3) var(--space-10); align-items: start; padding: var(--space-8) 0 0; margin-top: var(--space-8); border-top: 1px solid var(--line) }
.card > header { padding-inline: var(--space-5) }
section > .about { position: sticky; top: 4.5rem }
.about h2 { margin: 0 0 var(--space-1) }
.about p { margin: 0; color: var(--soft); font-size: var(--text-small) }
.rows > li { padding: var(--space-4) var(--space-5) }
.invite { border-top: 1px solid var(--line) }
div.row { padding: var(--space-4) var(--space-5) }
div.row > p:first-child { flex: 1 1 18rem; margin: 0 }
.scopes { margin: var(--space-2) 0 0; padding: 0; list-style: none; font-size: var(--text-plain); overflow-wrap: anywhere }
.scopes code { margin: 0 var(--space-1) var(--space-1) 0 }
div.card > .foot { max-width: none; margin: 0; padding: .875rem var(--space-5) }
form.card > p.foot { gap: var(--space-5); max-width: none; margin: 0 calc(-1 * var(--space-5)) calc(-1 * var(--space-5)); padding: var(--space-4) var(--space-5) }
.invite { gap: .375rem; max-width: none; padding: var(--space-4) var(--space-5) }
.together { display: flex; gap: var(--space-2) }
.together > button { flex: none }
.subject { margin: 0 }
.download { margin: 0 0 var(--space-4) }
.crumb { margin: 0 0 var(--space-4); color: var(--soft); font-size: var(--text-small) }
dd { margin: 0 }
.totals { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-10); margin: var(--space-2) 0 }
.totals dd { font: 600 var(--text-title)/1.4 var(--display); letter-spacing: -.01em; font-variant-numeric: tabular-nums }
.totals dt::before { content: ''; display: inline-block; width: .625rem; height: .625rem; margin-right: .375rem; border-radius: 2px }
.totals dt:not([class])::before { display: none }
.totals .allowed::before { background: var(--plot) }
.totals .refused::before { background: var(--plot-bad) }
.usage .soft { margin: 0 0 var(--space-2) }
details summary { color: var(--accent); font-size: var(--text-small); font-weight: 500; cursor: pointer }
@media (max-width: 52rem) {
  section:not(.card) { grid-template-columns: minmax(0, 1fr) }
  section > .about { position: static }
}
`

export const STYLE = shortenStyle(`${LOOK_CSS}${FORM_CSS}${PARTS}${OWN}`)
