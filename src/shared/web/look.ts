/**
 * The design of everything that people see: the console, the portal, the pages of registration and decisions, and e-mails. Here are
 * its colours, type, spaces, and the header; the parts that pages are made of are in parts.ts. Pages have the values as CSS custom
 * properties. E-mails have the same ones inline, because mail programs know no custom properties.
 */

/** Each colour in a light and in a dark page. A text in the colour of a tone stands on its `-ground`, or on that of the page. */
export const COLORS = {
  paper: { light: '#ffffff', dark: '#0f1318' },
  raised: { light: '#ffffff', dark: '#161b22' },
  code: { light: '#f5f7f9', dark: '#1d232b' },
  ink: { light: '#1a1f26', dark: '#e6e9ed' },
  soft: { light: '#57606b', dark: '#a3adb8' },
  line: { light: '#e1e5ea', dark: '#303842' },
  accent: { light: '#1b5cc4', dark: '#8ab4ff' },
  'on-accent': { light: '#ffffff', dark: '#0a1730' },
  /** Of buttons, where the brand has no accent of its own: their text is white. */
  fill: { light: '#1b5cc4', dark: '#2f6fe4' },
  info: { light: '#0b5c8a', dark: '#8ccaf0' },
  'info-ground': { light: '#e6f1f8', dark: '#10303f' },
  good: { light: '#13693a', dark: '#86d8a6' },
  'good-ground': { light: '#e5f4ea', dark: '#123220' },
  warn: { light: '#855000', dark: '#f2bd6d' },
  'warn-ground': { light: '#fbf0de', dark: '#3a2a10' },
  bad: { light: '#a61b1b', dark: '#ff9f96' },
  'bad-ground': { light: '#fdeaea', dark: '#411a1b' },
  other: { light: '#5b3d9c', dark: '#c4adf8' },
  'other-ground': { light: '#f0ebfa', dark: '#2b2145' },
} as const

/** What a badge, a pill, a tile or a notice says by its colour. */
export type Tone = 'info' | 'good' | 'warn' | 'bad' | 'other'

/** The type scale, in pixels: badges, labels and code, text, headings, sections, titles. Pages write them in rem. */
export const TEXT_SIZES = { tiny: 12, small: 13, plain: 15, large: 16, title: 20, heading: 28 } as const

/** The spaces inside and between things: `--space-4` is 4 steps of 4 pixels. */
const SPACES = [1, 2, 3, 4, 5, 6, 8, 10, 12] as const

/** The corners of badges and code in sentences, of controls, and of boxes, in pixels. */
export const CORNERS = { small: 4, control: 6, box: 8 } as const

/** The custom properties of the colours that every page has, or of the others, which belong to tones. */
export function listColors(ofTones: boolean): string[] {
  return Object.entries(COLORS)
    .filter(([name]) => ofTones === (name.endsWith('-ground') || ['info', 'warn', 'other'].includes(name)))
    .map(([name, { light, dark }]) => `--${name}: light-dark(${light}, ${dark});`)
}

const PROPERTIES = [
  ...listColors(false),
  ...Object.entries(TEXT_SIZES).map(([name, pixels]) => `--text-${name}: ${pixels / 16}rem;`),
  ...SPACES.map((steps) => `--space-${steps}: ${steps / 4}rem;`),
  ...Object.entries(CORNERS).map(([name, pixels]) => `--corner-${name}: ${pixels}px;`),
]

/** A style sheet without comments, and without spaces that mean nothing: a tenth of it after compression. */
export function shortenStyle(css: string): string {
  return css
    .replaceAll(/\/\*[^]*?\*\/|(?<=[\n{};])\s+/g, '')
    .replaceAll(/ ?([{}]) ?/g, '$1')
    .replaceAll(/([;:,]) (?=\S)/g, '$1')
    .replaceAll('\n', '')
}

const BUTTON =
  'display: inline-flex; align-items: center; justify-content: center; padding: .375rem var(--space-4); border: 1px solid var(--hover, var(--fill)); border-radius: var(--corner-control); color: var(--on-fill, #fff); background: var(--hover, var(--fill)); font: 500 .875rem/1.6 var(--sans); box-shadow: var(--lift); text-decoration: none; cursor: pointer'

/** What all pages begin with: `light-dark()` follows the system or the reader. A page sets its width, `--page`. */
export const LOOK_CSS = `:root {
  color-scheme: light dark;
${PROPERTIES.map((property) => `  ${property}\n`).join('')}  --sans: ui-sans-serif, BlinkMacSystemFont, 'Segoe UI Variable Text', 'Segoe UI', Inter, Roboto, system-ui, sans-serif;
  --display: 'Segoe UI Variable Display', 'Inter Display', var(--sans);
  --mono: ui-monospace, 'JetBrains Mono', 'Cascadia Mono', Menlo, Consolas, monospace;
  --page: 80rem;
  --top: clamp(1.25rem, 3vw, 2rem);
  --gutter: clamp(1rem, 3vw, 2rem);
  --lift: 0 1px 2px rgb(16 24 40 / 6%);
  --over: color-mix(in srgb, var(--accent) 5%, var(--raised));
  font-family: var(--sans);
  -webkit-font-smoothing: antialiased;
  scroll-padding-top: 4.5rem;
  color: var(--ink);
  background: var(--paper);
  accent-color: var(--accent);
}
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark }
* { box-sizing: border-box }
body { margin: 0; padding-bottom: var(--space-12); font-size: var(--text-plain); line-height: 1.6 }
body > :is(main, footer, .columns, .reading) { width: min(100% - 2 * var(--gutter), var(--page)); margin-inline: auto }
h1 { margin: 0; font: 600 var(--text-heading)/1.2 var(--display) }
h2 { margin: 0; font-size: var(--text-title); font-weight: 600; line-height: 1.3 }
strong, b { font-weight: 600 }
h1, h2, h3 { text-wrap: balance }
p, dd { text-wrap: pretty }
a { color: var(--accent); text-underline-offset: .2em; text-decoration: underline 1px color-mix(in srgb, currentcolor 45%, transparent) }
a:hover { text-decoration-color: currentcolor }
:is(nav, .links, .alone) > a:not(:hover, .button), nav li > a:not(:hover) { text-decoration: none }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
:where(a, summary, [role=tab], [tabindex]):where(:focus-visible) { border-radius: var(--corner-small) }
:is(input:not([type=checkbox], [type=radio]), select, textarea):focus-visible { outline-offset: -1px }
/* The one mark of everything that unfolds. */
summary { cursor: pointer; list-style: none }
summary::-webkit-details-marker { display: none }
summary:not(.icon, .button)::before, .chevron::after, .select::after { content: ''; display: inline-block; flex: none; width: .4375rem; height: .4375rem; margin: 0 .625rem .0625rem .125rem; border: solid; border-width: 0 1.5px 1.5px 0; rotate: -45deg; transform: translate(-15%, -15%) }
[open] > summary:not(.icon)::before, .open > * > .chevron::after, [open] > .chevron::after, .select::after { rotate: 45deg }
.card, .box, .table, .tiles > div, .start, .decision > *, :is(main, .narrow) > form:not(.search) { border: 1px solid var(--line); border-radius: var(--corner-box); background: var(--raised); box-shadow: var(--lift) }
/* Its tone (parts.ts, tones) colours the border and the mark, not the text. The mark stands at the first line, wherever a button beside it puts that. */
:is(.notice, .problem) { margin: 0; padding: .625rem .875rem .625rem 2.625rem; border: 1px solid color-mix(in srgb, var(--tone) 45%, transparent); border-radius: var(--corner-control); --tone: var(--soft); --ground: var(--code) }
:is(.notice, .problem):not(:has(> .row))::before, .notice > .row > p::before { content: var(--sign, '!' / ''); float: left; width: 1.125rem; margin: .1875rem .625rem 0 -1.75rem; border-radius: 50%; color: var(--raised); background: var(--tone); font: 700 var(--text-tiny)/1.125rem var(--sans); text-align: center }
/* In place of the browser's arrow, whose place and size differ. */
:root select:not([multiple]) { appearance: none; padding-right: 2.25rem }
.select { display: grid; position: relative }
.select::after { position: absolute; top: calc(50% - .25rem); right: .8125rem; margin: 0; color: var(--soft); pointer-events: none }
code, pre { font: var(--text-small)/1.6 var(--mono) }
/* Faces for code join characters, such as those of ://, to one that looks like a space. */
:root :is(code, pre, .path, textarea) { font-variant-ligatures: none }
:is(h1, h2, h3, p, dt, dd, label, legend, summary, code, pre) { overflow-wrap: anywhere }
.whole { white-space: nowrap }
.button { ${BUTTON} }
:is(button, .button):hover { --hover: color-mix(in srgb, var(--fill) 86%, var(--shade, #000)) }
:is(button, .button).danger { border-color: var(--bad); color: var(--bad); background: var(--raised) }
:is(.button, button).quiet:hover, .icon:hover, .more[open] > .icon { background: var(--over) }
:is(button, .button, .action).danger:hover { border-color: var(--bad); background: color-mix(in srgb, var(--bad) 8%, var(--raised)) }
:is(button, .button):is(:disabled, [aria-disabled=true]) { opacity: .6; cursor: default }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.bar { position: sticky; top: 0; z-index: 3; display: flex; gap: var(--space-2) var(--space-4); align-items: center; min-height: 3.5rem; padding: 0 max(var(--gutter), (100% - 80rem) / 2); border-bottom: 1px solid var(--line); background: var(--paper); font-size: .875rem }
.bar a { color: var(--ink); text-decoration: none }
.bar nav a { color: var(--soft); font-weight: 500 }
.bar nav a:hover { color: var(--ink); text-decoration: underline }
.bar nav [aria-current] { color: var(--ink); text-decoration: underline 2px var(--accent); text-underline-offset: .5em }
.bar nav > a { white-space: nowrap }
.home { display: flex; gap: var(--space-2); min-width: 0; margin-right: var(--space-4); align-items: center; font-weight: 600; letter-spacing: -.01em; line-height: 1.25; overflow-wrap: anywhere }
.initial { flex: none; width: 1.25rem; border-radius: var(--corner-small); color: var(--on-fill, #fff); background: var(--fill); font-size: var(--text-small); line-height: 1.25rem; text-align: center; text-transform: uppercase; &::before { content: attr(data-text) / '' } }
.home img { max-width: 9rem; max-height: 2rem }
.more { flex: 1 }
.icon { display: grid; flex: none; place-content: center; width: 2.25rem; height: 2.25rem; padding: 0; border: 0; border-radius: var(--corner-control); color: var(--ink); background: none; box-shadow: none; list-style: none; cursor: pointer }
.icon::before { content: ''; width: 1rem; height: .75rem; border: solid; border-width: 1.5px 0; background: linear-gradient(currentcolor 0 0) center/100% 1.5px no-repeat }
.more[open] > .icon::before { height: 1rem; border: 0; background: linear-gradient(45deg, #0000 46%, currentcolor 0 54%, #0000 0), linear-gradient(-45deg, #0000 46%, currentcolor 0 54%, #0000 0) }
.theme::before { height: 1rem; border-width: 1.5px; border-radius: 50%; background: linear-gradient(90deg, #0000 50%, currentcolor 0) }
.more > div, .more nav, .signed-in { display: flex; gap: var(--space-2) var(--space-5); align-items: center }
.more > div { justify-content: space-between }
.theme { margin: 0 -.5rem 0 auto }
body > footer { display: flex; flex-wrap: wrap; gap: 0 var(--space-6); margin-top: var(--space-12); padding-top: var(--space-4); border-top: 1px solid var(--line); color: var(--soft); font-size: var(--text-small) }
body > footer p { margin: 0 0 var(--space-2) }
@media (scripting: none) { .theme { display: none } }
/* A wide page shows the menu's content in the header, where browsers let it: the others keep the menu. */
@media (min-width: 64rem) {
  @supports selector(::details-content) {
    .more > summary { display: none }
    .more::details-content { content-visibility: visible }
    .more nav > a { line-height: 3.5rem }
    .bar nav [aria-current] { text-decoration: none; box-shadow: inset 0 -2px var(--accent) }
  }
}
@media (max-width: 63.99rem) {
  .bar { gap: var(--space-2) }
  .home { margin-right: auto }
  .more { order: 1; flex: none }
  .theme { order: 2; margin-left: 0 }
  .more > div { position: absolute; inset: 100% 0 auto; display: block; padding: var(--space-2); border-bottom: 1px solid var(--line); background: var(--raised); box-shadow: 0 0 0 100vmax rgb(0 0 0 / 40%); clip-path: inset(0 -100vmax -100vmax) }
  .more nav { display: grid; gap: 1px }
  .more nav > a { padding-inline: var(--space-2); border-radius: var(--corner-control); font-size: var(--text-plain) }
  .more nav > a:is(:hover, [aria-current]) { background: var(--code); text-decoration: none }
  .more nav + * { justify-content: space-between; margin-top: var(--space-2); padding: var(--space-2) var(--space-2) 0; border-top: 1px solid var(--line) }
}
/* Each control is as large as a finger: 44 pixels (WCAG 2.2, 2.5.5). Links in sentences are exempt. */
@media (max-width: 63.99rem), (pointer: coarse) {
  :root { --finger: max(0px, (44px - 1lh) / 2) }
  button, .button, .action, select, textarea, summary, [role=tab], input:not([type=checkbox], [type=radio]), .icon, .home { min-width: 44px; min-height: 44px }
  :root .copy.copy { border: .375rem solid #0000; border-radius: .75rem; background-clip: padding-box; outline-offset: -.25rem }
  figcaption > .copy { margin-right: -.375rem }
  a:is(.button, .action) { display: inline-flex; align-items: center; justify-content: center }
  summary, label.choice { padding-block: var(--finger) }
  :is(nav, .help, .links, .crumb, .actions, .alone, h1, .row h3) > a:not(.button, .action), nav li > a { display: inline-block; min-width: 44px; min-height: 44px; padding-block: var(--finger) }
}
`

const { 'bad-ground': badGround } = COLORS

/** The ground of pages that people come to first: a light at the top, in the accent's colour. */
export const FIRST_GROUND =
  'background: radial-gradient(64rem 22rem at top, color-mix(in srgb, var(--accent) 8%, #0000), #0000) no-repeat, light-dark(#f6f8fa, #0f1318)'

/** The rules of pages that consist of forms, and of values to copy: all but those of the console. */
export const FORM_CSS = `:root { background: light-dark(#f6f8fa, #0f1318) }
[hidden] { display: none !important }
h2 { margin: var(--space-8) 0 var(--space-2) }
p { margin: 0 0 var(--space-4) }
form { display: grid; gap: var(--space-5) }
.box, .decision > *, :is(main, .narrow) > form:not(.search) { padding: clamp(1rem, 4vw, 1.25rem) }
.field { display: grid; gap: .375rem }
.field p { margin: 0 }
label, legend { font-size: var(--text-small); font-weight: 500 }
legend { padding: 0; margin-bottom: .375rem }
fieldset { min-width: 0; margin: 0; padding: 0; border: 0 }
:is([type=checkbox], [type=radio]):not(.unseen) { flex: none; width: 1rem; height: 1rem; margin: .2rem 0 0 }
/* An empty box of the browser's own is grey on dark pages, as if it were disabled. */
@media (forced-colors: none) {
  [type=checkbox] { appearance: none; display: inline-grid; place-content: center; border: 1px solid light-dark(#8a939d, #6b7580); border-radius: var(--corner-small); background: var(--paper) }
  [type=checkbox]:checked { border-color: var(--fill); background: var(--fill); &::before { content: ''; width: .25rem; height: .5625rem; margin-top: -.125rem; border: solid var(--on-fill, #fff); border-width: 0 2px 2px 0; rotate: 45deg } }
}
/* What only a script or the page gives the focus shows it by its own look. */
[tabindex='-1']:focus-visible { outline: none }
[aria-invalid]:focus-visible { outline-color: var(--bad) }
input:not([type=checkbox], [type=radio]), select, textarea { width: 100%; min-width: 0; max-width: 100%; padding: .375rem .625rem; border: 1px solid light-dark(#8a939d, #6b7580); border-radius: var(--corner-control); color: var(--ink); background: var(--paper); font: var(--text-plain)/1.5 var(--sans) }
:is(select, [type=date]) { height: calc(1.5em + .75rem + 2px) }
[aria-invalid]:not([type=checkbox]) { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad) }
button { justify-self: start; ${BUTTON} }
.actions { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; margin: 0 }
:is(main, .narrow) > form:not(.search) > .actions { --edge: clamp(1rem, 4vw, 1.25rem); gap: var(--space-3); margin: 0 calc(-1 * var(--edge)) calc(-1 * var(--edge)); padding: var(--space-4) var(--edge); border-top: 1px solid var(--line) }
.quiet { border-color: var(--line); color: var(--ink); background: var(--raised) }
.problem { margin: 0 0 var(--space-5); background: light-dark(${badGround.light}, ${badGround.dark}); --tone: var(--bad) }
.wrong { color: var(--bad) }
p.wrong { margin: 0; font-size: var(--text-small) }
.box > :last-child { margin: 0 }
.box .empty { padding: var(--space-2) 0; & + .actions { justify-content: center; margin-top: var(--space-4) } }
dt { color: var(--soft); font-size: var(--text-small) }
`
