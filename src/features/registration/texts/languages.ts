import type { Language } from '../../../shared/contracts/application-record.js'
import de from './de.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import { en } from './en.js'

export type RegistrationTexts = typeof en

export const TEXTS: Readonly<Record<Language, RegistrationTexts>> = { en, de, fr, es }
