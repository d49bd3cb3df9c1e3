const FORMATS = new Map<string, Intl.RelativeTimeFormat>()

/** The time until a second attempt, such as `in 12 minutes` or `in 12 Minuten`. It is rounded up, so that the attempt is not too early. */
export function formatRelativeTime(seconds: number, language: string): string {
  const format = FORMATS.get(language) ?? new Intl.RelativeTimeFormat(language === 'en' ? 'en-GB' : language)
  FORMATS.set(language, format)
  if (seconds < 60) return format.format(seconds, 'second')
  if (seconds <= 59 * 60) return format.format(Math.ceil(seconds / 60), 'minute')
  return format.format(Math.ceil(seconds / 3600), 'hour')
}

/** The time to wait, in words: `an hour`, `12 minutes`. It is rounded up, so that a second attempt is not too early. */
export function formatWait(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  const hours = Math.ceil(seconds / 3600)
  if (seconds < 60) return seconds === 1 ? 'a second' : `${seconds} seconds`
  if (minutes < 60) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  if (hours < 24) return hours === 1 ? 'an hour' : `${hours} hours`
  return hours === 24 ? 'a day' : `${Math.ceil(hours / 24)} days`
}
