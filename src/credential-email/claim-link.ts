import { randomBytes } from 'node:crypto'
import type { ApplicationWriter } from '../applications/application-writer.js'
import type { IssuedCredentials } from '../applications/applications-api.js'
import { mintCredentials, retireCredentials, type Credentials } from '../applications/credentials.js'
import type { Api } from '../contracts/api.js'
import type { QueuedEmail, Store } from '../contracts/store.js'

/** Makes the credentials of a claim link and deletes the link, in one commit; undefined if the link is not valid. */
export type ClaimCredentials = (token: string, requestId: string | undefined) => Promise<ClaimedCredentials | undefined>

/** What a claim link shows, once. */
interface ClaimedCredentials {
  readonly applicationName: string
  readonly credentials: Partial<IssuedCredentials>
}

interface ClaimOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  readonly now: () => number
}

export function createClaim({ store, apis, writer, opened, now }: ClaimOptions): ClaimCredentials {
  async function findEmail(hash: string): Promise<QueuedEmail | undefined> {
    const email = await store.findEmailByClaimLink(hash)
    return email?.claimLinks.some((link) => link.hash === hash && link.expiresAt > now()) ? email : undefined
  }

  return async function claim(token, requestId) {
    const credentials = await opened()
    const hash = credentials.hash(token)
    const email = await findEmail(hash)
    if (!email) return undefined

    const type = email.purpose === 'registration' ? 'application.activated' : 'application.credentialRotated'
    const claimed = await writer.change(email.applicationId, { type, requestId }, async (current) => {
      // Read again: another request with the same link may have been faster.
      const unclaimed = await findEmail(hash)
      if (!unclaimed || current.status === 'deleted' || current.status === 'suspended') return undefined
      const claimedAt = now()
      const { key, secret } = mintCredentials(credentials, email.purpose, apis, current.apis, claimedAt)
      return {
        changed: {
          ...(current.status === 'pending' && { status: 'active' }),
          ...(key && { keys: [key.record, ...retireCredentials(current.keys, claimedAt, email.overlap)] }),
          ...(secret && { secrets: [secret.record, ...retireCredentials(current.secrets, claimedAt, email.overlap)] }),
        },
        details: { claimed: true },
        emails: [{ remove: unclaimed }],
        result: {
          applicationName: current.name,
          credentials: { ...(key && { clientId: key.plain }), ...(secret && { clientSecret: secret.plain }) },
        },
      }
    })
    return claimed?.result
  }
}

/** The token of a claim link: 256 random bits, and their hash, which alone is stored. */
export function createClaimToken(credentials: Credentials): { plain: string; hash: string } {
  const plain = randomBytes(32).toString('base64url')
  return { plain, hash: credentials.hash(plain) }
}
