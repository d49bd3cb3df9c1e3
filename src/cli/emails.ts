import { setTimeout as sleep } from 'node:timers/promises'
import type { QueuedEmail, Store } from '../index.js'
import type { Invocation } from './command.js'
import { PROGRAM } from './program.js'
import { instant } from './table.js'

/** A email as scripts get it: without the hashes of what it brings. */
export type EmailInfo = Pick<QueuedEmail, 'id' | 'applicationId' | 'purpose' | 'state' | 'attemptCount' | 'problem'> & {
  readonly dueAt: Date
}

/** Milliseconds to wait for the mail server. */
const PATIENCE = 15_000
/** Milliseconds between two looks. */
const PAUSE = 50
/** More than anybody reads. */
const MOST = 1000

/** The emails that are still to be sent, were given up, or wait to be claimed: those of one application, or all. */
export async function emailsOf(store: Store, applicationId?: string): Promise<EmailInfo[]> {
  const emails = await store.listEmails({ applicationId, state: undefined, limit: MOST })
  return emails.map(toEmailInfo)
}

/**
 * What has become of the emails that a command has put out: none is left where all were accepted. Where they are sent
 * from here it waits until each has been tried.
 */
export async function followEmails(
  { store, sends }: Pick<Invocation, 'store' | 'sends'>,
  applicationId: string | undefined,
  concerns: (email: QueuedEmail) => boolean = () => true,
): Promise<EmailInfo[]> {
  for (const start = Date.now(); ; await sleep(PAUSE)) {
    const emails = await store.listEmails({ applicationId, state: undefined, limit: MOST })
    const ours = emails.filter((email) => concerns(email) && email.state !== 'claimable')
    if (!sends || !ours.some(isUnderWay) || Date.now() - start > PATIENCE) return ours.map(toEmailInfo)
  }
}

/** What has become of an application's email, in a sentence. */
export function tellOf(applicationId: string, emails: readonly EmailInfo[], sends: boolean): string {
  const [email] = emails
  if (!email) return 'The mail server has accepted its email.'
  if (email.state === 'held') return `Its email is sent once it is approved: ${PROGRAM} apps approve ${applicationId}`
  if (!sends) return 'A running server that has a mailer sends its email.'
  const problem = email.problem ?? 'no answer yet'
  return email.state === 'failed'
    ? `The mail server has refused its email (${problem}). See to the cause, then: ${PROGRAM} emails retry ${applicationId}`
    : `The mail server has not accepted its email yet (${problem}). Running servers try again, next at ${instant(email.dueAt)}.`
}

function isUnderWay({ state, attemptCount, leasedUntil }: QueuedEmail): boolean {
  return state === 'due' && (attemptCount === 0 || leasedUntil > Date.now())
}

function toEmailInfo({ id, applicationId, purpose, state, attemptCount, problem, dueAt }: QueuedEmail): EmailInfo {
  return { id, applicationId, purpose, state, attemptCount, problem, dueAt: new Date(dueAt) }
}
