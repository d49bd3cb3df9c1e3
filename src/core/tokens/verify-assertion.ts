import type { KeyObject } from 'node:crypto'
import { compactVerify, errors } from 'jose'

/** Whether that key has signed the compact JWS (RFC 7515). jose refuses extensions that it does not know (`crit`). */
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
