import type { Language } from '../../../shared/contracts/application-record.js'
import de from './de.json' with { type: 'json' }
import { en } from './en.js'
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }

export type EmailCatalogue = typeof en

/** English is in TypeScript, because its names are the type; translations are files that tools for translators read. */
export const TEXTS: Readonly<Record<Language, EmailCatalogue>> = { en, de, fr, es }
