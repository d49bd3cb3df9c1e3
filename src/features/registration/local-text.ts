import type { Language } from '../../shared/contracts/application-record.js'
import { isObject } from '../../shared/lib/own-members.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import { invalidOption, refuseUnknown } from '../../shared/lib/option-checks.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'

/** A text of the provider: the same in every language, or one for each: `{ en: 'Company', de: 'Firma' }`. */
export type LocalText = string | { readonly [language in Language]?: string | undefined }

export function readLocalText(option: string, text: unknown): LocalText {
  const languages = isObject(text) ? text : { en: text }
  refuseUnknown(`${option}.`, languages, Object.keys(FRAME_TEXTS))
  const texts = Object.values(languages)
  const isLine = (each: unknown): boolean =>
    typeof each === 'string' && each.trim() !== '' && findLineProblem(each, MAX_LENGTH) === undefined
  if (texts.length > 0 && texts.every(isLine)) return text as LocalText
  throw invalidOption(
    option,
    text,
    `Write one line of up to ${MAX_LENGTH} characters, or one for each language: { en: 'Company', de: 'Firma' }.`,
  )
}

const MAX_LENGTH = 300

export function translate(text: LocalText, language: Language): string {
  if (typeof text === 'string') return text
  return [text[language], text.en, ...Object.values(text)].find((each) => each !== undefined)!
}
