import { AsyncLocalStorage } from 'node:async_hooks'
import type { Language } from '../../index.js'
import { fillIn, fillText } from '../../shared/lib/fill-in.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import de from './texts/de.json' with { type: 'json' }
import { en, type ConsoleTexts } from './texts/en.js'
import es from './texts/es.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }

const TEXTS: Readonly<Record<Language, ConsoleTexts>> = { en, de, fr, es }
/** Pages consist of some hundred parts in each other, so the language is not handed through all of them. */
const languages = new AsyncLocalStorage<Language>()

export function inLanguage<Page>(language: Language, render: () => Page): Page {
  return languages.run(language, render)
}

/** The language of the page that is being rendered; English for documents that programs read. */
export function readLanguage(): Language {
  return languages.getStore() ?? 'en'
}

export function words(): ConsoleTexts {
  return TEXTS[readLanguage()]
}

/** The words that the pages of all parts share. */
export function frameWords(): (typeof FRAME_TEXTS)[Language] {
  return FRAME_TEXTS[readLanguage()]
}

type Word = keyof ConsoleTexts

export function wordsWith(word: Word, values: Readonly<Record<string, Html | string | number>>): Html {
  return html`${fillIn(words()[word], values)}`
}

export function textWith(word: Word, values: Readonly<Record<string, string | number>>): string {
  return fillText(words()[word], values)
}
