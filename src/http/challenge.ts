/** The value of a `WWW-Authenticate` header (RFC 9110 11.6.1), its parameters in the order given. */
export function challenge(scheme: string, parameters: readonly (readonly [name: string, value: string])[]): string {
  return `${scheme} ${parameters.map(([name, value]) => `${name}="${quotable(value)}"`).join(', ')}`
}

/** RFC 6749 5.2 and RFC 6750 3: %x20-21 / %x23-5B / %x5D-7E, and nothing else. */
function quotable(value: string): string {
  return value.replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, (character) => (character === '"' ? "'" : ' '))
}
