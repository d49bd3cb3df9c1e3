import type { QueuedEmail, Mailer, Store } from '../../index.js'
import { reasonOf } from '../failure.js'
import { PROGRAM } from '../program.js'
import { inTime } from '../reachable.js'
import { instant } from '../table.js'
import { note, problem, type Check } from './finding.js'

/** Milliseconds after which a email that nobody has in hand is overdue: servers look every second. */
const OVERDUE = 60_000
const MOST = 1000

/** Whether emails arrive, and what waits for somebody. */
export const emailsCheck: Check = {
  name: 'emails',
  lacks: ({ operations }) => (operations ? undefined : 'a store that can be opened'),
  async look({ place: { store } }) {
    const emails = (state: QueuedEmail['state']): Promise<readonly QueuedEmail[]> => emailsIn(store!, state)
    const failed = await emails('failed')
    const due = await emails('due')
    const struggling = due.filter(({ problem }) => problem !== undefined)
    const overdue = due.filter(({ dueAt, leasedUntil }) => Math.max(dueAt, leasedUntil) + OVERDUE < Date.now())
    const held = await emails('held')
    return [
      ...some(failed, (which, count) =>
        problem(`${count} given up: ${which}.`, `See to the cause, then: ${PROGRAM} emails retry`),
      ),
      ...some(overdue, (which, count) =>
        problem(
          `${count} overdue, the first since ${instant(overdue[0]?.dueAt)}: ${which}.`,
          'Nobody sends: see that a server with a mailer runs on this store.',
        ),
      ),
      ...some(struggling, (which, count) =>
        problem(
          `${count} tried and not accepted yet: ${which}.`,
          'See to the mail server, and to the addresses. They are tried again for 72 hours.',
        ),
      ),
      ...some(held, (which, count) =>
        note(
          `${count} held until somebody approves the registration: ${which}.`,
          `${PROGRAM} apps approve ID, or apps delete ID. What has waited for 14 days is deleted.`,
        ),
      ),
    ]
  },
}

/** Whether there is a mail server behind the mailer; nothing is sent. */
export const mailerCheck: Check = {
  name: 'mail server',
  lacks: ({ place }) => (place.options ? undefined : '--config'),
  async look({ place: { options } }) {
    const mailer: Verifiable | undefined = options?.mailer
    if (!mailer) return []
    if (typeof mailer.verify !== 'function') {
      return [
        note(
          'The mailer has no verify(): whether its mail server can be reached is not seen without sending.',
          'Register an application of your own, and see whether its email arrives.',
        ),
      ]
    }
    try {
      await inTime(mailer.verify())
      return []
    } catch (error) {
      return [
        problem(
          `The mail server can't be used: ${reasonOf(error)}`,
          'See to host, port, TLS and login of the transport, and to firewalls between.',
        ),
      ]
    }
  },
}

interface Verifiable extends Mailer {
  verify?(): Promise<unknown>
}

async function emailsIn(store: Store, state: QueuedEmail['state']): Promise<readonly QueuedEmail[]> {
  return store.listEmails({ applicationId: undefined, state, limit: MOST })
}

function some<Found>(emails: readonly QueuedEmail[], say: (which: string, count: string) => Found): readonly Found[] {
  if (emails.length === 0) return []
  const shown = emails.slice(0, 3).map(({ applicationId, problem }) => applicationId + (problem ? ` (${problem})` : ''))
  const count = `${emails.length === MOST ? `${MOST} or more` : emails.length} ${emails.length === 1 ? 'email is' : 'emails are'}`
  return [say(emails.length > 3 ? `${shown.join(', ')}, ...` : shown.join(', '), count)]
}
