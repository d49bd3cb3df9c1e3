/**
 * The colours and fonts of the console and the registration pages, as CSS custom properties on `:root`. `light-dark()`
 * follows the browser's colour scheme.
 */
export const PALETTE_CSS = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfdfc, #14171a);
  --raised: light-dark(#ffffff, #1b1f23);
  --code: light-dark(#f3f4f2, #20252a);
  --ink: light-dark(#1d2125, #e6e8ea);
  --soft: light-dark(#58616a, #a5aeb6);
  --line: light-dark(#dfe2e4, #343a40);
  --accent: light-dark(#0f5f8c, #7cc0ea);
  --on-accent: light-dark(#ffffff, #0c1922);
  --bad: light-dark(#a3261d, #ff9d93);
  --sans: system-ui, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  font: 16px/1.55 var(--sans);
  color: var(--ink);
  background: var(--paper);
}
`
