import type { Language } from '../../shared/contracts/application-record.js'
import type { RefusalExplanation } from '../../shared/contracts/usage-entries.js'
import type { RefusalRecord } from '../../shared/contracts/usage.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { de } from './texts/de.js'
import { en, type RefusalTexts } from './texts/en.js'
import { es } from './texts/es.js'
import { fr } from './texts/fr.js'

const TEXTS: Readonly<Record<Language, RefusalTexts>> = { en, de, fr, es }

/** Explains a refusal in words, for the developer of the application, at the time `now` (milliseconds since 1970). */
export function explainRefusal(
  { error, reason, details, address }: Pick<RefusalRecord, 'error' | 'reason' | 'details' | 'address'>,
  now: number,
  language: Language,
): RefusalExplanation {
  const { reasons, quote, seconds } = TEXTS[language]
  const names = [`${reason}_of_${details['of']}`, reason, error]
  const name = names.find((each): each is keyof typeof reasons => Object.hasOwn(reasons, each)) ?? 'unknown'
  const [problem, fix] = reasons[name]
  const { expiredAt, api, credential, scopes, retryAfter } = details
  const values = {
    ago: typeof expiredAt === 'number' ? ` ${formatAgo(now - expiredAt, language)}` : '',
    api: typeof api === 'string' ? ` (${fillText(quote, { text: api })})` : '',
    credential: typeof credential === 'string' ? ` ${fillText(quote, { text: credential })}` : '',
    scopes: typeof scopes === 'string' && scopes !== '' ? ` (${scopes})` : '',
    seconds: typeof retryAfter === 'number' ? ` (Retry-After: ${fillText(seconds, { count: retryAfter })})` : '',
    address: address === undefined ? '' : ` (${address})`,
  }
  return { problem: fillText(problem, values), fix }
}

const UNITS = [
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** The largest unit alone: `2 hours ago`. */
function formatAgo(milliseconds: number, language: Language): string {
  const seconds = Math.floor(milliseconds / 1000)
  const unit = UNITS.find(([, length]) => seconds >= length)
  if (!unit) return TEXTS[language].justNow
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(seconds / unit[1]), unit[0])
}
