export const DAY_MS = 24 * 3600 * 1000

/** The day in UTC, such as `2026-11-22`, of a time in milliseconds since 1970. */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** A day such as 2026-02-30 would be read as another one. */
export function isDay(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(text) && formatDay(Date.parse(text)) === text
}

export function firstOfMonth(day: string): string {
  return `${day.slice(0, 8)}01`
}

/** Milliseconds since 1970 of the first day of the next month. */
export function findMonthEnd(day: string): number {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return Date.UTC(year, month)
}
