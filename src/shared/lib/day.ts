export const DAY_MS = 24 * 3600 * 1000

/** The day in UTC, such as `2026-11-22`, of a time in milliseconds since 1970. */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
