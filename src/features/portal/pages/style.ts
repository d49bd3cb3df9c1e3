import { FORM_CSS, LOOK_CSS } from '../../../web/look.js'

const COMMON = `html { scroll-padding-top: 1rem }
body { max-width: 68rem }
main { max-width: 100% }
h1 { margin: clamp(1.5rem, 4vw, 3rem) 0 1rem }
h3 { margin: 0; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere }
p { max-width: 42rem }
.soft { color: var(--soft); font-size: .9375rem }
.warn, .wrong { color: var(--bad) }
form { max-width: 36rem }
form + p, noscript + p { margin-top: 1.25rem }
.signed-in { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; color: var(--soft); overflow-wrap: anywhere }
fieldset { display: grid; gap: .5rem }
.choice { display: flex; gap: .625rem; align-items: baseline; font-weight: 400 }
.quiet { padding: .25rem .75rem }
button.danger { border-color: var(--bad); color: var(--paper); background: var(--bad) }
.hint { margin: 0; color: var(--soft); font-size: .9375rem }
.problem, .notice, .note { max-width: 42rem }
.notice, .note { margin: 0 0 1.25rem; padding: .625rem .875rem; border-left: 3px solid var(--soft); border-radius: 0 6px 6px 0; background: var(--code) }
.notice { display: none; border-color: var(--accent) }
.notice:target { display: block }
`

const APPLICATIONS = `.card { border: 1px solid var(--line); border-radius: 10px; background: var(--raised); min-width: 0 }
form.card { padding: 1.25rem }
form.card p, form.card .note { margin: 0 }
.applications { display: grid; gap: .75rem; margin: 1.5rem 0; padding: 0; list-style: none }
.applications .card { position: relative; padding: 1rem 1.25rem }
.applications .card:hover { border-color: var(--accent) }
.applications h2 { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; margin: 0; overflow-wrap: anywhere }
.applications h2 a { text-decoration: none }
.applications h2 a::after { content: ''; position: absolute; inset: 0 }
.applications p { margin: .25rem 0 0 }
.facts { display: flex; flex-wrap: wrap; gap: .125rem 1rem; margin: 0; color: var(--soft); font-size: .875rem; overflow-wrap: anywhere }
.facts .warn, .wrong { color: var(--bad) }
.facts .status { margin-left: 0 }
h1 + .facts, .notice + .facts { font-size: .9375rem; margin-bottom: 1.25rem; align-items: center }
.status, .kind { margin-left: .25rem; display: inline-block; padding: .0625rem .5rem; border: 1px solid var(--line); border-radius: 99px; color: var(--soft); font-size: .8125rem; font-weight: 550; white-space: nowrap }
.status.active { border-color: var(--good); color: var(--good) }
.status.suspended { border-color: var(--bad); color: var(--bad) }
.status.pending { border-color: var(--soft); border-style: dashed }
.kind { border-radius: 5px; background: var(--code) }
code { font-family: var(--mono) }
code.inline { font-size: .875em; overflow-wrap: anywhere }
.contents { margin: 1rem 0 .5rem; font-size: .9375rem }
.contents ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none }
section { display: grid; grid-template-columns: minmax(0, 14rem) minmax(0, 1fr); gap: .75rem 2.5rem; align-items: start; padding: 2rem 0 0; margin-top: 2rem; border-top: 1px solid var(--line) }
.about h2 { margin: 0 0 .25rem }
.about p { margin: 0; color: var(--soft); font-size: .9375rem }
.rows { margin: 0; padding: 0; list-style: none }
.rows > li { padding: 1rem 1.25rem }
.rows > li + li, .foot, .invite { border-top: 1px solid var(--line) }
.row { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: flex-start; justify-content: space-between }
div.row { padding: 1rem 1.25rem }
.row > div { flex: 1 1 18rem; min-width: 0 }
.row p { margin: .25rem 0 0 }
div.row > p:first-child { flex: 1 1 18rem; margin: 0 }
.scopes { margin: .5rem 0 0; padding: 0; list-style: none; font-size: .9375rem }
.scopes code { margin-right: .5rem }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center }
.row .actions { margin: 0 }
div.card > .foot { max-width: none; margin: 0; padding: .875rem 1.25rem }
form.card > p.foot { gap: 1.25rem; max-width: none; margin: 0 -1.25rem -1.25rem; padding: 1rem 1.25rem }
.action { padding: .25rem .625rem; border: 1px solid var(--line); border-radius: 6px; color: var(--ink); font-size: .875rem; font-weight: 550; text-decoration: none }
.action:hover { border-color: var(--soft) }
.action.danger { color: var(--bad) }
.empty { margin: 0; padding: 1rem 1.25rem; color: var(--soft) }
.invite { gap: .375rem; max-width: none; padding: 1rem 1.25rem }
.together { display: flex; gap: .5rem }
.subject { margin: 0 }
.download { margin: 0 0 1rem }
.crumb { margin: 0 0 1rem }
dd { margin: 0; overflow-wrap: anywhere }
`

const PLOTS = `meter { width: 100%; max-width: 30rem }
.totals { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: .5rem 0 }
.totals dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums }
.totals dt::before { content: ''; display: inline-block; width: .625rem; height: .625rem; margin-right: .375rem; border-radius: 2px }
.totals dt:not([class])::before { display: none }
.totals .allowed::before { background: var(--accent) }
.totals .refused::before { background: var(--bad) }
.usage .soft { margin: 0 0 .5rem }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem .5rem; margin: .75rem 0 .5rem; color: var(--soft); font-size: .75rem; font-variant-numeric: tabular-nums }
.plot p { display: flex; justify-content: space-between; max-width: none; margin: 0 }
.plot .counts { flex-direction: column; height: 9rem; margin: -.5em 0; text-align: right; line-height: 1 }
.plot .days { grid-column: 2 }
.plot svg { width: 100%; height: 8rem; overflow: visible }
.plot .line { stroke: var(--line) }
.plot .allowed { fill: var(--accent) }
.plot .refused { fill: var(--bad) }
.plot .day { fill: transparent }
.plot g:hover .day { fill: var(--line) }
details summary { color: var(--accent); font-size: .9375rem; cursor: pointer }
.scroll { max-height: 18rem; margin-top: .5rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px }
table { width: 100%; border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { padding: .3125rem .75rem; text-align: right; font-weight: 400; white-space: nowrap }
th:first-child { text-align: left }
thead th { position: sticky; top: 0; color: var(--soft); background: var(--code); font-weight: 550 }
tbody tr + tr { border-top: 1px solid var(--line) }
`

const NARROW = `@media (max-width: 52rem) {
  section { grid-template-columns: minmax(0, 1fr) }
}
`

export const STYLE = `${LOOK_CSS}${FORM_CSS}${COMMON}${APPLICATIONS}${PLOTS}${NARROW}`
