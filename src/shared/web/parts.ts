import { ownMembers } from '../lib/own-members.js'
import { html, type Content, type Html } from './html.js'
import { listColors, type Tone } from './look.js'
import { splitCode } from '../lib/code-tokens.js'

/** The parts that pages are made of, besides fields (form-field.ts), plots (usage-figures.ts) and the header (page-frame.ts): the rules of each. The console's style sheet has all, a page whose style sheet is in it those that it shows. */
const STYLES = {
  /** The pages that a page is below, above its heading. */
  crumb: `.crumb { display: flex; flex-wrap: wrap; margin: calc(var(--top) - var(--finger, 0px)) 0 calc(var(--space-1) - var(--finger, 0px)); color: var(--soft); font: 500 var(--text-small)/1.5 var(--sans); overflow-wrap: anywhere }
.crumb > * { margin: 0; font: inherit; letter-spacing: 0; & + *::before { content: ''; display: inline-block; height: .75em; margin-inline: .5rem; border-left: 1px solid; rotate: 16deg } }
.crumb a { color: inherit; &:not(:hover) { text-decoration: none } }
.crumb + h2 { margin: 0 0 var(--space-4); font: 600 var(--text-heading)/1.2 var(--display) }`,
  card: `.card { min-width: 0; &.danger-zone { overflow: clip; border-color: color-mix(in srgb, var(--bad) 35%, var(--line)); > header { background: color-mix(in srgb, var(--bad-ground) 50%, var(--raised)) } } }
.card > header { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; justify-content: space-between; min-height: 3rem; padding: var(--space-2) var(--space-4); border-bottom: 1px solid var(--line) }
.card > .inside { padding: var(--space-4) }`,
  rows: `h3 { margin: 0; font-size: var(--text-large); font-weight: 600; line-height: 1.4; letter-spacing: -.006em }
.rows { margin: 0; padding: 0; list-style: none; h3 { font-size: var(--text-plain) } }
.rows > li { padding: var(--space-4) }
.rows > li + li { border-top: 1px solid var(--line) }
.row { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); align-items: flex-start; justify-content: space-between }
.row > div { flex: 1 1 18rem; min-width: 0 }
.row p { margin: var(--space-1) 0 0 }`,
  property: `.properties { margin: 0; padding: 0; list-style: none }
.properties > li { display: grid; gap: var(--space-1) var(--space-4); align-items: baseline; padding: var(--space-3) 0; border-top: 1px solid var(--line) }
.properties > li > * { min-width: 0; margin: 0 }
.about { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-3); align-items: baseline; color: var(--soft); font-size: var(--text-small); overflow-wrap: anywhere }
.about > a { color: inherit; font-weight: 500 }
.properties > li > code:first-child, .choice { color: var(--ink); font-weight: 600 }
.properties .properties { padding-left: var(--space-4); border-left: 1px solid var(--line) }
.properties .properties > li:first-child { border-top: 0 }
/* Beside each other where a page, or a part that is a container, has room. */
@container (min-width: 26rem) {
  .properties > li { grid-template-columns: minmax(7rem, 9rem) minmax(0, 1fr) }
  .properties > li > * { grid-column: 2 }
  .properties > li > code:first-child { grid-column: 1 }
  .properties > li > :is(details[open], .note, ul), .properties .properties .properties > li > * { grid-column: 1 / -1 }
}`,
  method: `.method { display: inline-block; flex: none; width: 3.75rem; padding: .1875rem 0; border-radius: var(--corner-small); color: var(--soft); background: var(--code); font: 600 var(--text-tiny)/1.5 var(--mono); text-align: center; text-transform: uppercase; vertical-align: middle; overflow: hidden }
.method:is(.get, .head) { color: var(--info); background: var(--info-ground) }
.method.post { color: var(--good); background: var(--good-ground) }
.method.put { color: var(--warn); background: var(--warn-ground) }
.method.delete { color: var(--bad); background: var(--bad-ground) }
.method:is(.patch, .query) { color: var(--other); background: var(--other-ground) }`,
  pill: `.pill { display: inline-block; padding: 0 .5rem; border-radius: 99px; --tone: var(--soft); --ground: var(--code); color: var(--tone); background: var(--ground); box-shadow: inset 0 0 0 1px color-mix(in srgb, currentcolor 18%, transparent); font: 500 var(--text-tiny)/1.7 var(--sans); letter-spacing: 0; white-space: nowrap }`,
  chip: `.chips { display: flex; flex-wrap: wrap; gap: var(--space-2); margin: 0; padding: 0; list-style: none }
.chip { display: inline-block; max-width: 100%; padding: 0 .375rem; border: 1px solid var(--line); border-radius: var(--corner-small); color: var(--ink); background: var(--code); font: 500 .75rem/1.6 var(--mono); overflow-wrap: anywhere }`,
  tones: `:root { ${listColors(true).join(' ')} }
.info { --tone: var(--info); --ground: var(--info-ground) }
.good { --tone: var(--good); --ground: var(--good-ground) }
.warn { --tone: var(--warn); --ground: var(--warn-ground) }
.bad { --tone: var(--bad); --ground: var(--bad-ground) }
.other { --tone: var(--other); --ground: var(--other-ground) }
.notice.notice { color: var(--ink); background: var(--ground); > :first-child { margin-top: 0 } > :last-child { margin-bottom: 0 } &.good { --sign: '✓' / '' } &.info { --sign: 'i' / '' } }
.notice > .row { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: center; justify-content: space-between; > p { flex: 1 1 18rem; margin: 0 } }`,
  empty: `.empty { display: grid; gap: var(--space-2); justify-items: center; margin: 0; padding: var(--space-6) var(--space-5); color: var(--soft); text-align: center }
.empty > * { max-width: min(100%, 30rem); margin: 0 }
.empty > svg { width: 2.75rem; margin-bottom: var(--space-1); padding: .6875rem; border-radius: 50%; background: var(--code); fill: none; stroke: currentcolor; stroke-width: 1.75; stroke-linecap: round }
.empty h3 { color: var(--ink); font-size: var(--text-large) }
.empty p { font-size: .875rem }
.empty > figure { width: 100%; max-width: 44rem; margin-top: var(--space-2); text-align: left }
.empty > .actions { justify-content: center; margin-top: var(--space-2) }
.empty:is(.good, .bad) > svg { color: var(--good); background: color-mix(in srgb, currentcolor 13%, var(--raised)); .bad > & { color: var(--bad) } }`,
  code: `:root { --night: light-dark(#0f172a, #090c11); --night-line: light-dark(#0f172a, #303842); --night-rule: light-dark(#2b364b, #262d36); --night-button: light-dark(#1c2740, #161b22) }
figure, .copyable { margin: 0 }
figure { border: 1px solid var(--night-line); border-radius: var(--corner-box); color: #e2e8f0; background: var(--night); overflow: hidden }
figcaption { display: flex; gap: var(--space-3); align-items: center; justify-content: space-between; min-height: 2.5rem; padding: .25rem var(--space-2) .25rem var(--space-4); border-bottom: 1px solid var(--night-rule); color: #b8c4d4; font-size: var(--text-small); line-height: 1.35 }
figure pre { margin: 0; padding: var(--space-3) var(--space-4) var(--space-4); font: var(--text-small)/1.6 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere }
/* Code that scrolls fades at the right edge while there is more of it. */
pre[tabindex] { display: grid; grid-template-columns: minmax(max-content, 1fr) 1.5rem; overflow-x: auto; padding-right: 0 !important; white-space: pre; &::after { content: ''; position: sticky; right: 0; grid-area: 1 / 2 / span 9; background: linear-gradient(90deg, #0000, var(--night)) } }
pre code { font: inherit }
.copy { flex: none; padding: .125rem .625rem; border: 1px solid #0000; box-shadow: inset 0 0 0 1px var(--edge, var(--line)); border-radius: var(--corner-control); color: var(--ink); background: var(--raised); font: 500 var(--text-small)/1.5 var(--sans); cursor: pointer }
.copy:hover { --edge: var(--soft) }
:is(figcaption, .samples, .examples) .copy { --edge: light-dark(#46546b, #303842); color: #e2e8f0; background-color: var(--night-button); &:hover { --edge: #8a99b0 } }
:is(figure, .programs, .examples, .samples) :focus-visible { outline-color: #8cc8ff; outline-offset: -2px }
pre .string { color: #86e0a8 }
pre .name { color: #8cc8ff }
pre .number { color: #f0b56d }
pre .word { color: #c4adf8 }
pre .comment { color: #9fb0c6 }`,
  /** The list at the left of references and guides. */
  sidebar: `#sidebar { padding-top: var(--space-4); font-size: var(--text-small) }
#sidebar ul { padding: 0; list-style: none }
#sidebar .groups > li { margin-bottom: 1px }
#sidebar :is(summary, li > a) { display: flex; gap: var(--space-2); align-items: center; padding: .3125rem var(--space-2); border-radius: var(--corner-small); color: var(--ink); font-weight: 500; line-height: 1.4; text-decoration: none; overflow-wrap: anywhere }
#sidebar details a, #sidebar [role='option'] { display: grid; grid-template-columns: 1fr auto; gap: 0 var(--space-2); padding: .3125rem var(--space-2) .3125rem var(--space-3); border-radius: 0 var(--corner-small) var(--corner-small) 0; color: var(--soft); font-weight: 400 }
#sidebar details > ul { margin: 1px 0 var(--space-3) .6875rem; border-left: 1px solid var(--line) }
#sidebar summary::before { margin: 0 .125rem; color: var(--soft) }
#sidebar .chevron { flex-direction: row }
#sidebar .chevron::after { order: -1; margin: 0 .125rem; color: var(--soft) }
#sidebar .size { margin-left: auto; color: var(--soft); font-size: var(--text-tiny); font-weight: 400; font-variant-numeric: tabular-nums }
#sidebar :is(a, summary, [role='option']):hover { color: var(--ink); background: var(--over) }
#sidebar [aria-current] { color: var(--ink); background: color-mix(in srgb, var(--accent) 8%, transparent); font-weight: 500 }
#sidebar ul ul [aria-current] { position: relative; box-shadow: -1px 0 var(--accent), inset 1px 0 var(--accent) }
@media (min-width: 64rem) {
  body:has(> .columns) { padding: 0 }
  .columns { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  .columns > main { min-height: calc(100dvh - 3.5rem - 1px); border-left: 1px solid var(--line); padding-left: var(--space-8) }
  #sidebar { position: sticky; top: 3.5rem; align-self: start; height: calc(100dvh - 3.5rem - 1px); margin-left: calc(-1 * var(--space-2)); padding: var(--space-8) var(--space-4) var(--space-8) var(--space-2); overflow-y: auto; scrollbar-width: thin; contain: strict }
}`,
  /** What only the portal and the operator's pages have: on phones each row of a table is a list of labels and values. */
  desk: `main { max-width: 100% }
p.facts { display: flex; flex-wrap: wrap; gap: .125rem var(--space-4); align-items: baseline; max-width: none; margin: 0; overflow-x: clip; overflow-clip-margin: .25rem; color: var(--soft); font-size: var(--text-small); font-weight: 400; overflow-wrap: anywhere }
/* A dot between two facts: the one before the first of a line is clipped. */
p.facts > * { position: relative; &::before { content: '·'; position: absolute; left: -.625rem; font-family: var(--sans) } }
.card .table { border: 0; border-radius: 0; box-shadow: none }
form .actions > .danger:is(*, :hover) { --fill: light-dark(#a61b1b, #c2413b); border-color: var(--hover, var(--fill)); color: #fff; background: var(--hover, var(--fill)) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: var(--space-3); margin: 0 }
.tiles > div { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); align-items: baseline; align-content: start; padding: var(--space-3) var(--space-4); &:has(.meter) { position: relative; overflow: clip } }
.tiles dt { flex: 0 0 100%; margin: 0; color: var(--soft); font-size: var(--text-small); font-weight: 500 }
.tiles dd { margin: 0; color: var(--soft); font-size: var(--text-small) }
.tiles dd:nth-of-type(1) { color: var(--ink); font: 600 1.5rem/1.4 var(--display); letter-spacing: -.012em; font-variant-numeric: tabular-nums; &.bad { color: var(--bad) } &.warn { color: var(--warn) } > .soft { font: 500 1rem var(--sans); letter-spacing: 0 } }
.mark { display: inline-block; width: .625rem; height: .625rem; margin-right: .375rem; border-radius: 2px; background: var(--plot); &.refused { background: var(--plot-bad) } }
.meter { display: block; height: .5rem; border-radius: 99px; background: var(--line); overflow: hidden; .tiles & { position: absolute; inset: auto 0 0; height: .25rem; border-radius: 0 } }
.meter svg { display: block; width: 100%; height: 100%; fill: var(--plot); .warn > & { fill: light-dark(#d58a00, #f2bd6d) } .bad > & { fill: var(--bad) } }
:root { --plot: color-mix(in oklab, var(--accent) 72%, var(--raised)); --plot-bad: color-mix(in oklab, var(--bad) 72%, var(--raised)) }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-1) var(--space-2); position: relative; min-width: 0; margin: var(--space-6) 0 var(--space-2); padding: 2.25rem 0 0; border: 0; color: var(--soft); font-size: var(--text-tiny); font-variant-numeric: tabular-nums }
.plot p { display: flex; justify-content: space-between; max-width: none; margin: 0 }
.plot .counts { flex-direction: column; height: calc(9rem + 1em); margin: -.5em 0; text-align: right; line-height: 1 }
.plot .dates { grid-column: 2 }
.plot .line { stroke: var(--line) }
.plot .line:not(:nth-child(3)) { stroke-dasharray: 2 4 }
.plot svg { grid-area: 1 / 2; width: 100%; height: 9rem; overflow: visible; .allowed { fill: var(--plot) } .refused { fill: var(--plot-bad) } .now { opacity: .7 } }
.plot .periods { grid-area: 1 / 2; display: flex; height: 9rem }
.plot label { flex: 1; border-radius: 2px; cursor: crosshair }
.plot label:hover, .plot label:not(:last-child):has(:checked) { background: color-mix(in srgb, var(--ink) 7%, transparent) }
.plot label:has(:focus-visible) { outline: 2px solid var(--accent) }
.plot label span { position: absolute; top: 0; left: 0; opacity: 0; pointer-events: none; font-size: var(--text-small) }
.plot .periods:not(:hover, :has(:focus-visible)) :checked + span, .plot .periods:not(:hover) :focus-visible + span, .plot label:hover span { opacity: 1 }
.table { overflow-x: auto }
.table table { width: 100%; border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
.table :is(th, td) { padding: .625rem var(--space-4); text-align: left; font-weight: 400 }
.table thead th { padding-block: var(--space-2); color: var(--soft); background: var(--code); font-size: var(--text-tiny); font-weight: 500; white-space: nowrap }
.table .number { text-align: right; white-space: nowrap }
.table tbody tr { border-top: 1px solid var(--line) }
.table tbody tr:hover { background: var(--over) }
.table tbody th { min-width: 10rem; font-weight: 500 }
.table th a:not(:hover) { text-decoration: none }
/* It fades at its lower edge while there is more of it. */
details > .table { max-height: 20rem; margin-top: var(--space-3); &::after { content: ''; position: sticky; bottom: 0; left: 0; display: block; height: 1.75rem; background: linear-gradient(#0000, var(--raised)); pointer-events: none } }
details > .table :is(th, td) { min-width: 0; padding: .3125rem var(--space-2); white-space: nowrap }
details > .table thead :is(th, .number) { position: sticky; top: 0; white-space: normal }
@media (max-width: 30rem) {
  :not(details) > .table {
    thead { position: absolute; clip-path: inset(50%) }
    :is(table, tbody, th, td) { display: block }
    tbody tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0 var(--space-3); padding: var(--space-3) var(--space-4); &:first-child { border-top: 0 } }
    tbody :is(th, td) { grid-column: 1 / -1; min-width: 0; padding: .1875rem 0 }
    :is(td, td a) { white-space: normal; overflow-wrap: anywhere }
    td::before { content: attr(data-label); display: block; color: var(--soft); font-size: var(--text-tiny) }
    td.number.number { grid-column: auto; text-align: left }
    td:empty { display: none }
  }
}
.hint, .danger-zone p { margin: 0 }
.soft, .hint { color: var(--soft); font-size: var(--text-small); font-weight: 400 }
.choice { display: flex; gap: .625rem; align-items: start; font-size: .875rem; font-weight: 400 }
.signed-in { color: var(--soft); overflow-wrap: anywhere }
.card > header h2 { margin: 0; font-size: var(--text-large) }
.row .actions { margin: 0 }
.action { padding: var(--space-1) .625rem; border: 1px solid var(--line); border-radius: var(--corner-control); color: var(--ink); background: var(--raised); box-shadow: var(--lift); font-size: var(--text-small); font-weight: 500; text-decoration: none; &.danger { border-color: currentcolor; color: var(--bad) } }
.action:hover { border-color: var(--soft) }`,
} as const

export function styleParts(...names: readonly (keyof typeof STYLES)[]): string {
  return names.map((name) => `${STYLES[name]}\n`).join('')
}

export const PARTS_CSS = styleParts(...(Object.keys(STYLES) as (keyof typeof STYLES)[]))

/** A box with a head. `actions`: at the right end of the head. `id`: where links lead. `isDanger`: what ends something for good, in red. */
export function renderCard(
  card: { readonly title: Content; readonly actions?: Content; readonly id?: string; readonly isDanger?: boolean },
  content: Content,
): Html {
  const { title, actions, id, isDanger = false } = ownMembers(card)
  return html`<section class="card${isDanger && ' danger-zone'}" ${id !== undefined && html`id="${id}"`}>
    <header>
      <h2>${title}</h2>
      ${actions}
    </header>
    ${content}
  </section>`
}

/** A list, mostly in a card; where it has no rows, `empty`. Each row is an `li`, with the class `row` where its second part stands at the right. */
export function renderRows(rows: readonly Html[], empty?: Html | string): Html {
  if (rows.length === 0 && empty !== undefined) return typeof empty === 'string' ? renderEmpty({ title: empty }) : empty
  return html`<ul class="rows">
    ${rows}
  </ul>`
}

/** A property, parameter or setting in a `properties` list: name, type and facts, then description and parts. */
export function renderProperty(
  { name, isOld = false, about }: { readonly name: string; readonly isOld?: boolean; readonly about: Content },
  details?: Content,
): Html {
  return html`<li><code${isOld && html` class="old"`}>${name}</code><span class="about">${about}</span> ${details}</li>`
}

/** The method of a request. All have one width. */
export function renderMethod(method: string): Html {
  const kind = /^[a-z]+$/i.test(method) ? method.toLowerCase() : 'other'
  return html`<span class="method ${kind}">${method}</span>`
}

/** A word about the state of something, such as `required` or `suspended`. */
export function renderPill(text: Content, tone?: Tone): Html {
  return html`<span class="pill${tone && ` ${tone}`}">${text}</span>`
}

export function renderChip(text: Content): Html {
  return html`<code class="chip">${text}</code>`
}

export function renderNotice(content: Content, tone?: Tone): Html {
  return html`<div class="notice${tone && ` ${tone}`}">${content}</div>`
}

/** The few numbers that say how something does. `note`: a few words below the number. */
export function renderTiles(
  tiles: readonly {
    readonly label: Html | string
    readonly value: Content
    readonly note?: Content
    readonly tone?: 'warn' | 'bad' | undefined
  }[],
): Html {
  return html`<dl class="tiles">
    ${tiles.map(ownMembers).map(
      ({ label, value, note, tone }) =>
        html`<div>
          <dt>${label}</dt>
          <dd${tone && html` class="${tone}"`}>${value}</dd>
          ${note && html`<dd>${note}</dd>`}
        </div> `,
    )}
  </dl>`
}

/** How much of a limit is used: amber from 80 %, red from 100 %. */
export function renderBar(label: string, used: number, limit: number): Html {
  const percent = limit > 0 ? Math.min(100, Math.round((100 * used) / limit)) : 100
  const tone = used >= limit ? ' bad' : percent >= 80 ? ' warn' : ''
  return html`<span
    class="meter${tone}"
    role="meter"
    aria-label="${label}"
    aria-valuemin="0"
    aria-valuemax="100"
    aria-valuenow="${percent}"
    aria-valuetext="${percent} %"
    ><svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0h${percent}v1H0z" /></svg
  ></span>`
}

/** A table that scrolls where it is too wide; on phones its rows are lists. The first cell of a row is its heading. */
export function renderTable(
  label: string,
  columns: readonly { readonly title: string; readonly isNumber?: boolean }[],
  rows: readonly (readonly Content[])[],
): Html {
  const cell = (at: number): Html | false => columns[at]?.isNumber === true && html` class="number"`
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${columns.map(({ title }, at) => html`<th scope="col" ${cell(at)}>${title}</th> `)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...others]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${others.map((each, at) => html`<td data-label="${columns[at + 1]?.title}" ${cell(at + 1)}>${each}</td> `)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`
}

const DRAWINGS = {
  tick: 'M5 12.5l4.5 4.5L19 7.5',
  tray: 'M4 13l3-8h10l3 8v6H4zh5l1.5 3h3L15 13h5',
  calls: 'M4 20h16M7 16v-4M12 16V5M17 16V9',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  first: 'M12 5v14M5 12h14',
  dash: 'M6 12h12',
  alert: 'M12 6v8M12 18h0',
  cross: 'M7 7l10 10M17 7L7 17',
} as const

export interface EmptyState {
  readonly title?: string
  readonly next?: string
  /** A green tick in place of a drawing. The drawing `cross` is red. */
  readonly isGood?: boolean
  readonly drawing?: keyof typeof DRAWINGS
}

/** What stands where there is nothing yet, or nothing to do: it says what is next. */
export function renderEmpty(state: EmptyState, content?: Content): Html {
  const { title, next, isGood = false, drawing = 'tray' } = ownMembers(state)
  return html`<div class="empty${isGood ? ' good' : drawing === 'cross' && ' bad'}">
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="${DRAWINGS[isGood ? 'tick' : drawing]}" /></svg>
    ${title !== undefined && html`<h3>${title}</h3>`} ${next !== undefined && html`<p>${next}</p>`} ${content}
  </div>`
}

/** The element `code` with the colours of a language; plain without one. */
export function renderCode(code: string, language: string | undefined): Html {
  if (language === undefined) return html`<code>${code}</code>`
  const tokens = splitCode(code, language)
  return html`<code
    >${tokens.map(({ kind, text }) => (kind === undefined ? text : html`<span class="${kind}">${text}</span>`))}</code
  >`
}
