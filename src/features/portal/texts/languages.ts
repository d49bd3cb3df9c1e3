import type { Language } from '../../../shared/contracts/application-record.js'
import { de } from './de.js'
import { en, type PortalTexts } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'

export const TEXTS: Readonly<Record<Language, PortalTexts>> = { en, de, fr, es }
