import { randomBytes } from 'node:crypto'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import type { QueuedEmail } from '../../../shared/contracts/queued-email.js'
import type { Credentials } from '../credentials/credentials.js'
import { isSameContact, listOpenInvitations } from './contact-lists.js'

/** The application's id, so that no index is needed, and 256 random bits. */
const TOKEN = /^(app_[0-9a-f]{32})\.[A-Za-z0-9_-]{43}$/

/** The id of the application that a token is for; undefined if it is none. */
export function readInvitedApplication(token: string): string | undefined {
  return TOKEN.exec(token)?.[1]
}

/** A new token for an invitation's link, and the change; undefined if it has ended. The previous token stays valid. */
export function issueInvitationToken(
  current: ApplicationRecord,
  { recipient = '' }: QueuedEmail,
  credentials: Pick<Credentials, 'hash'>,
  now: number,
): { readonly token: string; readonly changed: Pick<ApplicationRecord, 'invitations'> } | undefined {
  const open = listOpenInvitations(current, now).find(({ address }) => isSameContact(address, recipient))
  if (!open) return undefined
  const token = `${current.id}.${randomBytes(32).toString('base64url')}`
  const issued = { ...open, hashes: [credentials.hash(token), ...open.hashes.slice(0, 1)] }
  return { token, changed: { invitations: current.invitations.map((each) => (each === open ? issued : each)) } }
}
