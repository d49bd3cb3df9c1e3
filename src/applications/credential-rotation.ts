import { ApplicationError } from '../contracts/errors.js'
import type { ApplicationRecord, EmailPurpose, QueuedEmail, Store } from '../contracts/store.js'
import type { ApplicationWriter } from './application-writer.js'
import {
  toApplication,
  type Application,
  type Applications,
  type RotateByEmailOptions,
  type RotateOptions,
} from './applications-api.js'
import { retireCredentials, type CredentialKind, type Credentials } from './credentials.js'
import { requireMailer } from './email-outbox.js'
import { cancelEmails, createQueuedEmail, listQueuedEmails, requeueEmail } from './queued-emails.js'
import { endTokens, refuseDeleted } from './status.js'
import { readOverlap, readRevokeTokens } from './validation.js'

interface CredentialRotationOptions {
  readonly store: Store
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<Credentials>
  readonly hasMailer: boolean
  /** Called when an e-mail has become due. */
  readonly onEmailDue: () => void
  readonly now: () => number
}

const CALLS = { key: 'rotateKey', secret: 'rotateSecret' } as const
const LISTS = { key: 'keys', secret: 'secrets' } as const
/** The purposes of the e-mails that a rotation without e-mail cancels. */
const REPLACED: Readonly<Record<CredentialKind, readonly EmailPurpose[]>> = {
  key: ['registration', 'key'],
  secret: ['registration', 'secret'],
}

/** New keys and secrets in place of old ones: resolved to the operator, or sent to the contact by e-mail. */
export function createCredentialRotation(
  options: CredentialRotationOptions,
): Pick<Applications, 'rotateKey' | 'rotateSecret'> {
  const { store, writer, opened, hasMailer, onEmailDue, now } = options

  async function rotate(
    id: string,
    kind: CredentialKind,
    { overlap, by, revokeTokens }: RotateOptions,
  ): Promise<{ application: Application; plain: string }> {
    const overlapSeconds = readOverlap(overlap)
    const endsTokens = readRevokeTokens(revokeTokens)
    const createdAt = now()
    const { plain, record: credential } = (await opened()).mint(kind, createdAt)
    const { record } = await writer.change(id, { type: 'application.credentialRotated', by }, async (current) => {
      refuseDeleted(current, CALLS[kind])
      const list = LISTS[kind]
      // The newest call decides. An e-mail of a registration would replace the new credential too.
      const replaced = (await listQueuedEmails(store, id)).filter(({ purpose }) => REPLACED[kind].includes(purpose))
      const { changed, emails } = cancelEmails(current, replaced)
      return {
        changed: {
          ...changed,
          [list]: [credential, ...retireCredentials(changed[list], createdAt, overlapSeconds)],
          ...(endsTokens && endTokens(current, createdAt)),
        },
        details: {
          credential: kind,
          prefix: credential.prefix,
          overlap: overlapSeconds,
          ...(replaced.length > 0 && { cancelledEmails: replaced.map(({ purpose }) => purpose) }),
        },
        emails,
      }
    })
    return { application: toApplication(record, createdAt), plain }
  }

  async function rotateByEmail(
    id: string,
    kind: CredentialKind,
    { overlap, by, revokeTokens }: RotateByEmailOptions,
  ): Promise<{ application: Application }> {
    const overlapSeconds = readOverlap(overlap)
    const endsTokens = readRevokeTokens(revokeTokens)
    requireMailer(hasMailer, CALLS[kind])
    await opened()
    const { record } = await writer.change(id, { type: 'application.credentialRotated', by }, async (current) => {
      refuseDeleted(current, CALLS[kind])
      const emails = await listQueuedEmails(store, id)
      refuseWithoutRecipient(current, emails)
      const queued = emails.find(({ purpose }) => purpose === kind)
      const email = queued ? requeueEmail(queued, now()) : createQueuedEmail(id, kind, now())
      return {
        changed: endsTokens ? endTokens(current, now()) : {},
        details: { credential: kind, overlap: overlapSeconds, deliver: 'email' },
        emails: [{ save: { ...email, overlap: overlapSeconds } }],
      }
    })
    onEmailDue()
    return { application: toApplication(record, now()) }
  }

  function rotateKey(id: string, options: RotateByEmailOptions): Promise<{ application: Application }>
  function rotateKey(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientId: string } }>
  async function rotateKey(id: string, options: RotateOptions | RotateByEmailOptions = {}): Promise<object> {
    if (isByEmail(options)) return rotateByEmail(id, 'key', options)
    const { application, plain } = await rotate(id, 'key', options)
    return { application, credentials: { clientId: plain } }
  }

  function rotateSecret(id: string, options: RotateByEmailOptions): Promise<{ application: Application }>
  function rotateSecret(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientSecret: string } }>
  async function rotateSecret(id: string, options: RotateOptions | RotateByEmailOptions = {}): Promise<object> {
    if (isByEmail(options)) return rotateByEmail(id, 'secret', options)
    const { application, plain } = await rotate(id, 'secret', options)
    return { application, credentials: { clientSecret: plain } }
  }

  return { rotateKey, rotateSecret }
}

function refuseWithoutRecipient({ id, status, contact }: ApplicationRecord, emails: readonly QueuedEmail[]): void {
  // A registration that was suspended still has its e-mail.
  if (status === 'pending' || emails.some(({ purpose }) => purpose === 'registration')) {
    throw new ApplicationError(
      'invalid_state',
      `Application ${id} is pending: its first e-mail has the credentials. See approve() and auth.outbox.retry().`,
    )
  }
  if (contact === undefined) {
    throw new ApplicationError(
      'invalid_argument',
      `Application ${id} has no contact to send an e-mail to. Set one with update().`,
    )
  }
}

function isByEmail(options: RotateOptions | RotateByEmailOptions): options is RotateByEmailOptions {
  const { deliver } = options as { deliver?: unknown }
  if (deliver === undefined || deliver === 'email') return deliver === 'email'
  throw new ApplicationError(
    'invalid_argument',
    "deliver must be 'email', or be left out to have the new value resolved.",
  )
}
