import type { ComposeEmail, Mailer } from '../../shared/contracts/composed-email.js'
import { isObject } from '../../shared/lib/own-members.js'
import { invalidOption, wrongOption } from '../../shared/lib/option-checks.js'
import { callback, days, group, list, optional } from '../../shared/lib/option-rules.js'
import type { CoreSettings } from '../../core/options/settings.js'

/** The options of `emails()`. */
export interface EmailsOptions {
  /** Sends the e-mails: `smtpMailer()`, or an object with `send(email)`. */
  readonly mailer: Mailer
  /** Whether e-mails contain the credentials (`inline`, if left out), or a link that shows them once. */
  readonly delivery?: 'inline' | 'claim-link' | undefined
  /** Writes the e-mails instead of the built-in texts and layout. */
  readonly compose?: ComposeEmail | undefined
  /**
   * How many days before a credential ends its application's contact is reminded. If left out, `[30, 14, 7, 1]` where credentials
   * have a maximum age, and otherwise no reminders.
   */
  readonly remindBefore?: readonly number[] | undefined
}

export type EmailsSettings = ReturnType<typeof readEmailsOptions>

export function readEmailsOptions(
  options: EmailsOptions | undefined,
  { apis, credentials, developersUrl }: CoreSettings,
) {
  // A mailer itself, in place of the options.
  if (isObject(options) && typeof options['send'] === 'function') readMailer('emails.mailer', undefined)
  const { mailer, delivery, compose, remindBefore } = readGroup(options)
  if (delivery === 'claim-link' && developersUrl === undefined)
    throw wrongOption(
      'developersUrl',
      'is missing',
      'With delivery "claim-link" e-mails link to {developersUrl}/register/claim.',
    )
  const hasMaximum =
    credentials.maxAge !== undefined || [...apis.values()].some((api) => api.credentialMaxAge !== undefined)
  const reminders = remindBefore ?? (hasMaximum ? DEFAULT_REMINDERS : [])
  return {
    mailer,
    delivery,
    composeEmail: compose,
    remindBefore: [...new Set(reminders)].toSorted((one, other) => other - one),
  }
}

/** Days before an end at which contacts are reminded, if there is a maximum age. */
const DEFAULT_REMINDERS = [30, 14, 7, 1]
const MAX_REMINDERS = 10

const readGroup = group('emails', {
  mailer: readMailer,
  delivery(option, delivery = 'inline'): 'inline' | 'claim-link' {
    if (delivery === 'inline' || delivery === 'claim-link') return delivery
    throw invalidOption(option, delivery, 'E-mails contain the credentials ("inline") or a link ("claim-link").')
  },
  compose: callback<ComposeEmail>,
  remindBefore: optional(
    list(days(), {
      most: MAX_REMINDERS,
      fix: `List up to ${MAX_REMINDERS} numbers of days, such as [30, 14, 7, 1].`,
    }),
  ),
})

function readMailer(option: string, mailer: unknown): Mailer {
  if (isObject(mailer) && typeof mailer['send'] === 'function') return mailer as unknown as Mailer
  // The value is not shown: a transport or an SMTP URL may contain a password.
  throw wrongOption(
    option,
    mailer === undefined ? 'is missing' : 'is not a mailer',
    'Write emails({ mailer }): smtpMailer() from "express-platform-auth/emails", or an object with send(email).',
  )
}
