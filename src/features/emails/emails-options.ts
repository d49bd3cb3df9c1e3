import type { ComposeEmail, Mailer } from '../../shared/contracts/composed-email.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { isObject } from '../../shared/lib/is-object.js'
import { invalidOption, readDays, readGroup, readOptionalFunction } from '../../shared/lib/option-checks.js'
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

/** The validated form of the options of `emails()`. */
export interface EmailsSettings {
  readonly mailer: Mailer
  readonly delivery: 'inline' | 'claim-link'
  readonly composeEmail: ComposeEmail | undefined
  /** Most days first; empty if nobody is reminded. */
  readonly remindBefore: readonly number[]
}

export function readEmailsOptions(
  options: EmailsOptions | undefined,
  { apis, credentials, developersUrl }: CoreSettings,
): EmailsSettings {
  // A mailer itself, in place of the options.
  if (isObject(options) && typeof options['send'] === 'function') readMailer(undefined)
  const { mailer, delivery, compose, remindBefore } = readGroup('emails', options, [
    'mailer',
    'delivery',
    'compose',
    'remindBefore',
  ])
  const hasMaximum =
    credentials.maxAge !== undefined || [...apis.values()].some((api) => api.credentialMaxAge !== undefined)
  return {
    mailer: readMailer(mailer),
    delivery: readDelivery(delivery ?? 'inline', developersUrl),
    composeEmail: readOptionalFunction('emails.compose', compose),
    remindBefore: readReminders(remindBefore ?? (hasMaximum ? DEFAULT_REMINDERS : [])),
  }
}

function readMailer(mailer: unknown): Mailer {
  if (isObject(mailer) && typeof mailer['send'] === 'function') return mailer as unknown as Mailer
  // The value is not shown: a transport or an SMTP URL may contain a password.
  throw new ConfigurationError({
    option: 'emails.mailer',
    problem: mailer === undefined ? 'is missing' : 'is not a mailer',
    fix: 'Write emails({ mailer }): smtpMailer() from "express-platform-auth/emails", or an object with send(email).',
  })
}

function readDelivery(delivery: unknown, developersUrl: string | undefined): 'inline' | 'claim-link' {
  if (delivery !== 'inline' && delivery !== 'claim-link') {
    throw invalidOption(
      'emails.delivery',
      delivery,
      'E-mails contain the credentials ("inline") or a link ("claim-link").',
    )
  }
  if (delivery === 'claim-link' && developersUrl === undefined) {
    throw new ConfigurationError({
      option: 'developersUrl',
      problem: 'is missing',
      fix: 'With delivery "claim-link" e-mails link to {developersUrl}/register/claim.',
    })
  }
  return delivery
}

/** Days before an end at which contacts are reminded, if there is a maximum age. */
const DEFAULT_REMINDERS = [30, 14, 7, 1]
const MAX_REMINDERS = 10

/** Most days first, each once. */
function readReminders(days: unknown): readonly number[] {
  if (!Array.isArray(days) || days.length > MAX_REMINDERS) {
    throw invalidOption(
      'emails.remindBefore',
      days,
      `List up to ${MAX_REMINDERS} numbers of days, such as [30, 14, 7, 1].`,
    )
  }
  const read = Array.from(days, (each: unknown, index) => readDays(`emails.remindBefore[${index}]`, each))
  return [...new Set(read)].toSorted((one, other) => other - one)
}
