import { createHmac, createSecretKey } from 'node:crypto'
import { isSameText } from '../../shared/lib/is-same-text.js'
import { deriveKey } from '../../shared/lib/derive-key.js'

export const PROOF_HEADER = 'x-platform-proof'

export const SOURCE_PATH = '/_resource-server/source/'

/** This version, and the oldest that is answered too. Additions raise neither: each side ignores what it does not know. */
const VERSION = 1
export const VERSIONS = [1, VERSION] as const

/** The problem of a service whose platform answers those versions; undefined if there is none. One that says nothing is older than all. */
export function describeOtherVersion([oldest = 0, newest = oldest]: readonly number[]): string | undefined {
  if (VERSION >= oldest && VERSION <= newest) return undefined
  const theirs = oldest === newest ? `version ${newest}` : `versions ${oldest} to ${newest}`
  const place = VERSION > newest ? 'at the platform first' : 'here'
  return `The platform answers ${theirs} of the calls of createRemoteAuth(), and this service makes those of version ${VERSION}: update express-platform-auth ${place}.`
}

/** Keys of the `Authorization` header that both sides know. An answer that is damaged, or of another request, has another HMAC. */
export function createSharedKeys(authorization: string) {
  const proofKey = createSecretKey(deriveKey(authorization, 'express-platform-auth remote answers v1'))
  const nameKey = createSecretKey(deriveKey(authorization, 'express-platform-auth remote names v1'))

  /** Proves the answer to this very request, whose random text is the nonce. */
  function prove({ nonce, call, body }: Readonly<Record<'nonce' | 'call' | 'body', string>>): string {
    return createHmac('sha256', proofKey).update(`${nonce}\n${call}\n${body}`).digest('base64url')
  }

  return {
    prove,
    isProven: (answer: Parameters<typeof prove>[0], proof: string): boolean => isSameText(prove(answer), proof),
    /** The name of an application or access token in changes: it tells who knows the id that something has changed, and nobody else anything. */
    nameOf(kind: 'application' | 'token', id: string): string {
      return createHmac('sha256', nameKey).update(`${kind} ${id}`).digest('base64url').slice(0, NAME_LENGTH)
    },
  }
}

const NAME_LENGTH = 22

export type SharedKeys = ReturnType<typeof createSharedKeys>
