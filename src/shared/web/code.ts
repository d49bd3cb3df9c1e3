import { splitCode } from '../lib/code-tokens.js'
import { html, type Html } from './html.js'

/** The element `code` with the colours of a language; plain without one. */
export function renderCode(code: string, language: string | undefined): Html {
  if (language === undefined) return html`<code>${code}</code>`
  const tokens = splitCode(code, language)
  return html`<code
    >${tokens.map(({ kind, text }) => (kind === undefined ? text : html`<span class="${kind}">${text}</span>`))}</code
  >`
}
