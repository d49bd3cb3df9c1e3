import { invalidArgument, invalidState } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Application } from '../application.js'
import { toApplication } from '../records/application-info.js'
import type { Applications } from '../applications-api.js'
import type { RotateByEmailOptions, RotateOptions } from '../call-options.js'
import { findNewest, inheritTerms, limitExpiry, replaceCredential, selectName } from './credential-lists.js'
import { DEFAULT_NAME, LISTS, type CredentialKind, type Credentials } from './credentials.js'
import { describeCancelled, describeCredential } from './named-credentials.js'
import {
  cancelEmails,
  createQueuedEmail,
  findReplacedName,
  listQueuedEmails,
  requeueEmail,
} from '../queue/queued-emails.js'
import { endTokens, refuseDeleted } from '../records/status.js'
import { readCredentialId, readExpiresAt, readOverlap, readFlag } from '../records/validation.js'
import { type CallParts, requireSender, type EmailSender } from '../call-parts.js'

const CALLS = { key: 'rotateKey', secret: 'rotateSecret' } as const

/** Makes new keys and secrets in place of old ones: resolved to the operator, or sent to the contact by e-mail. */
export function createCredentialRotation(
  options: CallParts<Credentials> & {
    readonly sender: EmailSender
  },
) {
  const { store, writer, opened, sender, now } = options

  async function rotate(
    id: string,
    kind: CredentialKind,
    { credential, overlap, expiresAt: givenEnd, by, revokeTokens }: RotateOptions,
  ): Promise<{ application: Application; plain: string }> {
    const credentialId = readCredentialId(credential)
    const overlapSeconds = readOverlap(overlap)
    const endsTokens = readFlag('revokeTokens', revokeTokens)
    const createdAt = now()
    const expiresAt = givenEnd === undefined ? undefined : readExpiresAt(givenEnd, createdAt)
    const credentials = await opened()
    const event = { type: 'application.credentialRotated', by } as const
    const { record, result } = await writer.change(id, event, async (current) => {
      refuseDeleted(current, CALLS[kind])
      const list = LISTS[kind]
      const name = selectName(current, kind, credentialId, createdAt)
      // The newest call decides, also about e-mails that would replace the same credential.
      const cancelled = (await listQueuedEmails(store, id)).filter((email) => replaces(current, email, kind, name))
      const { changed, emails } = cancelEmails(current, cancelled)
      const { findLatestExpiry } = writer
      const terms = inheritTerms({ ...current, ...changed }, kind, name, { findLatestExpiry, now: createdAt })
      const use = { kind, granted: current.apis, restriction: terms.apis }
      const end =
        expiresAt === undefined ? terms.expiresAt : limitExpiry(expiresAt, findLatestExpiry(use, createdAt), createdAt)
      const minted = credentials.mint(kind, createdAt, { ...terms, expiresAt: end })
      return {
        changed: {
          ...changed,
          [list]: replaceCredential(changed[list], minted.record, createdAt, overlapSeconds),
          ...(endsTokens && endTokens(current, createdAt)),
        },
        details: {
          ...describeCredential(kind, minted.record),
          overlap: overlapSeconds,
          ...describeCancelled(cancelled),
        },
        emails,
        ...(expiresAt !== undefined && {
          ends: [{ credentialId: minted.record.id, at: expiresAt ?? undefined }],
        }),
        result: minted.plain,
      }
    })
    return { application: toApplication(record, createdAt), plain: result! }
  }

  async function rotateByEmail(
    id: string,
    kind: CredentialKind,
    { credential, overlap, by, revokeTokens }: RotateByEmailOptions,
  ): Promise<{ application: Application }> {
    const credentialId = readCredentialId(credential)
    const overlapSeconds = readOverlap(overlap)
    const endsTokens = readFlag('revokeTokens', revokeTokens)
    requireSender(sender, CALLS[kind])
    await opened()
    const { record } = await writer.change(id, { type: 'application.credentialRotated', by }, async (current) => {
      refuseDeleted(current, CALLS[kind])
      const emails = await listQueuedEmails(store, id)
      refuseWithoutRecipient(current, emails)
      const name = selectName(current, kind, credentialId, now())
      const queued = emails.find((each) => each.purpose === kind && replaces(current, each, kind, name))
      const email = queued
        ? requeueEmail(queued, now())
        : createQueuedEmail(id, kind, now(), { credentialId: findNewest(current[LISTS[kind]], name, now())?.id })
      return {
        changed: endsTokens ? endTokens(current, now()) : {},
        details: {
          credential: kind,
          credentialId: email.credentialId,
          name,
          overlap: overlapSeconds,
          deliver: 'email',
        },
        emails: [{ save: { ...email, overlap: overlapSeconds } }],
      }
    })
    sender.wake()
    return { application: toApplication(record, now()) }
  }

  async function issue(id: string, kind: CredentialKind, options: RotateOptions | RotateByEmailOptions = {}) {
    if (isByEmail(options)) return rotateByEmail(id, kind, options)
    const { application, plain } = await rotate(id, kind, options)
    return { application, credentials: kind === 'key' ? { clientId: plain } : { clientSecret: plain } }
  }

  return {
    rotateKey: (id: string, given?: RotateOptions | RotateByEmailOptions) => issue(id, 'key', given),
    rotateSecret: (id: string, given?: RotateOptions | RotateByEmailOptions) => issue(id, 'secret', given),
  } as Pick<Applications, 'rotateKey' | 'rotateSecret'>
}

/** Whether an e-mail is to replace the credential of that kind and name. That of a registration replaces the first ones. */
function replaces(current: ApplicationRecord, email: QueuedEmail, kind: CredentialKind, name: string): boolean {
  if (email.purpose === 'registration') return name === DEFAULT_NAME
  return email.purpose === kind && findReplacedName(current, email) === name
}

function refuseWithoutRecipient({ id, status, contact }: ApplicationRecord, emails: readonly QueuedEmail[]): void {
  // A registration that was suspended still has its e-mail.
  if (status === 'pending' || emails.some(({ purpose }) => purpose === 'registration'))
    throw invalidState(
      `Application ${id} is pending: its first e-mail has the credentials. See approve() and auth.emails.retry().`,
    )
  if (contact === undefined)
    throw invalidArgument(`Application ${id} has no contact to send an e-mail to. Set one with update().`)
}

export function isByEmail<Options extends object>(
  options: Options,
): options is Options & { readonly deliver: 'email' } {
  const { deliver } = options as { deliver?: unknown }
  if (deliver === undefined || deliver === 'email') return deliver === 'email'
  throw invalidArgument("deliver must be 'email', or be left out to have the new value resolved.")
}
