import { calls as deCalls, page as dePage } from './texts/de.js'
import { calls as enCalls, page as enPage } from './texts/en.js'
import { calls as esCalls, page as esPage } from './texts/es.js'
import { calls as frCalls, page as frPage } from './texts/fr.js'

/** The language of all pages of the console that this one is replaced by. */
const { document: shown } = globalThis as { document?: Document }
const LANGUAGES = ['en', 'de', 'es', 'fr'] as const
export const language = LANGUAGES.find((each) => each === shown?.documentElement.lang) ?? 'en'

/** The words for finding and reading operations; each script contains what it uses. */
export const pageWords = { en: enPage, de: dePage, es: esPage, fr: frPage }[language]
export const callWords = { en: enCalls, de: deCalls, es: esCalls, fr: frCalls }[language]
