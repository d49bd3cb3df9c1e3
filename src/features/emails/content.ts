import type { ExpiringCredential } from '../../core/applications/credentials/credential-expiry.js'
import type {
  CredentialTerms,
  MintedCredential,
  MintedCredentials,
} from '../../core/applications/credentials/credentials.js'
import type { CredentialsEmail, EmailApplication, ExpiringEmail } from '../../shared/contracts/email-content.js'
import type { Api } from '../../shared/contracts/api.js'
import type { ApplicationRecord, CredentialRecord, GrantedApis } from '../../shared/contracts/application-record.js'
import type { DeliveryPurpose } from '../../shared/contracts/queued-email.js'
import { DAY_MS } from '../../shared/lib/day.js'

/** An application with somebody to write to. */
export type Recipient = ApplicationRecord & { readonly contact: string }

interface Delivery {
  readonly purpose: DeliveryPurpose
  /** Seconds for which the previous credential still works. */
  readonly overlap: number
  /** The name of the credential. */
  readonly terms: CredentialTerms
  readonly hasPrevious: boolean
  /** Whether an earlier e-mail with it may have arrived. */
  readonly replacesEarlier: boolean
  /** The public keys, or their address, that it has in place of a secret. */
  readonly publicKeys: readonly string[] | undefined
  readonly minted?: MintedCredentials
  readonly link?: string
}

/** The content of an e-mail with credentials, or with a link to them. `record` has the credentials as they were saved. */
export function describeDelivery(record: Recipient, delivery: Delivery): CredentialsEmail {
  const { purpose, overlap, terms, hasPrevious, replacesEarlier, publicKeys, minted, link } = delivery
  return {
    ...describeRecipient(record),
    purpose,
    credentials: minted && {
      ...(minted.key && { clientId: minted.key.plain }),
      ...(minted.secret && { clientSecret: minted.secret.plain }),
    },
    ...(publicKeys && { publicKeys }),
    link,
    name: terms.name,
    usableAt: Object.keys(terms.apis ?? record.apis),
    restriction: structuredClone(terms.apis),
    hasPrevious,
    replacesEarlier,
    overlap,
    expiresAt: minted ? listSavedEnds(record, minted) : {},
  }
}

/** The APIs where new credentials are for: a secret is of no use where the key is all that is sent. */
export function listUsableAt(
  purpose: DeliveryPurpose,
  granted: GrantedApis,
  apis: ReadonlyMap<string, Api>,
): readonly Api[] {
  return Object.keys(granted).flatMap((name) => {
    const api = apis.get(name)
    return api && (purpose !== 'secret' || api.scheme === 'oauth2') ? [api] : []
  })
}

/** When new credentials expire, as they were saved: ends of operators and maximum ages bound what they were made with. */
export function listSavedEnds(
  { keys, secrets }: Pick<ApplicationRecord, 'keys' | 'secrets'>,
  { key, secret }: MintedCredentials,
): CredentialsEmail['expiresAt'] {
  const clientId = findSavedEnd(keys, key)
  const clientSecret = findSavedEnd(secrets, secret)
  return { ...(clientId && { clientId }), ...(clientSecret && { clientSecret }) }
}

function findSavedEnd(saved: readonly CredentialRecord[], minted: MintedCredential | undefined): Date | undefined {
  const end = minted && saved.find(({ id }) => id === minted.record.id)?.expiresAt
  return end === undefined ? undefined : new Date(end)
}

/** The content of a reminder, at the time when it is sent, which may be later than it was queued. */
export function describeReminder(
  record: Recipient,
  { kind, credential, replacement }: ExpiringCredential,
  now: number,
): ExpiringEmail {
  const { name, prefix, expiresAt } = credential
  return {
    ...describeRecipient(record),
    purpose: 'expiring',
    credential: { kind, name, prefix, expiresAt: new Date(expiresAt) },
    daysLeft: Math.round((expiresAt - now) / DAY_MS),
    replacementPrefix: replacement?.prefix,
  }
}

/** The members that the content of an e-mail to an application's contact begins with. */
function describeRecipient(record: Recipient) {
  return { to: record.contact, language: record.language ?? 'en', application: describeApplication(record) } as const
}

/** Copies the content, because `emails.compose` may change its argument. */
export function describeApplication({ id, name, externalId, metadata, apis }: ApplicationRecord): EmailApplication {
  return { id, name, externalId, metadata: structuredClone(metadata), apis: structuredClone(apis) }
}
