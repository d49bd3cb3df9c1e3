import type { Refusals } from '../../../shared/web/describe-refusal.js'

/** The words of the registration pages in English. `{label}` is the provider's name of a field. What is wrong with a text (`{detail}`) is known in English only. */
export const en = {
  title: 'Register an application',
  intro: 'Name your application and choose its APIs. We e-mail you the credentials.',
  name: 'Name of your application',
  contact: 'Your e-mail address',
  language: 'E-mail language',
  apis: 'Which APIs will it call?',
  needsApproval: 'Needs our approval',
  keySet: 'Public keys in place of a secret',
  keySetHint:
    'For an application that proves a private key (private_key_jwt, RFC 7523): a JWK Set, one public key in PEM, or the https address that serves the set. No secret is made then. Never enter a private key.',
  needsKeySet: 'This API takes public keys only, and no secret.',
  keySetMissing: 'Enter public keys: {apis} takes no secret.',
  keySetUnused: '{apis} takes no public keys. Register an application of its own for it, or leave the public keys out.',
  /** Follows the label of a field that may stay empty. */
  optional: '(optional)',
  register: 'Register',
  next: 'What happens next',
  sent: 'We send the key and the secret to your e-mail address, with commands to try them.',
  approval:
    'If you choose an API that needs our approval, one of us reads your registration and decides{within}. The e-mail comes after that; until then, the application can call none of its APIs.',
  within: { one: ', usually within one working day', other: ', usually within {count} working days' },

  notRegistered: 'Your application has not been registered yet.',
  refused: undefined as Refusals | undefined,
  nameMissing: 'Enter a name.',
  nameRefused:
    'Enter a name of up to 100 characters, with fewer than 7 digits in a row and without anything like a web address (example.com, Node.js).{detail}',
  contactMissing: 'Enter an e-mail address.',
  contactRefused: 'Enter one e-mail address that can be reached from the internet, such as dev@example.com.{detail}',
  languageUnknown: 'Choose one of these languages.',
  apiMissing: 'Choose at least one API.',
  apiUnknown: 'Choose only from these APIs.',

  empty: 'Fill in "{label}".',
  unticked: 'Tick "{label}".',
  unchosen: 'Choose one of the values of "{label}".',
  longerThan: 'Enter at most {most} characters for "{label}".',
  unreadable: 'Enter text without control characters and hidden characters for "{label}".',
  noAddress: 'Enter one e-mail address for "{label}", such as dev@example.com.',
  noUrl: 'Enter a web address for "{label}" that begins with https:// or http://.',
  tooLong: 'All your answers together are too long. Shorten them.',
  choose: 'Choose one',

  acceptTerms: 'I accept the terms of use',
  readTerms: '(version {version}, opens a new tab)',
  termsMissing: 'Accept the terms of use.',
  termsChanged: 'The terms of use have changed. Read and accept the new ones.',

  captchaMissing: 'Complete the check that you are a person.',
  captchaRefused: 'The check that you are a person has failed. Complete it again.',
  captchaNeedsScripts: 'The check that you are a person needs JavaScript. Please turn it on, and reload this page.',

  thanks: 'Thank you',
  received: 'We have received your registration. We send the credentials to {contact}.',
  held: 'We have received your registration. One of us reads it and decides{within}. After it is approved, we send the credentials to {contact}.',
  givenContact: 'the e-mail address that you gave',
  missingEmail: 'No e-mail? Check your spam folder. If the address is wrong, register again.',
  manage: 'Manage it later, with the same e-mail address, in',
}
