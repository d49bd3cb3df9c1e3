import type { Language } from '../../../contracts/application-record.js'
import { de } from './de.js'
import { en } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import type { Phrases } from './phrases.js'

/** The words of the registration pages in each language. */
export const TEXTS: Readonly<Record<Language, Phrases>> = { en, de, fr, es }
