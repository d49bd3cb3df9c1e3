const FORMATS = new Map<string, Intl.RelativeTimeFormat>()

/** The time until a second attempt, such as `in 12 minutes` or `in 12 Minuten`. It is rounded up, so that the attempt is not too early. */
export function formatRelativeTime(seconds: number, language: string): string {
  const format = FORMATS.get(language) ?? new Intl.RelativeTimeFormat(language === 'en' ? 'en-GB' : language)
  FORMATS.set(language, format)
  if (seconds < 60) return format.format(seconds, 'second')
  if (seconds <= 59 * 60) return format.format(Math.ceil(seconds / 60), 'minute')
  return format.format(Math.ceil(seconds / 3600), 'hour')
}
