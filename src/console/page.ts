import { createHash } from 'node:crypto'
import type { Assets } from './assets.js'
import { html, type Html } from '../lib/html.js'

interface PageOptions {
  readonly title: string
  /** From the page to the console's own address: `./` or `../`. */
  readonly home: string
  readonly assets: Assets
  readonly styles: readonly (keyof Assets)[]
  readonly scripts: readonly (keyof Assets)[]
  readonly content: Html
}

/**
 * Whoever strips a prefix may hide from us that the address ended without a slash, which all relative links need. No
 * page but the index can be reached so.
 */
const ADD_SLASH = `if(!location.pathname.endsWith('/'))location.pathname+='/'`

/** A whole page. Every address in it is relative: it is right below whatever path, and behind whatever proxy. */
export function page({ title, home, assets, styles, scripts, content }: PageOptions): string {
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${home === './' && { markup: `<script>${ADD_SLASH}</script>` }}
        <link rel="icon" type="image/svg+xml" href="${home}${assets['icon.svg'].path}" />
        ${styles.map((name) => html`<link rel="stylesheet" href="${home}${assets[name].path}" /> `)}
        ${scripts.map((name) => html`<script src="${home}${assets[name].path}" defer></script> `)}
      </head>
      <body>
        ${content}
      </body>
    </html> `
  return markup
}

/** What a page may do: nothing but load the console's files and, if it has an API to call, call that. */
export function contentSecurityPolicy(connect: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(ADD_SLASH).digest('base64')}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connect.length > 0 ? connect.join(' ') : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
