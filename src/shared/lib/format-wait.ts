/** The time to wait, in words: `an hour`, `12 minutes`. It is rounded up, so that a second attempt is not too early. */
export function formatWait(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  const hours = Math.ceil(seconds / 3600)
  if (seconds < 60) return seconds === 1 ? 'a second' : `${seconds} seconds`
  if (minutes < 60) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  if (hours < 24) return hours === 1 ? 'an hour' : `${hours} hours`
  return hours === 24 ? 'a day' : `${Math.ceil(hours / 24)} days`
}
