import type { Language } from '../../../shared/contracts/application-record.js'
import de from './de.json' with { type: 'json' }
import { en, type OperatorTexts } from './en.js'
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }

export const TEXTS: Readonly<Record<Language, OperatorTexts>> = { en, de, fr, es }
