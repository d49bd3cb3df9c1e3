import type { Language } from '../../../shared/contracts/application-record.js'
import { de } from './de.js'
import { en, type OperatorTexts } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'

/** The words of the operator's pages in each language. */
export const TEXTS: Readonly<Record<Language, OperatorTexts>> = { en, de, fr, es }
