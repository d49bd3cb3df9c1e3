import { INVISIBLE } from '../lib/visible-text.js'

export interface StringSyntax {
  /** Characters with an escape of their own, and what they are replaced by. */
  readonly escapes: Readonly<Record<string, string>>
  /** The escape of any other character that is not shown; `code` is a code point. */
  formatCode(code: number): string
}

/** Control characters, and characters that are not seen or reorder the text around them. */
const HIDDEN = new RegExp(String.raw`${INVISIBLE.source}|[\p{Cc}\u2028\u2029]`, 'u')

export function escapeText(text: string, { escapes, formatCode }: StringSyntax): string {
  return Array.from(text, (character) => {
    if (Object.hasOwn(escapes, character)) return escapes[character]
    return HIDDEN.test(character) ? formatCode(character.codePointAt(0)!) : character
  }).join('')
}

/** The syntax of C, which other languages have taken. */
export const C_STRING: StringSyntax = {
  escapes: { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\r': '\\r', '\t': '\\t' },
  formatCode: (code) => (code > 0xffff ? `\\U${formatHex(code, 8)}` : `\\u${formatHex(code)}`),
}

export function quoteLikeC(text: string): string {
  return `"${escapeText(text, C_STRING)}"`
}

/** Escapes quotation marks that would end a string between `"""`. The text has no escaped ones yet. */
export function escapeTripleQuotes(text: string): string {
  return text.replaceAll(/"{3,}|"+$/g, (quotes) => quotes.replaceAll('"', '\\"'))
}

/** Whether a text is easier to read on several lines than with `\n` in it. */
export function isMultiline(text: string): boolean {
  return text.includes('\n') && !hasHidden(text)
}

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text.replaceAll(/[\n\t]/g, ''))
}

export function formatHex(code: number, digits = 4): string {
  return code.toString(16).padStart(digits, '0')
}
