import deCalls from './texts/calls/de.json' with { type: 'json' }
import dePage from './texts/page/de.json' with { type: 'json' }
import { calls as enCalls, page as enPage } from './texts/en.js'
import esCalls from './texts/calls/es.json' with { type: 'json' }
import esPage from './texts/page/es.json' with { type: 'json' }
import frCalls from './texts/calls/fr.json' with { type: 'json' }
import frPage from './texts/page/fr.json' with { type: 'json' }

/** The language of all pages of the console that this one is replaced by. */
const { document: shown } = globalThis as { document?: Document }
const LANGUAGES = ['en', 'de', 'es', 'fr'] as const
export const language = LANGUAGES.find((each) => each === shown?.documentElement.lang) ?? 'en'

const choose = <Words>(words: Record<(typeof LANGUAGES)[number], Words>): Words => words[language]

/** The words for finding and reading operations, and those for calls. Without the mark, each script would contain both. */
export const pageWords = /* @__PURE__ */ choose({ en: enPage, de: dePage, es: esPage, fr: frPage })
export const callWords = /* @__PURE__ */ choose({ en: enCalls, de: deCalls, es: esCalls, fr: frCalls })
