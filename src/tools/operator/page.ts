import { VALUE_CSS } from '../../shared/web/first-steps.js'
import { FORM_SCRIPT } from '../../shared/web/form-script.js'
import { renderProblem } from '../../shared/web/form-field.js'
import { html } from '../../shared/web/html.js'
import { FORM_CSS, LOOK_CSS, shortenStyle } from '../../shared/web/look.js'
import type { PageBrand } from '../../shared/web/page-brand.js'
import { CONTENTS_CSS, CONTENTS_SCRIPT, renderFrame } from '../../shared/web/page-frame.js'
import { styleParts } from '../../shared/web/parts.js'
import { formatPagePolicy } from '../../shared/web/frame-script.js'
import { TEXTS } from './texts/languages.js'
import type { PageAnswer, TabName, Visit } from './visit.js'

const PARTS = styleParts('crumb', 'card', 'rows', 'pill', 'chip', 'tones', 'empty', 'code', 'desk')

const STYLE =
  shortenStyle(`${LOOK_CSS}${FORM_CSS}${PARTS}${CONTENTS_CSS}${VALUE_CSS}main { display: grid; gap: var(--space-5); grid-template-columns: minmax(0, 1fr); padding-top: var(--top) }
main > * { margin-block: 0 !important; min-width: 0 }
body > main.narrow { --page: 40rem }
p { max-width: 44rem }
.head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: center; min-height: 2.25rem; & > :is(.action, .actions) { margin-left: auto } }
.head .action { padding: .375rem var(--space-4); font-size: .875rem; line-height: 1.6 }
.crumb { margin-block: calc(-1 * var(--finger, 0px)) calc(-1 * var(--space-4) - var(--finger, 0px)) !important }
.head > .facts { order: 1; flex: 0 0 100% }
.head + .facts, .head + .lead { margin-top: calc(-1 * var(--space-3)) !important }
.lead { max-width: 48rem; color: var(--soft) }
.notice p { max-width: none }
span.copyable { display: inline-flex; flex-wrap: wrap; gap: 0 var(--space-2); align-items: center }
.columns, .columns > * { display: grid; gap: var(--space-5); align-content: start; width: auto; min-width: 0; grid-template-columns: minmax(0, 1fr) }
@media (min-width: 64rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 22rem }
  .contents { display: none }
}
@media (max-width: 63.99rem) { .axis .wide { display: none } section[id] { scroll-margin-top: 3rem } }
.card { container-type: inline-size }
.card:has(.menu[open]) { z-index: 1 }
.card > .table:last-child { border-radius: 0 0 var(--corner-box) var(--corner-box) }
.narrow > .head:has(~ .card > .empty) { justify-content: center; text-align: center }
.narrow > .card > .empty { padding-inline: clamp(1rem, 4vw, 1.25rem) }
.empty p { text-wrap: balance }
form.search { display: flex; flex-wrap: wrap; gap: var(--space-3); align-items: end }
.card > form.search { padding: var(--space-4) }
form.search > .field { flex: 1 1 9rem; max-width: 15rem; &:has([type=search]) { flex: 1 1 16rem; max-width: 30rem } }
main select:has([value='']:not(:checked)) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent) }
form.search :is(input, select) { font-size: .875rem }
form.search > p { display: flex; gap: var(--space-2); margin: 0 }
.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: var(--space-3); align-items: end }
main details:not(.menu) > summary { width: fit-content; color: var(--accent); font-size: var(--text-small); cursor: pointer }
form.search > details { & > summary { display: flex; align-items: center; padding: .4375rem .75rem; font-size: .875rem; font-weight: 500 } &[open] { flex: 0 0 100% } }
@supports selector(::details-content) { form.search > details { display: contents; &::details-content { flex: 0 0 100% } &:not([open])::details-content { display: none } } }
.choices { display: grid; gap: var(--space-2) }
.choice > span { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); align-items: baseline }
.choices + .choices { margin-top: var(--space-4) }
.choices > legend { margin-bottom: var(--space-2); font-size: .875rem }
.choices > legend, .choices > .choice > span:not(:has(code)) { font-weight: 600 }
.choices > legend ~ .choice { padding-left: var(--space-4) }
textarea[spellcheck=false] { min-height: 4lh; font: var(--text-small)/1.6 var(--mono); field-sizing: content }
.none, .age { color: var(--soft) }
.age, .share { font-size: var(--text-small) }
@media (min-width: 40rem) { .share { display: inline-block; min-width: 3.25rem } }
.facts .warn:not(.pill) { color: var(--warn) }
.facts .meter { width: 9rem }
.facts > :has(> .chip) { margin-right: calc(-1 * var(--space-2)) }
.facts > :has(> :is(.chip, .meter)) + *::before { content: none }
.rows > li { padding: var(--space-3) var(--space-4) }
.rows > .row { flex-wrap: nowrap; align-items: center }
.row > div { flex: 1 1 auto }
.danger-zone > .rows > .row { flex-wrap: wrap; & > :first-child { flex-basis: 17rem } & > .actions { max-width: none } }
.row h3 + .facts { margin-top: .125rem; &:has(.chip) { margin-top: .375rem } }
.field:has(> .choice) { margin-block: calc(-1 * var(--finger, 0px)) }
.unseen + .rows > .day:first-child { border-radius: var(--corner-box) var(--corner-box) 0 0 }
main:not(.narrow) > .actions { justify-content: center; max-width: none }
.row > :is(.actions, .age, a) { flex: none; max-width: 60%; margin: 0 }
.row > .button { padding: var(--space-1) .75rem; font-size: var(--text-small) }
.day { padding-block: var(--space-2) !important; color: var(--soft); background: var(--code); font-size: var(--text-small); font-weight: 500 }
.row:has(> .age) { padding-block: var(--space-2) }
.row h3 { text-wrap: pretty; &:has(strong), .row:has(> .age) & { font-weight: 400 } & > a { font-weight: 500 } .row:has(> .age) & > a { display: inline } }
:is(h2, h3):has(> .pill) { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-2); align-items: center }
.menu { position: relative; display: grid; align-self: stretch }
.menu > summary::before { display: none !important }
.menu > summary > svg { width: 1.25rem; height: 1.25rem; fill: none; stroke: currentcolor; stroke-width: 3.5; stroke-linecap: round }
.menu > div { position: absolute; z-index: 2; top: calc(100% + var(--space-1)); right: 0; display: grid; min-width: 12rem; padding: var(--space-1); border: 1px solid var(--line); border-radius: var(--corner-box); background: var(--raised); box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / 16%) }
.menu .action { justify-content: start; padding: var(--space-2) var(--space-3); border: 0; box-shadow: none; white-space: nowrap }
.menu .action:hover { background: var(--code) }
.menu > summary.action { display: grid; place-content: center; padding: .3125rem .375rem; border: 1px solid var(--line); box-shadow: var(--lift) }
.settings { margin: 0; & > div { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: var(--space-4); align-items: baseline; padding: var(--space-2) var(--space-4) } }
.settings > div + div { border-top: 1px solid var(--line) }
.settings dd { margin: 0; font-size: .875rem; overflow-wrap: anywhere; & > span { display: block } }
td code { overflow-wrap: anywhere }
@media (min-width: 48rem) { .table tbody th { max-width: 20rem } }
:is(td, .age) > time, td > a, td:has(.meter) { white-space: nowrap }
td:has(code), .reasons { min-width: 14rem }
td .meter { width: 7rem; margin-top: .125rem }
.today { &:has(> :nth-child(2)) { columns: 32rem 2; column-gap: var(--space-5) } > * { break-inside: avoid } > :not(:last-child) { margin-bottom: var(--space-5) } }
td > :is(time, .soft):only-child { display: inline-block }
:is(.tiles dd:nth-of-type(1), td > :is(time, .soft):only-child)::first-letter { text-transform: uppercase }
.inside > .tiles { gap: var(--space-4) 0; margin-left: calc(-1 * var(--space-4) - 1px); clip-path: inset(0 0 0 1px); > div { padding-block: 0; border-width: 0 0 0 1px; border-radius: 0; box-shadow: none } }
.on::before { content: ''; display: inline-block; width: .375rem; height: .375rem; margin: 0 .375rem .125rem 0; border-radius: 50%; background: var(--good) }
.inside .plot { margin: 0 }
.tiles + .plot.plot { margin-top: var(--space-4) }
.rows > .life { padding-top: 0; border: 0; & svg { display: block; font-size: var(--text-small); width: 100%; height: .5rem; border-radius: 3px; background: var(--code); overflow: hidden } }
.rows > .axis { margin-top: calc(-1 * var(--space-2)); & svg { height: 1.5em; border-radius: 0; background: none; fill: currentcolor } display: flex; flex-wrap: wrap; gap: 0 var(--space-4); justify-content: space-between; color: var(--soft); font-size: var(--text-small) }
.axis .mark:not(:first-child) { margin-left: var(--space-3) }
.life { .past { --bar: color-mix(in srgb, var(--raised) 60%, #0000) } .former { --bar: color-mix(in oklab, var(--soft) 60%, var(--raised)) } .now { --bar: var(--ink) } }
.life { .next { --bar: color-mix(in oklab, var(--info) 72%, var(--raised)) } .current { --bar: color-mix(in oklab, var(--good) 72%, var(--raised)) } }
.life :is(rect, .mark) { fill: var(--bar); background: var(--bar) }
.preview { display: block; width: 100%; height: 60rem; border: 1px solid var(--line); border-radius: var(--corner-box); background: #fff }
pre.data { margin: 0; padding: var(--space-3) var(--space-4); border: 1px solid var(--line); border-radius: var(--corner-box); background: var(--raised); white-space: pre-wrap }
@media (max-width: 40rem) {
  .rows > .row { display: grid; gap: var(--space-1) var(--space-3); grid-template-columns: minmax(0, 1fr) auto }
  .row > div:not(.actions) { display: contents }
  .row > div > p { grid-column: 1 / -1 }
  .row > :is(.actions, .age, a) { grid-area: 1 / 2; max-width: none }
  .row:has(> .age) .facts { & > :first-child, &:not(:has(> :nth-child(2))) { display: none } }
  .choices { gap: 0 }
  .head > .facts { order: 0 }
  .head > .actions { margin: var(--space-2) 0 0; flex-basis: 100% }
  .head:has(> .actions):has(+ .lead) { display: contents; & > h1 { order: -3 } & > .actions { order: -1; margin-top: calc(-1 * var(--space-2)) } & + .lead { order: -2 } }
  .danger-zone > .rows > .row { display: flex; & > .actions { margin-top: var(--space-2) } }
}
@media (max-width: 30rem) {
  .subject { position: absolute; clip-path: inset(50%) }
  form.search > details > summary { padding-left: 0 }
  form.search > .field { max-width: none; &:first-child:nth-last-child(odd) { flex-basis: 100% } }
  .tiles dd:nth-of-type(1) { font-size: var(--text-title) }
  td:has(> .none), td:not(.number):has(> .soft:only-child) { display: none !important }
  .head .action, .head .button { padding-inline: .625rem }
  .table tbody td:not(:has(code, .meter)) { grid-column: auto }
  .table td:has(> .reasons)::before { content: none }
  .table tr:has(> td > .pill) { position: relative; & > th { padding-right: 8rem } }
  .table td:has(> .pill) { grid-column: auto; position: absolute; top: var(--space-3); right: var(--space-4); padding: 0; &::before { content: none } }
}
`)

const SCRIPTS = [FORM_SCRIPT, CONTENTS_SCRIPT]
export const CONTENT_SECURITY_POLICY = formatPagePolicy([STYLE], SCRIPTS, "connect-src 'none'; frame-src 'self'")

export function formatPath(tab: TabName): string {
  return tab === 'today' ? '/' : `/${tab}`
}

export function renderPage(
  page: PageAnswer,
  frame: Pick<Visit, 'language' | 'root'> & {
    readonly brand: PageBrand
    readonly operator: string | undefined
    readonly signOut: string | undefined
    readonly tabs: readonly TabName[]
  },
): string {
  const { heading, state, actions, content, tab, parent, problem, isNarrow } = page
  const { brand, language, root, operator, signOut, tabs } = frame
  const texts = TEXTS[language]
  return renderFrame({
    language,
    title: heading,
    isError: problem !== undefined,
    brand,
    head: { markup: `<style>${STYLE}</style>` },
    header: {
      home: { href: `${root}/`, label: texts.home, role: brand.isNamed && texts.home },
      tabs: tabs.map((name) => {
        return { href: root + formatPath(name), label: texts.tabs[name], isCurrent: name === tab }
      }),
      state:
        operator !== undefined &&
        (signOut === undefined
          ? html`<span class="signed-in">${operator}</span>`
          : html`<form class="signed-in" method="post" action="${signOut}">
              <span>${operator}</span> <button class="quiet">${texts.signOut}</button>
            </form>`),
    },
    content: html`<main${isNarrow && html` class="narrow"`}>
      ${
        parent &&
        html`<div class="crumb">
          ${tab && parent[0] !== `/${tab}` && html`<a href="${root}/${tab}">${texts.tabs[tab]}</a>`}
          <a href="${root}${parent[0]}">${parent[1]}</a>
        </div>`
      }
      <div class="head">
        <h1>${heading}</h1>
        ${state} ${actions}
      </div>
      ${problem !== undefined && renderProblem(problem)} ${content}
    </main>`,
    end: { markup: `<script>${FORM_SCRIPT}</script>` },
  })
}
