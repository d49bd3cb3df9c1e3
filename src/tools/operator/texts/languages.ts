import type { Language } from '../../../shared/contracts/application-record.js'
import { de } from './de.js'
import { en } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { LABELS } from './labels.js'

type Labels<Rows> = Rows extends readonly string[] ? string : { readonly [Name in keyof Rows]: Labels<Rows[Name]> }

/** The words of the operator's pages. */
export type OperatorTexts = typeof en & Labels<typeof LABELS>

/** The column of a language. */
function pick<Rows extends object>(rows: Rows, column: number): Labels<Rows> {
  const read = (row: object): unknown => (Array.isArray(row) ? (row as unknown[])[column] : pick(row, column))
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, read(row as object)])) as Labels<Rows>
}

/** The words in each language. */
export const TEXTS: Readonly<Record<Language, OperatorTexts>> = {
  en: { ...en, ...pick(LABELS, 0) },
  de: { ...de, ...pick(LABELS, 1) },
  fr: { ...fr, ...pick(LABELS, 2) },
  es: { ...es, ...pick(LABELS, 3) },
}
