/** A time such as `2027-01-31 10:00:00 UTC`, rounded down to the second: nobody may count on a moment too late. */
export function formatTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
