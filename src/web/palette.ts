/** Each colour in a light and in a dark page. E-mails have the light ones. */
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

const CUSTOM_PROPERTIES = Object.entries(COLORS)
  .map(([name, { light, dark }]) => `  --${name}: light-dark(${light}, ${dark});`)
  .join('\n')

/**
 * The colours and fonts of the console, the portal and the registration pages, as CSS custom properties on `:root`. `light-dark()`
 * follows the system's setting, unless the reader has chosen a theme (theme-switch.ts).
 */
export const PALETTE_CSS = `:root {
  color-scheme: light dark;
${CUSTOM_PROPERTIES}
  --sans: system-ui, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font: 16px/1.55 var(--sans);
  color: var(--ink);
  background: var(--paper);
}
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark }
button.theme { flex: none; min-width: 2rem; min-height: 2rem; margin: 0 0 0 auto; padding: 0; border: 1px solid var(--line); border-radius: 6px; color: var(--ink); background: none; font: 1.125rem/1 var(--sans); cursor: pointer }
@media (scripting: none) { button.theme { display: none } }
`
