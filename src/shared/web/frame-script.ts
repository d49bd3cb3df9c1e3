import { hashSource } from './page-brand.js'
import { html, type Html } from './html.js'

/**
 * The script of every page. It shows the theme that the reader has chosen before the page is painted, and changes it. Only a choice that
 * differs from the system's setting is stored: the word `light` or `dark`. Where nothing can be stored, it holds until the page is left.
 * A menu closes as readers expect: by Escape, or by a click beside it.
 */
const SCRIPT = `{
  const { dataset } = document.documentElement, key = 'express-platform-auth.theme'
  const show = (theme) => theme ? dataset.theme = theme : delete dataset.theme
  const restore = () => { try { const theme = localStorage.getItem(key); show(/^(light|dark)$/.test(theme) && theme) } catch {} }
  restore()
  addEventListener('pageshow', restore)
  const menus = 'details:is(.more, .menu, .downloads)'
  document.addEventListener('click', ({ target }) => {
    for (const menu of document.querySelectorAll(menus)) menu.open &&= menu.contains(target)
    if (!target.closest('.theme')) return
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
    const next = (dataset.theme ?? system) === 'dark' ? 'light' : 'dark'
    show(next !== system && next)
    try { next === system ? localStorage.removeItem(key) : localStorage.setItem(key, next) } catch {}
    document.dispatchEvent(new Event('themechange'))
  })
  document.addEventListener('keydown', ({ key, target }) => {
    const menu = key === 'Escape' && target.closest(menus)
    if (!menu) return
    menu.open = false
    menu.firstElementChild.focus()
  })
}`.replaceAll(/\n\s+/g, '\n')

export const FRAME_SCRIPT = { markup: `<script>${SCRIPT}</script>` }

/** The source by which a page's Content-Security-Policy allows the script. */
export const FRAME_SCRIPT_SOURCE = hashSource(SCRIPT)

/** The button in the header of each page. It works by delegation; without a script it is hidden. */
export function renderThemeButton(label: string): Html {
  return html`<button type="button" class="icon theme" aria-label="${label}" title="${label}"></button>`
}

/** Styles and scripts are in the pages and allowed by their hashes, so that any path or proxy will do. `more`: further directives. */
export function formatPagePolicy(styles: readonly string[], scripts: readonly string[], more: string): string {
  return [
    "default-src 'none'",
    `style-src ${styles.map(hashSource).join(' ')}`,
    `script-src ${[FRAME_SCRIPT_SOURCE, ...scripts.map(hashSource)].join(' ')}`,
    more,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
