/** A value as an error message shows it: JSON where there is any, otherwise its type. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing'
  // JSON has no NaN and no Infinity.
  if (typeof value === 'number') return String(value)
  try {
    return JSON.stringify(value) ?? typeof value
  } catch {
    // A bigint, or an object that contains itself.
    return typeof value
  }
}
