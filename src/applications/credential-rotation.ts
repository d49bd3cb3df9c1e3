import { ApplicationError } from '../contracts/errors.js'
import { toApplication, type Application } from './application.js'
import type { Applications, RotateByLetterOptions, RotateOptions } from './applications-api.js'
import { readOverlap } from './validation.js'
import type { Changes } from './application-writer.js'
import type { CredentialKind, Credentials } from './credentials.js'
import { retire } from './issue.js'
import { refuseDeleted } from './status.js'
import type { Outbox } from './email-outbox.js'

interface CredentialRotationOptions {
  readonly changes: Changes
  readonly outbox: Outbox
  /** Resolves once the store has been opened, with the means to make credentials. */
  readonly opened: () => Promise<Credentials>
  readonly now: () => number
}

/** New keys and secrets in place of old ones: resolved to the operator, or mailed to the owner. */
export function createCredentialRotation(
  options: CredentialRotationOptions,
): Pick<Applications, 'rotateKey' | 'rotateSecret'> {
  const { changes, outbox, opened, now } = options

  async function rotate(
    id: string,
    kind: CredentialKind,
    { overlap, by }: RotateOptions,
  ): Promise<{ application: Application; plain: string }> {
    const seconds = readOverlap(overlap)
    const at = now()
    const { plain, record: fresh } = (await opened()).mint(kind, at)
    const record = await changes.change(id, { type: 'application.credentialRotated', by }, (current) => {
      refuseDeleted(current, CALLS[kind])
      const list = LISTS[kind]
      return {
        changed: { [list]: [fresh, ...retire(current[list], at, seconds)] },
        details: { credential: kind, prefix: fresh.prefix, overlap: seconds },
      }
    })
    return { application: toApplication(record!, at), plain }
  }

  async function rotateByLetter(
    id: string,
    kind: CredentialKind,
    { overlap, by }: RotateByLetterOptions,
  ): Promise<{ application: Application }> {
    const seconds = readOverlap(overlap)
    outbox.refuseWithoutMailer(CALLS[kind])
    await opened()
    const record = await changes.change(id, { type: 'application.credentialRotated', by }, async (current) => {
      refuseDeleted(current, CALLS[kind])
      if (current.status === 'pending') {
        throw new ApplicationError(
          'invalid_move',
          `Application ${id} is pending: its first letter brings all it needs. See approve() and auth.outbox.retry().`,
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
        letter: { save: await outbox.letterFor(id, kind, seconds) },
      }
    })
    outbox.wake()
    return { application: toApplication(record!, now()) }
  }

  function rotateKey(id: string, options: RotateByLetterOptions): Promise<{ application: Application }>
  function rotateKey(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientId: string } }>
  async function rotateKey(id: string, options: RotateOptions | RotateByLetterOptions = {}): Promise<object> {
    if (isByLetter(options)) return rotateByLetter(id, 'key', options)
    const { application, plain } = await rotate(id, 'key', options)
    return { application, credentials: { clientId: plain } }
  }

  function rotateSecret(id: string, options: RotateByLetterOptions): Promise<{ application: Application }>
  function rotateSecret(
    id: string,
    options?: RotateOptions,
  ): Promise<{ application: Application; credentials: { clientSecret: string } }>
  async function rotateSecret(id: string, options: RotateOptions | RotateByLetterOptions = {}): Promise<object> {
    if (isByLetter(options)) return rotateByLetter(id, 'secret', options)
    const { application, plain } = await rotate(id, 'secret', options)
    return { application, credentials: { clientSecret: plain } }
  }

  return { rotateKey, rotateSecret }
}

const LISTS = { key: 'keys', secret: 'secrets' } as const
const CALLS = { key: 'rotateKey', secret: 'rotateSecret' } as const

function isByLetter(options: RotateOptions | RotateByLetterOptions): options is RotateByLetterOptions {
  const { deliver } = options as { deliver?: unknown }
  if (deliver === undefined || deliver === 'email') return deliver === 'email'
  throw new ApplicationError('invalid_argument', "deliver must be 'email', or left out to get the new value here.")
}
