import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../../index.js'
import type { EmailQuery, QueuedEmail } from '../../../store.js'
import { formatTime } from '../format.js'
import { PROGRAM } from '../errors.js'
import type { OpenTarget } from '../target.js'

/** A queued e-mail as `--json` shows it: without the hashes of what it contains. */
export type EmailInfo = Pick<QueuedEmail, 'id' | 'applicationId' | 'purpose' | 'state' | 'attemptCount' | 'problem'> & {
  readonly dueAt: Date
}

export async function listEmails(store: Store, applicationId?: string): Promise<EmailInfo[]> {
  return (await listQueuedEmails(store, { applicationId })).map(toEmailInfo)
}

const MAX_LISTED_EMAILS = 1000

export async function listQueuedEmails(store: Store, query: Partial<EmailQuery>): Promise<readonly QueuedEmail[]> {
  const everything = { applicationId: undefined, state: undefined, limit: MAX_LISTED_EMAILS }
  return (await store.emails?.list({ ...everything, ...query })) ?? []
}

const FIRST_ATTEMPT_TIMEOUT_MS = 15_000
const EMAIL_POLL_INTERVAL_MS = 50

/** The e-mails that the mail server has not accepted. If this process sends them, each is tried first. */
export async function waitForEmails(
  { store, sendsEmails }: Pick<OpenTarget, 'store' | 'sendsEmails'>,
  applicationId: string | undefined,
  isAffected: (email: QueuedEmail) => boolean = () => true,
): Promise<EmailInfo[]> {
  for (const start = Date.now(); ; await sleep(EMAIL_POLL_INTERVAL_MS)) {
    const emails = await listQueuedEmails(store, { applicationId })
    // An accepted e-mail is removed, or is claimable if it has a claim link.
    const open = emails.filter((email) => isAffected(email) && email.state !== 'claimable')
    const isDone = !sendsEmails || !open.some(isBeingTried)
    if (isDone || Date.now() - start > FIRST_ATTEMPT_TIMEOUT_MS) return open.map(toEmailInfo)
  }
}

/** One sentence on the e-mail to the contact that a command has queued. It counts neither e-mails to operators nor those about changes. */
export function describeEmail(
  applicationId: string,
  emails: readonly EmailInfo[],
  { sendsEmails }: Pick<OpenTarget, 'sendsEmails'>,
): string {
  const email = emails.find(({ purpose }) => purpose !== 'approvalRequest' && purpose !== 'changes')
  if (!email) return 'The mail server has accepted its e-mail.'
  if (email.state === 'held') return `Its e-mail is sent once it is approved: ${PROGRAM} apps approve ${applicationId}`
  if (email.state === 'suspended')
    return `Its e-mail is sent once it is resumed: ${PROGRAM} apps resume ${applicationId}`
  if (!sendsEmails) return 'A running server that has emails() sends its e-mail.'
  const problem = email.problem ?? 'no answer yet'
  return email.state === 'failed'
    ? `The mail server has refused its e-mail (${problem}). Fix the cause, then: ${PROGRAM} emails retry ${applicationId}`
    : `The mail server has not accepted its e-mail yet (${problem}). Running servers will retry, next at ${formatTime(email.dueAt)}.`
}

function isBeingTried({ state, attemptCount, dueAt, leasedUntil }: QueuedEmail): boolean {
  return state === 'due' && ((attemptCount === 0 && dueAt <= Date.now()) || leasedUntil > Date.now())
}

function toEmailInfo({ id, applicationId, purpose, state, attemptCount, problem, dueAt }: QueuedEmail): EmailInfo {
  return { id, applicationId, purpose, state, attemptCount, problem, dueAt: new Date(dueAt) }
}
