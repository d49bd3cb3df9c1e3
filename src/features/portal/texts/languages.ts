import type { Language } from '../../../shared/contracts/application-record.js'
import de from './de.json' with { type: 'json' }
import { en } from './en.js'
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }

export type PortalTexts = typeof en

export const TEXTS: Readonly<Record<Language, PortalTexts>> = {
  en,
  de: { language: 'de', ...de },
  fr: { language: 'fr', ...fr },
  es: { language: 'es', ...es },
}
