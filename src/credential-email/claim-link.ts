import { randomBytes } from 'node:crypto'
import type { Api } from '../contracts/api.js'
import type { QueuedEmail, Store } from '../contracts/store.js'
import type { IssuedCredentials } from '../applications/applications-api.js'
import type { ApplicationWriter } from '../applications/application-writer.js'
import type { Credentials } from '../applications/credentials.js'
import { issueFor, retire } from '../applications/issue.js'

/** What a claim link shows, once. */
export interface Claimed {
  readonly applicationName: string
  readonly credentials: Partial<IssuedCredentials>
}

/** Makes the credentials that a claim link stands for, and burns it, in one commit; undefined for a link that is no good. */
export type Claim = (token: string, requestId: string | undefined) => Promise<Claimed | undefined>

interface ClaimOptions {
  readonly store: Store
  readonly apis: ReadonlyMap<string, Api>
  readonly writer: ApplicationWriter
  readonly opened: () => Promise<Credentials>
  readonly now: () => number
}

export function createClaim({ store, apis, writer, opened, now }: ClaimOptions): Claim {
  return async function claim(token, requestId) {
    const credentials = await opened()
    const hash = credentials.hash(token)
    const email = await findEmail(hash)
    if (!email) return undefined

    let claimed: Claimed | undefined
    const type = email.purpose === 'registration' ? 'application.activated' : 'application.credentialRotated'
    await writer.change(email.applicationId, { type, requestId }, async (current) => {
      // Read again: another click on the same link may have been quicker.
      const unburnt = await findEmail(hash)
      claimed = undefined
      if (!unburnt || current.status === 'deleted') return undefined
      const at = now()
      const { key, secret } = issueFor(email.purpose, credentials, apis, current.apis, at)
      claimed = {
        applicationName: current.name,
        credentials: {
          ...(key && { clientId: key.plain }),
          ...(secret && { clientSecret: secret.plain }),
        },
      }
      return {
        changed: {
          ...(current.status === 'pending' && { status: 'active' }),
          ...(key && { keys: [key.record, ...retire(current.keys, at, email.overlap)] }),
          ...(secret && {
            secrets: [secret.record, ...retire(current.secrets, at, email.overlap)],
          }),
        },
        details: { claimed: true },
        email: { remove: unburnt },
      }
    })
    return claimed
  }

  async function findEmail(hash: string): Promise<QueuedEmail | undefined> {
    const email = await store.findEmailByClaimLink(hash)
    return email?.claimLinks.some((each) => each.hash === hash && each.expiresAt > now()) ? email : undefined
  }
}

/** 256 random bits for a link's fragment, and their hash, which is all that is kept. */
export function mintClaim(credentials: Credentials): { plain: string; hash: string } {
  const plain = randomBytes(32).toString('base64url')
  return { plain, hash: credentials.hash(plain) }
}
