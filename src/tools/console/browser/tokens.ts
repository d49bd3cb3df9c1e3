import { splitCode } from '../../../shared/lib/code-tokens.js'
import { create } from './elements.js'

/** The pieces of code with the colours of its language; plain text without one. */
export function renderTokens(code: string, language: string | undefined): (Node | string)[] {
  if (language === undefined) return [code]
  return splitCode(code, language).map(({ kind, text }) =>
    kind === undefined ? text : create('span', { class: kind }, text),
  )
}
