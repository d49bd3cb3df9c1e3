import type { Language } from '../../../shared/contracts/application-record.js'
import { de } from './de.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { en, type RegistrationTexts } from './en.js'

export const TEXTS: Readonly<Record<Language, RegistrationTexts>> = { en, de, fr, es }
