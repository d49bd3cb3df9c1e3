import { randomBytes } from 'node:crypto'
import type { IssuedCredentials } from '../../core/applications/applications-api.js'
import { isFull, replaceCredential } from '../../core/applications/credentials/credential-lists.js'
import { createRegisteredKeySet } from '../../core/applications/credentials/key-sets.js'
import { mintCredentials, type Credentials } from '../../core/applications/credentials/credentials.js'
import { describeCredential } from '../../core/applications/credentials/named-credentials.js'
import { findDelivered, isDelivery, isFirstDelivery } from '../../core/applications/queue/queued-emails.js'
import type { Api } from '../../shared/contracts/api.js'
import type { RequestOrigin } from '../../shared/contracts/events.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../shared/contracts/queued-email.js'
import type { CredentialsEmail } from '../../shared/contracts/email-content.js'
import type { StoreWith } from '../../shared/contracts/store.js'
import { listSavedEnds, listUsableAt } from './content.js'
import type { Core } from '../../feature.js'

/** Makes the credentials of a claim link and deletes the link, in one commit; undefined if the link is not valid. */
export type ClaimCredentials = (
  token: string,
  origin: RequestOrigin | undefined,
) => Promise<ClaimedCredentials | undefined>

export interface ClaimedCredentials {
  readonly application: Pick<ApplicationRecord, 'id' | 'name' | 'language'>
  /** The APIs where they can be used. */
  readonly usableAt: readonly Api[]
  readonly credentials: Partial<IssuedCredentials>
  /** Whether it has public keys in place of a secret. */
  readonly provesKey: boolean
  readonly expiresAt: CredentialsEmail['expiresAt']
}

type CredentialList = ApplicationRecord['keys']

export function createClaim(
  options: Pick<Core, 'writer' | 'opened' | 'now'> & {
    readonly store: StoreWith<'emails'>
    readonly apis: ReadonlyMap<string, Api>
  },
): ClaimCredentials {
  const { store, apis, writer, opened, now } = options
  async function findEmail(hash: string): Promise<QueuedEmail | undefined> {
    const email = await store.emails.findByClaimLink(hash)
    return email?.claimLinks.some((link) => link.hash === hash && link.expiresAt > now()) ? email : undefined
  }

  /** If there is no room for both, the former one ends at once: the new one is about to be shown. */
  function replace(records: CredentialList, added: CredentialList[number], overlap: number): CredentialList {
    return replaceCredential(records, added, now(), isFull(records, now()) ? 0 : overlap)
  }

  return async function claim(token, origin) {
    const credentials = await opened()
    const hash = credentials.hash(token)
    const email = await findEmail(hash)
    if (!email) return undefined

    const type = isFirstDelivery(email) ? 'application.activated' : 'application.credentialRotated'
    const claimed = await writer.change(email.applicationId, { type, origin }, async (current) => {
      // The application is read again: another request with the same link may have been faster.
      const unclaimed = await findEmail(hash)
      if (!unclaimed || current.status === 'deleted' || current.status === 'suspended') return undefined
      const claimedAt = now()
      const delivered = findDelivered(current, unclaimed, { findLatestExpiry: writer.findLatestExpiry, now: claimedAt })
      if (!delivered) return undefined
      const { purpose, overlap } = unclaimed
      if (!isDelivery(purpose)) return undefined
      const { kind, terms } = delivered
      const keySet = createRegisteredKeySet(unclaimed, claimedAt, terms)
      const { key, secret } = mintCredentials(credentials, purpose, current, {
        apis,
        terms,
        hasKeySet: keySet !== undefined,
        now: claimedAt,
      })
      const added = secret?.record ?? keySet
      const replacing = purpose === 'registration' ? undefined : (key ?? secret)
      return {
        changed: {
          ...(current.status === 'pending' && { status: 'active' }),
          isUnconfirmed: false,
          ...(key && { keys: replace(current.keys, key.record, overlap) }),
          ...(added && { secrets: replace(current.secrets, added, overlap) }),
        },
        details: { claimed: true, ...(replacing && describeCredential(kind, replacing.record)) },
        emails: [{ remove: unclaimed }],
        result: {
          key,
          secret,
          provesKey: keySet !== undefined,
          usableAt: listUsableAt(purpose, terms.apis ?? current.apis, apis),
        },
      }
    })
    if (!claimed?.result) return undefined
    const { key, secret, provesKey, usableAt } = claimed.result
    return {
      provesKey,
      application: claimed.record,
      usableAt,
      credentials: { ...(key && { clientId: key.plain }), ...(secret && { clientSecret: secret.plain }) },
      expiresAt: listSavedEnds(claimed.record, claimed.result),
    }
  }
}

/** The token of a claim link: 256 random bits, and their hash, which alone is stored. */
export function createClaimToken(credentials: Credentials): { plain: string; hash: string } {
  const plain = randomBytes(32).toString('base64url')
  return { plain, hash: credentials.hash(plain) }
}
