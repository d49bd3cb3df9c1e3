import { toSentence } from '../../../shared/contracts/errors.js'
import type { Denial } from '../../../shared/contracts/denial.js'

const within = (days: number | undefined): string =>
  days === undefined ? '' : `, usually within ${days === 1 ? 'one working day' : `${days} working days`}`

/** The words of the registration pages in English. `label` is the provider's name of a field. */
export const en = {
  title: 'Register an application',
  name: 'Name of your application',
  contact: 'E-mail address of the developers',
  language: 'Language of our e-mails',
  apis: 'APIs that it calls',
  needsApproval: 'This API needs our approval.',
  keySet: 'Public keys in place of a secret',
  keySetHint:
    'For an application that proves a private key (private_key_jwt, RFC 7523): a JWK Set, one public key in PEM, or the https address that serves the set. No secret is made then. Never enter a private key.',
  needsKeySet: 'This API takes public keys only, and no secret.',
  keySetMissing: 'Enter public keys: {apis} takes no secret.',
  keySetUnused: '{apis} takes no public keys. Register an application of its own for it, or leave the public keys out.',
  keySetRefused:
    'Enter a JWK Set of 1 to 10 public keys, one public key in PEM, or an address that begins with https://.',
  scopes: 'Scopes that it gets:',
  /** Follows the label of a field that may stay empty. */
  optional: '(optional)',
  register: 'Register',
  next: 'What happens next',
  sent: 'We send the key and the secret to your e-mail address, with commands to try them.',
  /** `days`: within how many working days the provider usually decides. */
  approval: (days: number | undefined) =>
    `If you choose an API that needs our approval, one of us reads your registration and decides${within(days)}. The e-mail comes after that; until then, the application can call none of its APIs.`,

  notRegistered: 'Your application has not been registered yet.',
  /** A refusal that is no mistake in a field. `wait`: until when there are too many requests, such as `in 10 minutes`. */
  refusal: ({ description }: Pick<Denial, 'error' | 'description'>, _wait: string | undefined) =>
    toSentence(description),
  nameMissing: 'Enter a name.',
  /** `detail`: a part of an English sentence that says what is wrong with this one. */
  nameRefused: (detail: string | undefined) =>
    `Enter a name of up to 100 characters, with fewer than 7 digits in a row and without anything like a web address (example.com, Node.js).${thisOne(detail)}`,
  contactMissing: 'Enter an e-mail address.',
  contactRefused: (detail: string | undefined) =>
    `Enter one e-mail address that can be reached from the internet, such as dev@example.com.${thisOne(detail)}`,
  languageUnknown: 'Choose one of these languages.',
  apiMissing: 'Choose at least one API.',
  apiUnknown: 'Choose only from these APIs.',

  empty: (label: string) => `Fill in "${label}".`,
  unticked: (label: string) => `Tick "${label}".`,
  unchosen: (label: string) => `Choose one of the values of "${label}".`,
  longerThan: (label: string, most: number) => `Enter at most ${most} characters for "${label}".`,
  unreadable: (label: string) => `Enter text without control characters and hidden characters for "${label}".`,
  noAddress: (label: string) => `Enter one e-mail address for "${label}", such as dev@example.com.`,
  noUrl: (label: string) => `Enter a web address for "${label}" that begins with https:// or http://.`,
  tooLong: 'All your answers together are too long. Shorten them.',
  choose: 'Choose one',

  acceptTerms: 'I accept the terms of use',
  readTerms: (version: string) => `Read them: version ${version} (opens a new tab)`,
  termsMissing: 'Accept the terms of use.',
  termsChanged: 'The terms of use have changed. Read and accept the new ones.',

  captchaMissing: 'Complete the check that you are a person.',
  captchaRefused: 'The check that you are a person has failed. Complete it again.',
  captchaNeedsScripts: 'The check that you are a person needs JavaScript. Please turn it on, and reload this page.',

  thanks: 'Thank you',
  /** `contact`: the address that the form gave; undefined if it is not known any more. */
  received: (contact: string | undefined) =>
    `We have received your registration. We send the credentials to ${contact ?? 'the e-mail address that you gave'}.`,
  held: (contact: string | undefined, days: number | undefined) =>
    `We have received your registration. One of us reads it and decides${within(days)}. After it is approved, we send the credentials to ${contact ?? 'the e-mail address that you gave'}.`,
  missingEmail: 'If no e-mail comes, look among the unwanted ones. If the address is wrong, register again.',
  manage: 'Later you can manage it, with the same e-mail address, at',
}

export type Phrases = typeof en

function thisOne(detail: string | undefined): string {
  return detail === undefined ? '' : ` This one ${detail}.`
}
