import type { ExpiringCredential } from '../applications/credential-expiry.js'
import type { CredentialTerms, MintedCredentials } from '../applications/credentials.js'
import type { CredentialsEmail, EmailApplication, ExpiringEmail } from '../contracts/email-content.js'
import type { ApplicationRecord } from '../contracts/application-record.js'
import type { DeliveryPurpose } from '../contracts/queued-email.js'
import { DAY_MS } from '../lib/day.js'

/** An application with somebody to write to. */
export type Recipient = ApplicationRecord & { readonly contact: string }

interface Delivery {
  readonly purpose: DeliveryPurpose
  /** Seconds for which the previous credential still works. */
  readonly overlap: number
  /** The name of the credential. */
  readonly terms: CredentialTerms
  /** Whether the credential replaces another one. */
  readonly hasPrevious: boolean
  readonly minted?: MintedCredentials
  readonly link?: string
}

/** The content of an e-mail with credentials, or with a link to them. */
export function describeDelivery(record: Recipient, delivery: Delivery): CredentialsEmail {
  const { purpose, overlap, terms, hasPrevious, minted, link } = delivery
  return {
    ...describeRecipient(record),
    purpose,
    credentials: minted && {
      ...(minted.key && { clientId: minted.key.plain }),
      ...(minted.secret && { clientSecret: minted.secret.plain }),
    },
    link,
    name: terms.name,
    usableAt: Object.keys(terms.apis ?? record.apis),
    hasPrevious,
    overlap,
  }
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
