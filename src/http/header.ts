import type { IncomingMessage } from 'node:http'

/**
 * Whether a header came more than once. Node keeps the first `Authorization` and joins others with a comma; only the raw
 * list tells. Two credentials on one request are an error, not a choice (RFC 6750 2).
 */
export function hasDuplicateHeader({ rawHeaders }: IncomingMessage, lowerCaseName: string): boolean {
  let seen = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue
    if (seen) return true
    seen = true
  }
  return false
}
