import { hashSource } from '../web/hash-source.js'
import { html, type Html } from '../web/html.js'
import type { PageBrand } from '../web/page-brand.js'
import { THEME_SCRIPT, THEME_SCRIPT_SOURCE } from '../web/theme-switch.js'
import type { Assets } from './assets.js'

interface PageOptions {
  readonly title: string
  /** The relative path from the page to the console's index, such as `./` or `../`. */
  readonly root: string
  readonly assets: Assets
  readonly brand: PageBrand
  readonly bodyClass?: string
  readonly styles: readonly (keyof Assets)[]
  readonly scripts: readonly (keyof Assets)[]
  /** More for the head, such as other forms of the page. */
  readonly head?: Html
  readonly content: Html
  /** Whether this is the index, whose address ends with a slash. */
  readonly isIndex?: boolean
}

/**
 * Adds the trailing slash that the relative links of the index need. The server redirects, but cannot see the missing
 * slash behind a proxy that strips the prefix.
 */
const ADD_SLASH = `if(!location.pathname.endsWith('/'))location.pathname+='/'`

/** A complete HTML page. All its URLs are relative, so that it works at any mount path and behind any proxy. */
export function renderPage({
  title,
  root,
  assets,
  brand,
  bodyClass,
  styles,
  scripts,
  head,
  content,
  isIndex = false,
}: PageOptions): string {
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${THEME_SCRIPT} ${isIndex && { markup: `<script>${ADD_SLASH}</script>` }}
        <link rel="icon" type="image/svg+xml" href="${root}${assets['icon.svg'].path}" />
        ${styles.map((name) => html`<link rel="stylesheet" href="${root}${assets[name].path}" /> `)} ${brand.style}
        ${scripts.map((name) => html`<script src="${root}${assets[name].path}" defer></script> `)} ${head}
      </head>
      <body${bodyClass !== undefined && html` class="${bodyClass}"`}>
        ${brand.header} ${content} ${brand.footer}
      </body>
    </html> `
  return markup
}

interface ContentSecurityPolicyOptions {
  /** The origins that the page may call. */
  readonly connect?: readonly string[]
  /** Sources of images besides the console's files. */
  readonly images?: readonly string[]
}

/** Allows a page to load the console's files and what the options name, and nothing else. */
export function createContentSecurityPolicy({ connect = [], images = [] }: ContentSecurityPolicyOptions = {}): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${THEME_SCRIPT_SOURCE} ${hashSource(ADD_SLASH)}`,
    "style-src 'self'",
    ["img-src 'self'", ...images].join(' '),
    `connect-src ${connect.length > 0 ? connect.join(' ') : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
