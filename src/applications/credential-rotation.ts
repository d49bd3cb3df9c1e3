import { ApplicationError } from '../contracts/errors.js'
import { toApplication, type Application } from './application.js'
import type { Applications, RotateByEmailOptions, RotateOptions } from './applications-api.js'
import { readOverlap } from './validation.js'
import type { ApplicationWriter } from './application-writer.js'
import type { CredentialKind, Credentials } from './credentials.js'
import { retire } from './issue.js'
import { refuseDeleted } from './status.js'
import type { EmailOutbox } from './email-outbox.js'

interface CredentialRotationOptions {
  readonly writer: ApplicationWriter
  readonly outbox: EmailOutbox
  /** Resolves once the store has been opened, with the means to make credentials. */
  readonly opened: () => Promise<Credentials>
  readonly now: () => number
}

/** New keys and secrets in place of old ones: resolved to the operator, or mailed to the owner. */
export function createCredentialRotation(
  options: CredentialRotationOptions,
): Pick<Applications, 'rotateKey' | 'rotateSecret'> {
  const { writer, outbox, opened, now } = options

  async function rotate(
    id: string,
    kind: CredentialKind,
    { overlap, by }: RotateOptions,
  ): Promise<{ application: Application; plain: string }> {
    const seconds = readOverlap(overlap)
    const at = now()
    const { plain, record: fresh } = (await opened()).mint(kind, at)
    const record = await writer.change(id, { type: 'application.credentialRotated', by }, (current) => {
      refuseDeleted(current, CALLS[kind])
      const list = LISTS[kind]
      return {
        changed: { [list]: [fresh, ...retire(current[list], at, seconds)] },
        details: { credential: kind, prefix: fresh.prefix, overlap: seconds },
      }
    })
    return { application: toApplication(record!, at), plain }
  }

  async function rotateByEmail(
    id: string,
    kind: CredentialKind,
    { overlap, by }: RotateByEmailOptions,
  ): Promise<{ application: Application }> {
    const seconds = readOverlap(overlap)
    outbox.refuseWithoutMailer(CALLS[kind])
    await opened()
    const record = await writer.change(id, { type: 'application.credentialRotated', by }, async (current) => {
      refuseDeleted(current, CALLS[kind])
      if (current.status === 'pending') {
        throw new ApplicationError(
          'invalid_state',
          `Application ${id} is pending: its first email brings all it needs. See approve() and auth.outbox.retry().`,
        )
      }
      if (current.contact === undefined) {
        throw new ApplicationError(
          'invalid_argument',
          `Application ${id} has no contact to mail to. Set one with update().`,
        )
      }
      return {
        changed: {},
        details: { credential: kind, overlap: seconds, deliver: 'email' },
        email: { save: await outbox.emailFor(id, kind, seconds) },
      }
    })
    outbox.wake()
    return { application: toApplication(record!, now()) }
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

const LISTS = { key: 'keys', secret: 'secrets' } as const
const CALLS = { key: 'rotateKey', secret: 'rotateSecret' } as const

function isByEmail(options: RotateOptions | RotateByEmailOptions): options is RotateByEmailOptions {
  const { deliver } = options as { deliver?: unknown }
  if (deliver === undefined || deliver === 'email') return deliver === 'email'
  throw new ApplicationError('invalid_argument', "deliver must be 'email', or left out to get the new value here.")
}
