import type { LetterRecord, Mailer, Store } from '../../index.js'
import { reasonOf } from '../failure.js'
import { PROGRAM } from '../program.js'
import { inTime } from '../reachable.js'
import { instant } from '../table.js'
import { note, problem, type Check } from './finding.js'

/** Milliseconds after which a letter that nobody has in hand is overdue: servers look every second. */
const OVERDUE = 60_000
const MOST = 1000

/** Whether letters arrive, and what waits for somebody. */
export const lettersCheck: Check = {
  name: 'letters',
  lacks: ({ operations }) => (operations ? undefined : 'a store that can be opened'),
  async look({ place: { store } }) {
    const letters = (state: LetterRecord['state']): Promise<readonly LetterRecord[]> => lettersIn(store!, state)
    const failed = await letters('failed')
    const due = await letters('due')
    const struggling = due.filter(({ problem }) => problem !== undefined)
    const overdue = due.filter(({ dueAt, leasedUntil }) => Math.max(dueAt, leasedUntil) + OVERDUE < Date.now())
    const held = await letters('held')
    return [
      ...some(failed, (which, count) =>
        problem(`${count} given up: ${which}.`, `See to the cause, then: ${PROGRAM} mail retry`),
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
          'Register an application of your own, and see whether its letter arrives.',
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

async function lettersIn(store: Store, state: LetterRecord['state']): Promise<readonly LetterRecord[]> {
  return store.listLetters({ applicationId: undefined, state, limit: MOST })
}

function some<Found>(letters: readonly LetterRecord[], say: (which: string, count: string) => Found): readonly Found[] {
  if (letters.length === 0) return []
  const shown = letters
    .slice(0, 3)
    .map(({ applicationId, problem }) => applicationId + (problem ? ` (${problem})` : ''))
  const count = `${letters.length === MOST ? `${MOST} or more` : letters.length} ${letters.length === 1 ? 'letter is' : 'letters are'}`
  return [say(letters.length > 3 ? `${shown.join(', ')}, ...` : shown.join(', '), count)]
}
