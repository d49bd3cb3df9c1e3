import type { ExpiringCredential } from '../applications/credential-expiry.js'
import type { EmailMessage } from '../contracts/mailer.js'
import type { ApplicationRecord } from '../contracts/store.js'
import { formatBlocks, type Block } from './blocks.js'

/** Writes the e-mail that reminds of a credential that is about to expire. */
export type ComposeReminder = (content: ReminderContent) => EmailMessage

interface ReminderContent {
  readonly application: ApplicationRecord & { readonly contact: string }
  readonly expiring: ExpiringCredential
  readonly now: number
}

interface ReminderOptions {
  readonly developersUrl: string | undefined
  readonly baseUrl: string
}

const DAY_MS = 24 * 3600 * 1000

export function createReminderComposer({ developersUrl, baseUrl }: ReminderOptions): ComposeReminder {
  const { host } = new URL(baseUrl)

  return function composeReminder({ application, expiring: { kind, credential, replacement }, now }) {
    const { expiresAt } = credential
    const time = formatTime(expiresAt)
    // Without names, as in every subject of this package: others have chosen them.
    const subject = `Your ${kind} for ${host} expires on ${time.slice(0, 10)}`
    const blocks: Block[] = [
      `The ${kind} “${credential.name}” of your application “${application.name}” at ${host} expires ${formatDays(expiresAt - now)}. From then on it is refused.`,
      { label: 'Expires at', code: time },
      { label: `First characters of the ${kind}`, code: `${credential.prefix}...` },
      { label: 'Application id', code: application.id },
      replacement
        ? `There is a new ${kind} already, which has not been used yet. It begins with ${replacement.prefix}. Use it instead of the old one before that time.`
        : `Ask the operator of ${host} for a new ${kind}, and use it instead of this one before that time.`,
      ...(developersUrl === undefined ? [] : [{ label: 'Documentation of the APIs', link: developersUrl }]),
      `If nobody uses this ${kind} any more, you can ignore this e-mail.`,
    ]
    return { to: application.contact, subject, ...formatBlocks(subject, blocks) }
  }
}

/** Such as `2027-01-31 10:00:00 UTC`. Rounded down to the second: nobody may count on a moment too late. */
function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** The days that remain when the e-mail is sent, which may be later than it was queued. */
function formatDays(milliseconds: number): string {
  const days = Math.round(milliseconds / DAY_MS)
  if (days === 0) return 'in less than a day'
  return days === 1 ? 'in a day' : `in ${days} days`
}
