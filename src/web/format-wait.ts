import type { Language } from '../contracts/application-record.js'

const FORMATS = new Map<Language, Intl.RelativeTimeFormat>()

/** Such as `in 12 minutes`. It is rounded up, so that nobody tries again too early. */
export function formatWait(seconds: number, language: Language): string {
  const format = FORMATS.get(language) ?? new Intl.RelativeTimeFormat(language === 'en' ? 'en-GB' : language)
  FORMATS.set(language, format)
  if (seconds < 60) return format.format(seconds, 'second')
  if (seconds <= 59 * 60) return format.format(Math.ceil(seconds / 60), 'minute')
  return format.format(Math.ceil(seconds / 3600), 'hour')
}
