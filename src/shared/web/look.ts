/**
 * The look of everything that people see: the console, the portal, the pages of registration and e-mails. Pages have the values as
 * CSS custom properties. E-mails have the same ones inline, because mail programs know no custom properties.
 */

/** Each colour in a light and in a dark page. */
export const COLORS = {
  paper: { light: '#fdfdfc', dark: '#14171a' },
  raised: { light: '#ffffff', dark: '#1b1f23' },
  code: { light: '#f3f4f2', dark: '#20252a' },
  ink: { light: '#1d2125', dark: '#e6e8ea' },
  soft: { light: '#58616a', dark: '#a5aeb6' },
  line: { light: '#dfe2e4', dark: '#343a40' },
  accent: { light: '#0f5f8c', dark: '#7cc0ea' },
  'on-accent': { light: '#ffffff', dark: '#0c1922' },
  good: { light: '#1f6b3a', dark: '#86d39d' },
  bad: { light: '#a3261d', dark: '#ff9d93' },
} as const

/**
 * The type scale, in pixels: labels in lists, notes and code, text, headings of sections, titles. Pages write them in rem, so that
 * they follow the size that the reader has chosen. The heading of a page, `--text-heading`, also follows its width.
 */
export const TEXT_SIZES = { tiny: 12, small: 14, plain: 16, large: 18, title: 22 } as const

/** The spaces inside and between things: `--space-4` is 4 steps of 4 pixels. */
const SPACES = [1, 2, 3, 4, 5, 6, 8, 10, 12] as const

/** The corners of controls, and of boxes, in pixels. */
export const CORNERS = { control: 6, box: 8 } as const

const PROPERTIES = [
  ...Object.entries(COLORS).map(([name, { light, dark }]) => `--${name}: light-dark(${light}, ${dark});`),
  ...Object.entries(TEXT_SIZES).map(([name, pixels]) => `--text-${name}: ${pixels / 16}rem;`),
  '--text-heading: clamp(1.75rem, 1.4rem + 1.6vw, 2.375rem);',
  ...SPACES.map((steps) => `--space-${steps}: ${steps / 4}rem;`),
  ...Object.entries(CORNERS).map(([name, pixels]) => `--corner-${name}: ${pixels}px;`),
]

const BUTTON =
  'display: inline-block; padding: var(--space-2) var(--space-4); border: 1px solid var(--accent); border-radius: var(--corner-control); color: var(--on-accent); background: var(--accent); font: inherit; font-weight: 550; text-decoration: none; cursor: pointer'

/**
 * The rules that all pages begin with: `light-dark()` follows the system's setting, unless the reader has chosen a theme
 * (theme-switch.ts).
 */
export const LOOK_CSS = `:root {
  color-scheme: light dark;
${PROPERTIES.map((property) => `  ${property}\n`).join('')}  --sans: system-ui, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font: 100%/1.55 var(--sans);
  color: var(--ink);
  background: var(--paper);
  accent-color: var(--accent);
}
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem) var(--space-12) }
h1 { margin: 0; font-size: var(--text-heading); font-weight: 650; line-height: 1.15; letter-spacing: -.02em; overflow-wrap: anywhere }
h2 { margin: 0; font-size: var(--text-title); font-weight: 650; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere }
a { color: var(--accent); text-underline-offset: .2em; text-decoration-thickness: 1px }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px }
.button { ${BUTTON} }
.button:hover { filter: brightness(1.08) }
.button:disabled { opacity: .6; cursor: default }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.bar { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); align-items: center; justify-content: flex-end; padding: var(--space-3) 0; border-bottom: 1px solid var(--line); font-size: var(--text-small) }
.bar > nav { display: flex; flex: 1 1 12rem; flex-wrap: wrap; gap: var(--space-1) var(--space-6) }
.bar > .theme { flex: none; min-width: 2rem; min-height: 2rem; padding: 0; border: 1px solid var(--line); border-radius: var(--corner-control); color: var(--ink); background: none; font: var(--text-large)/1 var(--sans); cursor: pointer }
.bar > .back > a:first-child::before { content: '←'; display: inline-block; margin-right: .5em }
.brand { display: flex; gap: var(--space-3); align-items: center; margin: 0 auto 0 0; font-size: var(--text-plain); overflow-wrap: anywhere }
.brand img { max-width: 12rem; max-height: 2.5rem }
body > footer { margin-top: var(--space-12); padding-top: var(--space-4); border-top: 1px solid var(--line); color: var(--soft); font-size: var(--text-small) }
body > footer p { margin: 0 0 var(--space-2) }
@media (scripting: none) { .bar > .theme { display: none } }
/* Each control is as large as a finger: 44 pixels (WCAG 2.2, 2.5.5). Links in sentences are exempt. */
@media (max-width: 63.99rem), (pointer: coarse) {
  :root { --finger: max(0px, (44px - 1lh) / 2) }
  button, .button, .action, select, textarea, summary, [role=tab], input:not([type=checkbox], [type=radio]), .bar > .theme { min-width: 44px; min-height: 44px }
  a:is(.button, .action) { display: inline-flex; align-items: center; justify-content: center }
  summary, label.choice { padding-block: var(--finger) }
  :is(nav, .bar, .help, .links, .crumb, .actions, .problem li, .alone, h1, .row h3) > a:not(.button, .action), nav li > a { display: inline-block; min-width: 44px; min-height: 44px; padding-block: var(--finger) }
}
/* The brand and the switch share the first line of the header, so that it is no line longer. */
@media (max-width: 40rem) {
  .bar > .theme { order: 1 }
  .bar > .brand ~ :is(nav, .signed-in) { order: 2; flex: 1 1 100% }
}
`

/** The rules of pages that consist of forms, and of values to copy: all but those of the console. */
export const FORM_CSS = `[hidden] { display: none !important }
h2 { margin: var(--space-8) 0 var(--space-2); font-size: var(--text-large); letter-spacing: 0 }
p { margin: 0 0 var(--space-4) }
form { display: grid; gap: var(--space-5) }
.field { display: grid; gap: .375rem }
.field p { margin: 0 }
label, legend { font-weight: 550 }
legend { padding: 0; margin-bottom: .375rem }
fieldset { margin: 0; padding: 0; border: 0 }
input:not([type=checkbox], [type=radio]), select, textarea { width: 100%; min-width: 0; padding: var(--space-2) var(--space-3); border: 1px solid var(--soft); border-radius: var(--corner-control); color: inherit; background: var(--raised); font: inherit }
[aria-invalid]:not([type=checkbox]) { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad) }
button { justify-self: start; ${BUTTON} }
button:hover { filter: brightness(1.08) }
button:disabled { opacity: .6; cursor: default }
.quiet { color: var(--accent); background: none }
.problem { margin: 0 0 var(--space-5); padding: .625rem .875rem; border-left: 3px solid var(--bad); border-radius: 0 var(--corner-control) var(--corner-control) 0; background: var(--code) }
.problem ul { margin: var(--space-1) 0 0; padding-left: var(--space-5) }
.problem a { color: inherit }
dt { color: var(--soft); font-size: var(--text-small) }
figure { max-width: 44rem; margin: 0 0 var(--space-4); border: 1px solid var(--line); border-radius: var(--corner-box); background: var(--code); overflow: hidden }
figcaption { display: flex; gap: var(--space-3); align-items: center; justify-content: space-between; min-height: 2.5rem; padding: .375rem var(--space-2) .375rem var(--space-4); border-bottom: 1px solid var(--line); color: var(--soft); font-size: var(--text-small) }
pre { margin: 0; padding: var(--space-3) var(--space-4) var(--space-4); font: var(--text-small)/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere }
pre code { font: inherit; user-select: all }
.copy { flex: none; min-width: 4.25rem; padding: .2rem var(--space-2); border-color: var(--line); color: var(--ink); background: var(--raised); font-size: var(--text-small) }
`
