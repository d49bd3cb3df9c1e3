import type { Language } from '../../shared/contracts/application-record.js'
import type { RefusalExplanation } from '../../shared/contracts/usage-entries.js'
import type { RefusalRecord } from '../../shared/contracts/usage.js'
import { de } from './texts/de.js'
import { en, type ExplainedReason } from './texts/en.js'
import { es } from './texts/es.js'
import { fr } from './texts/fr.js'
import type { RefusalDetailsInWords, RefusalWords } from './texts/refusal-words.js'

const WORDS: Readonly<Record<Language, RefusalWords<ExplainedReason>>> = { en, de, fr, es }

/** Explains a refusal in words, for the developer of the application, at the time `now` (milliseconds since 1970). */
export function explainRefusal(
  { error, reason, details, address }: Pick<RefusalRecord, 'error' | 'reason' | 'details' | 'address'>,
  now: number,
  language: Language,
): RefusalExplanation {
  const { reasons } = WORDS[language]
  const name =
    [`${reason}_of_${details['of']}`, reason, error].find((each) => Object.hasOwn(reasons, each)) ?? 'unknown'
  const [describeProblem, fix] = reasons[name as ExplainedReason]
  const caller = address === undefined ? '' : ` (${address})`
  return { problem: describeProblem({ ...readDetails(details, now, language), address: caller }), fix }
}

function readDetails(
  details: RefusalRecord['details'],
  now: number,
  language: Language,
): Omit<RefusalDetailsInWords, 'address'> {
  const { expiredAt, api, credential, scopes, retryAfter } = details
  const { quote, seconds } = WORDS[language]
  return {
    ago: typeof expiredAt === 'number' ? ` ${formatAgo(now - expiredAt, language)}` : '',
    api: typeof api === 'string' ? ` (${quote(api)})` : '',
    credential: typeof credential === 'string' ? ` ${quote(credential)}` : '',
    scopes: typeof scopes === 'string' && scopes !== '' ? ` (${scopes})` : '',
    seconds: typeof retryAfter === 'number' ? ` (Retry-After: ${seconds(retryAfter)})` : '',
  }
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
  if (!unit) return WORDS[language].justNow
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(seconds / unit[1]), unit[0])
}
