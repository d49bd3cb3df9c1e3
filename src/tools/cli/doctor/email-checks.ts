import type { QueuedEmail } from '../../../store.js'
import { listQueuedEmails } from '../commands/emails.js'
import { formatTime } from '../format.js'
import { PROGRAM } from '../program.js'
import {
  describeCount,
  nameFirst,
  note,
  problem,
  type CheckContext,
  type CheckResult,
  type CheckResults,
} from './finding.js'

/** An e-mail is overdue if no process has taken it for that long after it was due; servers look for due e-mails every second. */
const EMAIL_OVERDUE_AFTER_MS = 60_000

export async function checkEmails({ target }: CheckContext): Promise<CheckResults> {
  const list = (state: QueuedEmail['state']) => listQueuedEmails(target.store!, { state })
  const stopped = await list('failed')
  const failed = stopped.filter(({ purpose }) => purpose !== 'approvalRequest')
  const unread = stopped.filter(({ purpose }) => purpose === 'approvalRequest')
  const operators = [...new Set(unread.map(({ recipient }) => recipient))].join(', ')
  const due = await list('due')
  const rejected = due.filter(({ problem }) => problem !== undefined)
  const overdue = due.filter(
    ({ dueAt, leasedUntil }) => Math.max(dueAt, leasedUntil) + EMAIL_OVERDUE_AFTER_MS < Date.now(),
  )
  const held = await list('held')
  return [
    ...reportEmails(failed, (count, which) =>
      problem(`${count} no longer retried: ${which}.`, `Fix the cause, then: ${PROGRAM} emails retry`),
    ),
    ...reportEmails(unread, (count, which) =>
      problem(
        `${count} not delivered to operators (${operators}), about ${which}.`,
        `Correct the address in the operators of registration(), or the mail server, then: ${PROGRAM} emails retry. Decide with: ${PROGRAM} apps approve ID, or apps deny ID`,
      ),
    ),
    ...reportEmails(overdue, (count, which) =>
      problem(
        `${count} overdue, the first since ${formatTime(overdue[0]?.dueAt)}: ${which}.`,
        'No process sends them: check that a server with emails() runs on this store.',
      ),
    ),
    ...reportEmails(rejected, (count, which) =>
      problem(
        `${count} tried and not accepted yet: ${which}.`,
        'Check the mail server and the addresses. They are retried for 72 hours.',
      ),
    ),
    ...reportEmails(held, (count, which) =>
      note(
        `${count} held until somebody approves the registration: ${which}.`,
        `${PROGRAM} apps approve ID, or apps deny ID. What has waited for 14 days is deleted.`,
      ),
    ),
  ]
}

function reportEmails(
  emails: readonly QueuedEmail[],
  create: (count: string, which: string) => CheckResult,
): CheckResult[] {
  if (emails.length === 0) return []
  const names = emails.map(({ applicationId, problem }) => applicationId + (problem ? ` (${problem})` : ''))
  return [create(describeCount(emails, 'e-mail is', 'e-mails are'), nameFirst(names))]
}
