import { hasFeature } from '../target.js'
import { note, problem, type Check } from './finding.js'

/** Lists credentials that still have hashes of the system that issued them, and checks that servers recognize the hashes. */
export const importedCredentialsCheck: Check = {
  name: 'imported credentials',
  async run({ target: { options, store } }) {
    const counts = Object.entries((await store?.imports?.countHashes?.()) ?? {})
    if (counts.length === 0) return []
    const formats = counts.map(([format, count]) => `${count} as ${format}`).join(', ')
    if (options && !hasFeature(options, 'imports')) {
      return problem(
        `The options have no imports(), so credentials that were imported as hashes are refused with 401: ${formats}.`,
        'Add imports() from "express-platform-auth/imports" to features; imports({ hmacKey }) for HMAC-SHA-256 hashes.',
      )
    }
    return note(
      `Not used yet, and therefore stored by the hashes of another system: ${formats}.`,
      "Each gets the platform's own hash at its first use. Ask the owners of those that remain, or rotate them.",
    )
  },
}
