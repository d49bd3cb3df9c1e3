import { html, type Html } from './html.js'
import { listColors, type Tone } from './look.js'
import { splitCode } from '../lib/code-tokens.js'

type Content = Html | string | number | false | undefined | readonly Content[]

/** The parts that pages are made of, besides fields (form-field.ts), plots (plot.ts) and the header (page-frame.ts): the rules of each. The console's style sheet has all, a page whose style sheet is in it those that it shows. */
const STYLES = {
  card: `.card { min-width: 0; border: 1px solid var(--line); border-radius: var(--corner-box); background: var(--raised) }
.card > header { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; justify-content: space-between; min-height: 3rem; padding: var(--space-2) var(--space-4); border-bottom: 1px solid var(--line) }
.card > .inside { padding: var(--space-4) }`,
  rows: `h3 { margin: 0; font-size: var(--text-large); font-weight: 600; line-height: 1.4 }
.rows { margin: 0; padding: 0; list-style: none }
.rows > li { padding: var(--space-4) }
.rows > li + li, .foot { border-top: 1px solid var(--line) }
.row { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); align-items: flex-start; justify-content: space-between }
.row > div { flex: 1 1 18rem; min-width: 0 }
.row p { margin: var(--space-1) 0 0 }`,
  property: `.properties { margin: 0; padding: 0; list-style: none }
.properties > li { display: grid; gap: var(--space-1) var(--space-4); padding: var(--space-3) 0; border-top: 1px solid var(--line) }
.properties > li > * { min-width: 0; margin: 0 }
.about { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-2); align-items: baseline; color: var(--soft); font-size: var(--text-small); overflow-wrap: anywhere }
.properties > li > code:first-child, .choice { color: var(--ink); font-weight: 600 }
.properties .properties { padding-left: var(--space-4); border-left: 1px solid var(--line) }
.properties .properties > li:first-child { border-top: 0 }
/* Beside each other where a page, or a part that is a container, has room. */
@container (min-width: 26rem) {
  .properties > li { grid-template-columns: minmax(7rem, 11rem) minmax(0, 1fr) }
  .properties > li > * { grid-column: 2 }
  .properties > li > code:first-child { grid-column: 1 }
  .properties > li > :is(details, .note, ul) { grid-column: 1 / -1 }
}`,
  method: `.method { display: inline-block; flex: none; width: 3.5rem; padding: .125rem 0; border-radius: 4px; color: var(--soft); background: var(--code); font: 700 var(--text-tiny)/1.5 var(--mono); text-align: center; text-transform: uppercase; overflow: hidden }
.method:is(.get, .head) { color: var(--info); background: var(--info-ground) }
.method.post { color: var(--good); background: var(--good-ground) }
.method.put { color: var(--warn); background: var(--warn-ground) }
.method.delete { color: var(--bad); background: var(--bad-ground) }
.method:is(.patch, .query) { color: var(--other); background: var(--other-ground) }`,
  pill: `.pill { display: inline-block; padding: 0 .375rem; border-radius: 4px; color: var(--soft); background: var(--code); font: 600 var(--text-tiny)/1.7 var(--sans); white-space: nowrap }`,
  chip: `.chips { display: flex; flex-wrap: wrap; gap: var(--space-2); margin: 0; padding: 0; list-style: none }
.chip { display: inline-block; max-width: 100%; padding: 0 .4375rem; border: 1px solid var(--line); border-radius: 5px; color: var(--ink); background: var(--code); font: 500 .75rem/1.7 var(--mono); overflow-wrap: anywhere }`,
  notice: `.notice { margin: 0; padding: .625rem .875rem; border-left: 3px solid var(--line); border-radius: 0 var(--corner-control) var(--corner-control) 0; background: var(--code) }
.notice > :first-child { margin-top: 0 }
.notice > :last-child { margin-bottom: 0 }`,
  tones: `:root { ${listColors(true).join(' ')} }
:is(.pill, .notice).info { color: var(--info); background: var(--info-ground) }
:is(.pill, .notice).good { color: var(--good); background: var(--good-ground) }
:is(.pill, .notice).warn { color: var(--warn); background: var(--warn-ground) }
:is(.pill, .notice).bad { color: var(--bad); background: var(--bad-ground) }
:is(.pill, .notice).other { color: var(--other); background: var(--other-ground) }
.notice:is(.info, .good, .warn, .bad, .other) { border-color: currentcolor }`,
  tiles: `.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: var(--space-3); margin: 0 }
.tiles > div { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); align-items: baseline; align-content: start; padding: var(--space-3) var(--space-4); border: 1px solid var(--line); border-radius: var(--corner-box); background: var(--raised) }
.tiles dt { flex: 0 0 100%; margin: 0; color: var(--soft); font-size: var(--text-small); font-weight: 500 }
.tiles dd { margin: 0; color: var(--soft); font-size: var(--text-small) }
.tiles dd:nth-of-type(1) { color: var(--ink); font-size: 1.5rem; font-weight: 650; line-height: 1.4; font-variant-numeric: tabular-nums }
.tiles dd.bad:nth-of-type(1) { color: var(--bad) }
.tiles dd.warn:nth-of-type(1) { color: var(--warn) }`,
  meter: `.meter { display: block; height: .5rem; border-radius: 99px; background: var(--code); overflow: hidden }
.meter svg { display: block; width: 100%; height: 100%; fill: var(--accent) }
.meter.warn svg { fill: light-dark(#d58a00, #f2bd6d) }
.meter.bad svg { fill: var(--bad) }`,
  plot: `.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-1) var(--space-2); position: relative; min-width: 0; margin: var(--space-6) 0 var(--space-2); padding: 1.25rem 0 0; border: 0; color: var(--soft); font-size: var(--text-tiny); font-variant-numeric: tabular-nums }
.plot p { display: flex; justify-content: space-between; max-width: none; margin: 0 }
.plot .counts { flex-direction: column; height: 10rem; margin: -.5em 0; text-align: right; line-height: 1 }
.plot svg { grid-area: 1 / 2; width: 100%; height: 9rem; overflow: visible }
.plot .dates { grid-column: 2 }
.plot .line { stroke: var(--line) }
.plot .allowed { fill: var(--accent) }
.plot .refused { fill: var(--bad) }
.plot .periods { grid-area: 1 / 2; display: flex; height: 9rem }
.plot label { flex: 1; border-radius: 2px; cursor: crosshair }
.plot label:hover, .plot label:has(:checked) { background: color-mix(in srgb, var(--ink) 7%, transparent) }
.plot label:has(:focus-visible) { outline: 2px solid var(--accent) }
.plot label span { position: absolute; top: 0; right: 0; opacity: 0; pointer-events: none; color: var(--ink); font-size: var(--text-small) }
.plot .periods:not(:hover) :checked + span, .plot label:hover span { opacity: 1 }`,
  table: `.table { overflow-x: auto; border: 1px solid var(--line); border-radius: var(--corner-box); background: var(--raised) }
.table table { width: 100%; border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
.table :is(th, td) { padding: .625rem var(--space-4); text-align: left; font-weight: 400 }
.table thead th { color: var(--soft); background: var(--code); font-size: var(--text-small); font-weight: 500; white-space: nowrap }
.table .number { text-align: right; white-space: nowrap }
.table tbody tr { border-top: 1px solid var(--line) }
.table tbody tr:hover { background: var(--code) }
.table tbody th { min-width: 10rem; font-weight: 550 }
.table th a:not(:hover) { text-decoration: none }`,
  empty: `.empty { display: grid; gap: var(--space-3); justify-items: start; margin: 0; padding: var(--space-6) var(--space-4); color: var(--soft) }
.empty > * { max-width: 100%; margin: 0 }
.empty h3 { color: var(--ink) }
.empty.good h3::before { content: '\\2713'; display: inline-grid; place-content: center; width: 1.5em; height: 1.5em; margin-right: .5em; border-radius: 50%; color: var(--good); background: var(--good-ground) }`,
  danger: `.danger-zone { border-color: var(--bad) }
.danger-zone > header { border-color: var(--bad); color: var(--bad) }
.danger-zone p { margin: 0 }`,
  code: `figure, .copyable { margin: 0 }
figure { border: 1px solid light-dark(#0f172a, #303842); border-radius: var(--corner-box); color: #e2e8f0; background: #0f172a; overflow: hidden }
figcaption { display: flex; gap: var(--space-3); align-items: center; justify-content: space-between; min-height: 2.5rem; padding: .25rem var(--space-2) .25rem var(--space-4); border-bottom: 1px solid #2b364b; color: #b8c4d4; font-size: var(--text-small) }
figure pre { margin: 0; padding: var(--space-3) var(--space-4) var(--space-4); font: var(--text-small)/1.6 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere }
pre code { font: inherit }
.copy { flex: none; padding: .125rem .625rem; border: 1px solid var(--line); border-radius: var(--corner-control); color: var(--ink); background: var(--raised); font: 500 var(--text-small)/1.5 var(--sans); cursor: pointer }
.copy:hover { border-color: var(--soft) }
figcaption .copy { border-color: #46546b; color: #e2e8f0; background: #1c2740 }`,
} as const

export function styleParts(...names: readonly (keyof typeof STYLES)[]): string {
  return names.map((name) => `${STYLES[name]}\n`).join('')
}

export const PARTS_CSS = styleParts(...(Object.keys(STYLES) as (keyof typeof STYLES)[]))

/** A box with a head. `actions`: at the right end of the head. `level`: of the heading, 3 by default. */
export function renderCard(
  card: { readonly title: Content; readonly actions?: Content; readonly level?: 2 | 3; readonly isDanger?: boolean },
  content: Content,
): Html {
  const { title, actions, level = 3, isDanger = false } = card
  const heading = level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`
  return html`<section class="card${isDanger && ' danger-zone'}">
    <header>${heading} ${actions}</header>
    ${content}
  </section>`
}

/** What ends something for good, apart from all else, in a red frame. Each row says what happens, and has its control. */
export function renderDangerZone(
  title: string,
  rows: readonly { readonly means: Content; readonly action: Content }[],
): Html {
  return renderCard(
    { title, level: 2, isDanger: true },
    renderRows(
      rows.map(
        ({ means, action }) =>
          html`<li class="row">
            <div><p>${means}</p></div>
            ${action}
          </li> `,
      ),
    ),
  )
}

/** A list, mostly in a card. Each row is an `li`, with the class `row` where its second part stands at the right. */
export function renderRows(rows: readonly Html[]): Html {
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

/** A value as it is written: a scope, a value of an enum, a version. */
export function renderChip(text: Content): Html {
  return html`<code class="chip">${text}</code>`
}

/** A text beside the others, such as a problem or what to do next. */
export function renderNotice(content: Content, tone?: Tone): Html {
  return html`<div class="notice${tone && ` ${tone}`}">${content}</div>`
}

/** The few numbers that say how something does. `note`: a few words below the number. */
export function renderTiles(
  tiles: readonly {
    readonly label: string
    readonly value: Content
    readonly note?: Content
    readonly tone?: 'warn' | 'bad' | undefined
  }[],
): Html {
  return html`<dl class="tiles">
    ${tiles.map(
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

/** A table that scrolls where it is too wide. The first cell of a row is its heading. */
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
              ${others.map((each, at) => html`<td${cell(at + 1)}>${each}</td> `)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`
}

/** What stands where there is nothing yet, or nothing to do: it says what is next. `isGood`: a green tick. */
export function renderEmpty(
  { title, isGood = false }: { readonly title: string; readonly isGood?: boolean },
  content?: Content,
): Html {
  return html`<div class="empty${isGood && ' good'}">
    <h3>${title}</h3>
    ${content}
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
