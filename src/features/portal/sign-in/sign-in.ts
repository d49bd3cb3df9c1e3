import { createSignOuts } from '../../../core/applications/contacts/sign-outs.js'
import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { isSameText } from '../../../shared/lib/is-same-text.js'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { findContact, isConfirmed, isFirstContact } from '../../../core/applications/contacts/contact-lists.js'
import { ApplicationError, StoreUnavailableError } from '../../../shared/contracts/errors.js'
import type { ApplicationRecord } from '../../../shared/contracts/application-record.js'
import { OAuthError } from '../../../shared/contracts/denial.js'
import type { Limit } from '../../../shared/contracts/api.js'
import type { SignIn as SignInRecord } from '../../../shared/contracts/sign-ins.js'
import { readClientAddress } from '../../../shared/lib/request.js'
import type { RateLimit } from '../../../core/rate-limits/rate-limits.js'
import { derivePortalKey, type Sessions, type SignedIn } from './session.js'
import type { PortalSettings } from '../portal-options.js'
import type { Core } from '../../../feature.js'

/** Links and codes that sign a contact in: sent by e-mail, valid for 15 minutes, once. */
export type SignIn = ReturnType<typeof createSignIn>

const SIGN_IN_MINUTES = 15
/** The guesses of one code. All codes of a mailbox together are bounded by `GUESS_LIMIT`. */
const MAX_GUESSES = 5
/** A mailbox gets this many times as many e-mails as one IP address may ask for, so that none alone uses up what another's mailbox gets. */
const MAILBOX_LIMIT_FACTOR = 3
/** The limit of a mailbox that has unconfirmed registrations only: anybody may make them. Signing in confirms them. */
const UNCONFIRMED_LIMIT: Limit = { limit: 1, window: 3600 }
/** The limit of a mailbox, for all of its codes together. There are 20^8 codes: the guesses of an hour find the right one with a chance of 1 in 500 million. */
const GUESS_LIMIT: Limit = { limit: 50, window: 3600 }
const MAX_LISTED = 100
/** The characters have no vowels, so that no words arise, and none look like digits (RFC 8628 6.1). */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_LENGTH = 8
const MAX_CONFIRMED = 20
/** The e-mail is sent after the answer, at a time that shows nothing to somebody who measures other answers. */
const MAX_SEND_DELAY_MS = 500

export function createSignIn(
  core: Core,
  { developersUrl, limits: { signIn: limit } }: PortalSettings,
  sessions: Pick<Sessions, 'isContact'>,
) {
  const { store, writer, rateLimits, limitLookups, limitChanges, logger, now } = core
  const signOuts = createSignOuts(core)
  const { sendSignIn } = core.find('emails')!
  const ofOption = { setBy: 'portal.limits.signIn', untrustedKeys: true }
  const limitRequests = rateLimits.create('signIn', limit, ofOption)
  const ofContact = limit && { ...limit, limit: Math.min(limit.limit * MAILBOX_LIMIT_FACTOR, Number.MAX_SAFE_INTEGER) }
  const limitEmails = rateLimits.create('signInEmails', ofContact, ofOption)
  const limitUnconfirmed = rateLimits.create('unconfirmedSignIns', UNCONFIRMED_LIMIT, { untrustedKeys: true })
  const limitGuesses = rateLimits.create('signInGuesses', GUESS_LIMIT, { untrustedKeys: true })

  function computeHash(kind: 'link' | 'code', text: string): string {
    return createHmac('sha256', derivePortalKey(core, 'sign-in')).update(`${kind} ${text}`).digest('base64url')
  }

  function create(contact: string, applicationId: string | undefined) {
    const id = randomBytes(16).toString('base64url')
    const token = randomBytes(32).toString('base64url')
    const code = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
    const createdAt = now()
    const record: SignInRecord = {
      id,
      contact,
      linkHash: computeHash('link', token),
      codeHash: computeHash('code', `${id} ${code}`),
      guesses: 0,
      applicationId,
      createdAt,
      expiresAt: createdAt + SIGN_IN_MINUTES * 60_000,
    }
    const shown = `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`
    return { record, link: `${developersUrl}/applications/sign-in#${token}`, code: shown }
  }

  async function send(contact: string, email: { readonly link: string; readonly code: string }, caller: string) {
    await sleep(Math.random() * MAX_SEND_DELAY_MS, undefined, { ref: false })
    const application = await findApplication(contact, caller)
    if (application && !isConfirmed(application, contact) && !(await isBelow(limitUnconfirmed, contact))) return
    // The address as it is stored: what was entered may differ in case, and so may be another mailbox.
    const to = application && findContact(application, contact)
    if (to !== undefined)
      sendSignIn({ ...email, to, minutes: SIGN_IN_MINUTES, language: application?.language ?? 'en' })
  }

  async function findApplication(contact: string, caller: string): Promise<ApplicationRecord | undefined> {
    let first: ApplicationRecord | undefined
    for (let after: string | undefined; ;) {
      const query = { after, limit: MAX_LISTED, api: undefined, status: undefined, contact }
      const found = await limitLookups(caller, () => store.listApplications(query))
      const confirmed = found.find((each) => isConfirmed(each, contact))
      first ??= found[0]
      if (confirmed || found.length < MAX_LISTED) return confirmed ?? first
      after = found.at(-1)!.id
    }
  }

  /** Uses it, once. Sign-outs are read first: one that is made meanwhile removes the record, or ends the session. */
  async function accept(record: SignInRecord): Promise<SignedIn | undefined> {
    const { id, contact, applicationId, expiresAt } = record
    if (expiresAt <= now()) return undefined
    const lastSignOut = await signOuts.readLast(contact)
    if (!(await sessions.isContact(contact, applicationId))) return undefined
    if (!(await store.signIns.remove(id))) return undefined
    // The link is used up, so that the contact is signed in also if this fails. The next sign-in confirms it then.
    await confirmContact(contact).catch(
      reportFailure(logger, 'A sign-in did not confirm the registrations of its mailbox.'),
    )
    return { contact, applicationId, lastSignOut }
  }

  /** Confirms the applications of a contact who has signed in: those that registrations made for the mailbox, the oldest 20 at most. */
  async function confirmContact(contact: string): Promise<void> {
    const query = { after: undefined, limit: MAX_CONFIRMED, api: undefined, status: undefined, contact }
    const isOpen = (record: ApplicationRecord): boolean => record.isUnconfirmed && isFirstContact(record, contact)
    for (const { id } of (await store.listApplications(query)).filter(isOpen))
      await writer.change(id, { type: undefined }, (current) =>
        isOpen(current) ? { changed: { isUnconfirmed: false } } : undefined,
      )
  }

  return {
    /** Resolves the id of the code for every mailbox, before the look-up. Rejects with `too_many_requests` for one that asks too often. */
    async request(contact: string, req: IncomingMessage): Promise<string> {
      const address = readClientAddress(req)
      await limitRequests?.(address)
      const isSent = await isBelow(limitEmails, contact)
      const { record, ...email } = create(contact, undefined)
      // Stored for every mailbox, and above its limit too: neither this answer nor that to a code shows whether it is known.
      const codeHash = isSent ? record.codeHash : randomBytes(32).toString('base64url')
      await limitChanges(address, () => store.signIns.add({ ...record, codeHash }))
      if (isSent) void send(contact, email, address).catch(reportFailure(logger, 'A sign-in e-mail could not be sent.'))
      return record.id
    },
    async acceptCode(id: string, code: string): Promise<SignedIn | undefined> {
      const record = await store.signIns.countGuess(id)
      if (record?.codeHash === undefined || record.guesses > MAX_GUESSES) return undefined
      // This limit never refuses a link: somebody who guesses codes does not keep the contact out.
      if (!(await isBelow(limitGuesses, record.contact))) return undefined
      const letters = code.toUpperCase().replace(/[^A-Z]/g, '')
      const presented = computeHash('code', `${id} ${letters}`)
      return isSameText(presented, record.codeHash) ? accept(record) : undefined
    },
    async acceptLink(token: string): Promise<SignedIn | undefined> {
      const record = await store.signIns.findByLink(computeHash('link', token))
      return record && accept(record)
    },
    async createLink(contact: string, applicationId: string | undefined): Promise<string> {
      if (!(await sessions.isContact(contact, applicationId))) {
        const ofWhat =
          applicationId === undefined
            ? 'the contact of no application'
            : `not a contact of the application ${applicationId}`
        throw new ApplicationError('application_not_found', `${contact} is ${ofWhat}.`)
      }
      const { record, link } = create(contact, applicationId)
      await store.signIns.add({ ...record, codeHash: undefined })
      return link
    },
  }
}

function reportFailure(logger: Core['logger'], problem: string): (error: unknown) => void {
  // The store client has logged the outage.
  return (error) => {
    if (!(error instanceof StoreUnavailableError)) logger.error(problem, error)
  }
}

/** Counts one more. A reached limit is not shown: other people's requests for a mailbox are not for this caller. */
export async function isBelow(limit: RateLimit | undefined, contact: string): Promise<boolean> {
  try {
    await limit?.(contact)
    return true
  } catch (error) {
    if (error instanceof OAuthError) return false
    throw error
  }
}
