import type { Language } from '../../../shared/contracts/application-record.js'
import { de } from './de.js'
import { en, type EmailCatalogue } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'

export const TEXTS: Readonly<Record<Language, EmailCatalogue>> = { en, de, fr, es }
