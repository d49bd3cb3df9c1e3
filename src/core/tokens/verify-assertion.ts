import type { KeyObject } from 'node:crypto'
import { compactVerify, errors } from 'jose'

/**
 * Whether the compact JWS (RFC 7515) was signed with that key, by one of the algorithms of the key. jose refuses extensions that it does not
 * know (`crit`).
 */
export async function verifyAssertion(
  assertion: string,
  { key, algorithms }: { readonly key: KeyObject; readonly algorithms: readonly string[] },
): Promise<boolean> {
  try {
    await compactVerify(assertion, key, { algorithms: [...algorithms] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
