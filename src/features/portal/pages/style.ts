import { VALUE_CSS } from '../../../shared/web/first-steps.js'
import { FIRST_GROUND, FORM_CSS, LOOK_CSS, shortenStyle } from '../../../shared/web/look.js'
import { CONTENTS_CSS } from '../../../shared/web/page-frame.js'
import { styleParts } from '../../../shared/web/parts.js'

const PARTS = styleParts('crumb', 'card', 'rows', 'pill', 'chip', 'tones', 'empty', 'code', 'desk')

const OWN = `:root:has(.form) { --page: 40rem }
:root:not(:has(.signed-in)) { ${FIRST_GROUND} }
.head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: center; margin: var(--top) 0 var(--space-4) }
.crumb + .head { margin-top: 0 }
.intro { margin: calc(-1 * var(--space-2)) 0 var(--space-5); color: var(--soft) }
.head > .button { margin-left: auto }
:is(.problem, .flash:target) ~ :is(.intro, .facts) { margin-top: 0 }
.warn { color: var(--warn) }
form + p, noscript + p { margin-top: var(--space-5) }
fieldset { display: grid; gap: var(--space-2) }
fieldset[aria-invalid]:not([type]) { box-shadow: none }
main > .notice { margin-bottom: var(--space-5) }
.flash { display: none }
.flash:target { display: block }
form p { margin: 0 }
figure.copyable { margin-bottom: var(--space-3) }
:is(span, p).copyable { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); align-items: center }
.head + .facts, .flash + .facts { margin: calc(-1 * var(--space-2)) 0 var(--space-5) }
.applications tr { position: relative }
.applications a::after { content: ''; position: absolute; inset: 0; border-radius: var(--corner-box) }
.applications a:focus-visible { outline: 0; &::after { outline: 2px solid var(--accent); outline-offset: -2px } }
.applications thead .number { width: 9rem }
.applications .named > a { margin-block: calc(-1 * var(--finger, 0px)) }
.tiles { margin: 0 0 var(--space-6) }
.parts > div { display: grid; gap: var(--space-5); min-width: 0 }
section.card, #danger { --x: clamp(1rem, 2.6vw, 1.25rem); scroll-margin-top: 3.5rem }
section.card { padding: 0; overflow: clip }
.card > header { padding: var(--space-3) var(--x) }
.card > header > div { flex: 1 1 18rem }
.card > header p { margin: 0 }
.rows h3, .table h3, .named { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); align-items: baseline; font-size: var(--text-plain) }
.rows > li { padding: var(--space-4) var(--x) }
.row h3 > a { margin-block: calc(-1 * var(--finger, 0px)); &:not(:hover) { text-decoration: none } }
.rows p:not(.plot *) { font-size: .875rem }
:is(td, th) p { margin: 0 }
td > time { display: inline-block }
:is(td > time, .tiles dd:nth-of-type(1))::first-letter { text-transform: uppercase }
.row { align-items: center }
.pair { display: flex; flex-wrap: wrap; gap: 1px; background: var(--line) }
.pair > li { flex: 1 1 24rem; min-width: 0; border: 0 !important; background: var(--raised) }
.scopes { display: grid; grid-template-columns: fit-content(50%) 1fr; gap: .375rem var(--space-2); margin: 0; padding: 0; list-style: none; font-size: .875rem; overflow-wrap: anywhere }
.scopes li { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; justify-items: start; align-items: baseline }
#colleagues .row { flex-wrap: nowrap; & > .actions { flex: none } }
.invite { gap: .375rem; padding: var(--space-4) var(--x); border-top: 1px solid var(--line) }
.together { display: flex; gap: var(--space-2); max-width: 30rem }
.together > button { flex: none }
.subject, dd { margin: 0 }
.subject, .subject dd { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); align-items: baseline }
.subject { padding: .5rem .875rem; border-radius: var(--corner-control); background: var(--code) }
.totals { display: grid; grid-template-columns: 1fr 1fr minmax(5rem, auto); gap: 0 var(--space-4); max-width: 24rem; margin: var(--space-2) 0; > div { display: contents } > :only-child { display: block; grid-column: 1 / -1 } }
.totals dt { grid-row: 1 }
.totals dd { grid-row: 2; font: 600 var(--text-title)/1.4 var(--display); letter-spacing: -.01em; font-variant-numeric: tabular-nums }
.totals dd + dd { grid-area: 3 / 2 / auto / -1; color: var(--soft); font: var(--text-small)/1.4 var(--sans); letter-spacing: 0 }
.totals small { color: var(--soft); font-size: var(--text-plain); font-weight: 400 }
#code { max-width: calc(14ch + 1.5rem); font: 600 1.125rem/1.5 var(--mono); letter-spacing: .1em; text-transform: uppercase }
main:has(> .box > .empty) > :is(.head, .crumb) { justify-content: center; text-align: center }
.choice .chip { margin-right: .25rem }
.empty > figure.copyable { margin-bottom: 0 }
.usage > p { margin: var(--space-2) 0 0 }
.usage > .totals:first-child { margin-top: 0 }
.plot { margin-top: var(--space-3) }
.plot :is(svg, .periods) { height: 7.5rem }
.plot .counts { height: calc(7.5rem + 1em) }
details summary { color: var(--accent); font-size: var(--text-small); font-weight: 500; &:hover { text-decoration: underline } }
#credentials thead th:last-child { font-size: 0 }
#credentials td:last-child .actions { flex-wrap: nowrap; justify-content: end }
#credentials .danger:not(:hover) { border-color: var(--line) }
@media (max-width: 63.99rem), (pointer: coarse) { :is(span, p).copyable .copy { margin-left: -.375rem } }
@media (max-width: 30rem) {
  main > .facts code { font-size: var(--text-tiny) }
  main:has(> .applications) { display: grid; .head { display: contents } h1 { order: -3; margin: var(--top) 0 var(--space-4) } .intro { order: -2 } .button { order: -1; justify-self: start; margin: 0 0 var(--space-5) } }
  #apis .row > div:not(:has(*)) { display: none }
  .applications .table {
    tbody tr { grid-template-columns: auto auto 1fr; gap: 0 var(--space-4) }
    .pill { margin-left: auto }
    td:nth-child(2)::before, td:nth-child(2):has(~ .number > .soft) ~ .number:not(:last-child) { display: none }
    tr:has(> td:last-child > .soft) { display: flex; flex-wrap: wrap; gap: 0 .375rem; th { flex: 0 0 100% } td:last-child::before { content: '· ' attr(data-label); display: inline; margin-right: .375rem; font-size: var(--text-small) } }
  }
  #credentials {
    tbody tr { grid-template-columns: auto 1fr; gap: 0 var(--space-4) }
    td:not(:last-child) { grid-column: auto; font-size: var(--text-small) }
    td::before { display: inline; margin-right: .375rem; font-size: inherit }
    td:last-child { padding-top: var(--space-2); &::before { display: none } .actions { flex-wrap: wrap; justify-content: start } }
  }
}
@media (min-width: 48rem) {
  .card .table :is(th, td) { &:first-child { padding-left: var(--space-5) } &:last-child { padding-right: var(--space-5) } }
  td > .warn > time { display: inline-block; &::first-letter { text-transform: uppercase } }
  #apis .row { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr) 9rem; align-items: start; & > div > p:first-child { margin-top: 0 } }
  #apis .actions { justify-content: end; margin-top: -.25rem }
}
@media (min-width: 64rem) {
  .parts:has(nav) { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: var(--space-10); align-items: start }
  .contents { top: 4.5rem; display: grid; margin: 0; padding: 0; border: 0; border-left: 1px solid var(--line) }
  .contents a { margin-left: -1px; text-align: left; padding: .3125rem var(--space-4); border-bottom: 0; border-left: 2px solid transparent }
  section.card, #danger { scroll-margin-top: 0 }
  .contents::after { display: none }
}
`

export const STYLE = shortenStyle(`${LOOK_CSS}${FORM_CSS}${PARTS}${CONTENTS_CSS}${OWN}`)

/** Only the page of a new credential has values to copy. */
export const ISSUED_STYLE = shortenStyle(
  `${VALUE_CSS}.stored { margin-top: var(--space-6) } .box > .notice { margin-bottom: var(--space-5) }`,
)
