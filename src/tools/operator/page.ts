import { FORM_SCRIPT } from '../../shared/web/form-script.js'
import { renderProblem } from '../../shared/web/form-field.js'
import { html } from '../../shared/web/html.js'
import { FORM_CSS, LOOK_CSS, shortenStyle } from '../../shared/web/look.js'
import { hashSource, type PageBrand } from '../../shared/web/page-brand.js'
import { FRAME_TEXTS, renderFrame } from '../../shared/web/page-frame.js'
import { PARTS_CSS } from '../../shared/web/parts.js'
import { THEME_SCRIPT_SOURCE } from '../../shared/web/theme-switch.js'
import type { CallName } from '../operations/operator-calls.js'
import { TEXTS } from './texts/languages.js'
import type { PageAnswer, TabName, Visit } from './visit.js'

const STYLE =
  shortenStyle(`${LOOK_CSS}${FORM_CSS}${PARTS_CSS}h1, .head { margin: clamp(1.25rem, 3vw, 2.25rem) 0 var(--space-4) }
.head { display: flex; flex-wrap: wrap; gap: var(--space-3); align-items: center; justify-content: space-between }
.head h1 { margin: 0 }
p { max-width: 44rem }
main > :is(.card, .table, .tiles, .columns, .empty, .today, .actions, form) + :is(.card, .columns, .empty, .table, .search) { margin-top: var(--space-5) }
.columns { display: grid; gap: var(--space-5); width: auto; margin-inline: 0; grid-template-columns: minmax(0, 1fr) }
.columns > * { display: grid; gap: var(--space-5); align-content: start; min-width: 0 }
@media (min-width: 64rem) { .columns { grid-template-columns: minmax(0, 1fr) 22rem } }
.card > :is(p, form, dl) { padding: var(--space-4); margin: 0 }
.table { position: relative }
.card .table { border: 0; border-radius: 0; box-shadow: none }
.card > .table:last-child { border-radius: 0 0 var(--corner-box) var(--corner-box) }
.card > form { max-width: 36rem }
form.search { display: flex; flex-wrap: wrap; gap: var(--space-3); align-items: end; margin-bottom: var(--space-5) }
form.search > .field { flex: 1 1 7rem; max-width: 15rem }
form.search > .wide { flex: 2 1 100%; max-width: none }
@media (min-width: 40rem) { form.search > .wide { flex-basis: 14rem } }
form.search :is(input, select) { font-size: .875rem }
form.search > p { display: flex; gap: var(--space-2); margin: 0 }
form.search > p > * { padding-inline: var(--space-3) }
.facts-line { color: var(--soft); font-size: var(--text-small); font-weight: 400; display: flex; flex-wrap: wrap; gap: .125rem var(--space-4); margin: var(--space-1) 0 0; overflow-wrap: anywhere }
.facts-line .warn, .wrong { color: var(--bad) }
h1 + .facts-line { margin: calc(-1 * var(--space-2)) 0 var(--space-5); align-items: center }
.rows > li { padding: var(--space-3) var(--space-4) }
.rows > li > p { margin: var(--space-1) 0 0 }
.row a { overflow-wrap: anywhere }
.row > div { flex: 1 1 14rem }
main > .actions { margin: 0 0 var(--space-5) }
.card > .actions { max-width: none; padding: var(--space-3) var(--space-4) }
:is(.rows, .properties) + .actions { border-top: 1px solid var(--line) }
.properties > li { grid-template-columns: 7.5rem minmax(0, 1fr); align-items: baseline; padding: var(--space-2) var(--space-4) }
.properties > li:first-child { border-top: 0 }
.properties > li > code:first-child { font: 400 var(--text-small)/1.6 var(--sans); color: var(--soft) }
.properties .about { color: var(--ink); font-size: .875rem }
.card { container-type: inline-size }
td code { overflow-wrap: anywhere }
td > a { white-space: nowrap }
td:has(code) { min-width: 14rem }
.reasons { min-width: 14rem }
.table :is(th, td) > .facts-line { display: block }
.table tbody th { min-width: 12rem }
td .meter { width: 7rem }
td .meter + .soft { display: block }
.choices { display: grid; gap: var(--space-2) }
.today { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: var(--space-5); align-items: start }
.share { flex: 0 0 8rem !important }
:is(.actions, details).after { margin: var(--space-4) 0 0 }
.crumb { margin: var(--space-5) 0 0; font-size: var(--text-small); font-weight: 500 }
.crumb a:not(:hover) { text-decoration: none }
.crumb + h1 { margin-top: var(--space-2) }
.crumb + h1, .narrow { max-width: 44rem }
.notice { margin: 0 0 var(--space-5); max-width: 44rem }
.card .notice { margin: 0 }
.inside .plot { margin-top: var(--space-4) }
.timeline { display: grid; gap: var(--space-1); font-size: var(--text-small) }
.timeline p { margin: 0 }
.timeline code { margin-top: var(--space-2); overflow-wrap: anywhere }
.timeline svg { width: 100%; height: .75rem; border-radius: 3px; background: var(--code); overflow: visible }
.timeline .mark { width: .75rem; margin-right: .25rem; vertical-align: -.125rem }
.timeline .axis { height: 2.75em; background: none; fill: var(--soft); font-variant-numeric: tabular-nums }
.timeline rect { fill: color-mix(in oklab, var(--soft) 60%, var(--raised)) }
.timeline .next { fill: color-mix(in oklab, var(--info) 72%, var(--raised)) }
.timeline .current { fill: color-mix(in oklab, var(--good) 72%, var(--raised)) }
.timeline .now { fill: var(--ink) }
details > summary { color: var(--accent); font-size: var(--text-small); cursor: pointer }
figure { margin: 0 0 var(--space-4) }
.preview { display: block; width: 100%; height: 44rem; border: 0; border-radius: var(--corner-box); background: #fff }
pre.data { margin: 0; white-space: pre-wrap }
`)

/** Style and script are in the page and allowed by their hashes: no path and no proxy matters. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${hashSource(STYLE)}`,
  `script-src ${THEME_SCRIPT_SOURCE} ${hashSource(FORM_SCRIPT)}`,
  "connect-src 'none'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What each tab needs. */
const TABS = {
  today: 'applications.list',
  applications: 'applications.list',
  usage: 'usage.totals',
  emails: 'emails.list',
  keys: 'signingKeys.list',
  audit: 'audit.list',
  reportOnly: 'usage.reportOnly',
} as const satisfies Readonly<Partial<Record<TabName, CallName>>>

/** The tabs that the operator may open. */
export function listTabs({ may }: Pick<Visit, 'may'>): readonly TabName[] {
  return (Object.keys(TABS) as (keyof typeof TABS)[]).filter((name) => may(TABS[name]))
}

/** A whole page. `tabs`: those that this operator may open. */
export function renderPage(
  page: PageAnswer &
    Pick<Visit, 'language' | 'root'> & {
      readonly brand: PageBrand
      readonly operator: string | undefined
      readonly signOut: string | undefined
      readonly tabs: readonly TabName[]
    },
): string {
  const { heading, actions, content, brand, language, root, operator, signOut, tabs, tab, parent, problem } = page
  const texts = TEXTS[language]
  return renderFrame({
    language,
    title: problem === undefined ? heading : FRAME_TEXTS[language].error(heading),
    brand,
    head: { markup: `<style>${STYLE}</style>` },
    header: {
      home: { href: `${root}/`, label: texts.home },
      tabs: tabs.map((name) => {
        const href = `${root}/${name === 'today' ? '' : name}`
        return { href, label: texts.tabs[name], isCurrent: name === tab }
      }),
      state:
        operator !== undefined &&
        (signOut === undefined
          ? html`<span class="signed-in">${operator}</span>`
          : html`<form class="signed-in" method="post" action="${signOut}">
              <span>${operator}</span> <button class="quiet">${texts.actions.signOut}</button>
            </form>`),
    },
    content: html`<main>
      ${parent && html`<p class="crumb"><a href="${root}${parent[0]}">${parent[1]}</a></p>`}
      ${
        actions
          ? html`<div class="head">
              <h1>${heading}</h1>
              ${actions}
            </div>`
          : html`<h1>${heading}</h1>`
      }
      ${problem !== undefined && renderProblem(problem)} ${content}
    </main>`,
    end: { markup: `<script>${FORM_SCRIPT}</script>` },
  })
}
