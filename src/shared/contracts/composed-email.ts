import type { Api } from './api.js'
import type { Brand } from './brand.js'
import type { EmailContent } from './email-content.js'

/** Subject, text and HTML of an e-mail. */
export interface ComposedEmail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A value to copy. */
export interface EmailCode {
  readonly label: string
  readonly code: string
}

export interface EmailLink {
  readonly label: string
  readonly link: string
}

/** The built-in words of an e-mail, in its language, in the order in which they are shown. */
export interface EmailTexts {
  readonly subject: string
  readonly heading: string
  readonly paragraphs: readonly string[]
  /** Credentials, or a code: shown in a box. */
  readonly box: readonly EmailCode[]
  readonly facts: readonly EmailCode[]
  /** The next step, as buttons; the first one is the main one. */
  readonly actions: readonly EmailLink[]
  /** The calls of each API: commands to paste one after the other, and a link to the call in other languages in the console. */
  readonly sections: readonly {
    readonly title: string
    readonly codes: readonly EmailCode[]
    readonly links: readonly EmailLink[]
  }[]
  readonly links: readonly EmailLink[]
  readonly notes: readonly string[]
}

/** A program that requests an access token, if one is needed, and calls an API. */
export interface EmailSample {
  readonly language: 'curl' | 'javascript' | 'python' | 'go' | 'php' | 'java' | 'csharp'
  /** The language's name, for people. */
  readonly label: string
  readonly code: string
}

/**
 * The argument of `emails.compose`: the subject of the e-mail, and the built-in words and layout to take over or to replace.
 * `purpose` narrows its type.
 */
export type EmailToCompose = EmailContent & {
  /** The host of `baseUrl`. */
  readonly host: string
  readonly developersUrl: string | undefined
  readonly brand: Brand
  /** The APIs that the e-mail concerns. */
  readonly apis: readonly Api[]
  /**
   * Programs that call the API of that name, in seven languages: with the credentials of this e-mail, and with environment
   * variables for others. Empty for a name that is no API's.
   */
  readonly writeSamples: (api: string) => readonly EmailSample[]
  readonly texts: EmailTexts
  /** The built-in e-mail. */
  readonly standard: ComposedEmail
}

/**
 * Writes an e-mail: returns subject, text and HTML, or a promise of them within 5 seconds. Each credential, link and code must be in
 * text and HTML, as it is, and none of them in the subject. If it throws or returns anything else, the built-in e-mail is sent, and the error is logged.
 */
export type ComposeEmail = {
  // A method, because its parameter may be narrower.
  compose(email: EmailToCompose): ComposedEmail | PromiseLike<ComposedEmail>
}['compose']

/** One e-mail to one recipient. */
export interface EmailMessage extends ComposedEmail {
  /** The recipient: one bare ASCII address. */
  readonly to: string
  /**
   * Headers that the e-mail is to have, by name: `Auto-Submitted` (RFC 3834) and `X-Auto-Response-Suppress` keep mailboxes from
   * answering by themselves, with the credentials of the e-mail in what they quote.
   */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Sends e-mails. `send` resolves when the mail server has accepted the e-mail, and rejects otherwise. A result that tells of
 * a failure, as the SDKs of some services resolve with, counts as a rejection too: an `error`, `ok: false`, a status of 400 or
 * more, `rejected` recipients, an `ErrorCode`, false.
 *
 * On the error, `refused: true` says that the server has certainly not accepted the e-mail, and `permanent: true` that it
 * would refuse it again. Without them the status decides with which the service has answered. After any other rejection the
 * e-mail may have been sent, so its credentials stay valid beside those of the next attempt. A `send` that has not settled
 * after 60 seconds counts as such a rejection; it should have a shorter time-out of its own.
 */
export interface Mailer {
  send(email: EmailMessage): Promise<unknown>
  /** Optional, for the doctor: rejects if the mail server cannot be used. Sends nothing. */
  verify?(): Promise<unknown>
}
