import type { Phrases } from './phrases.js'

const within = (days: number | undefined): string =>
  days === undefined ? '' : `, usually within ${days === 1 ? 'one working day' : `${days} working days`}`

/** The words of the registration pages in English. */
export const en: Phrases = {
  title: 'Register an application',
  name: 'Name of your application',
  contact: 'E-mail address of the developers',
  language: 'Language of our e-mails',
  apis: 'APIs that it calls',
  needsApproval: 'This API needs our approval.',
  scopes: 'Scopes that it gets:',
  optional: '(optional)',
  register: 'Register',
  next: 'What happens next',
  sent: 'We send the key and the secret to your e-mail address, with commands to try them.',
  approval: (days) =>
    `If you choose an API that needs our approval, one of us reads your registration and decides${within(days)}. The e-mail comes after that; until then, the application can call none of its APIs.`,

  notRegistered: 'Your application has not been registered yet.',
  refusal: ({ description }) => `${description}.`,
  nameMissing: 'Enter a name.',
  nameRefused: (detail) =>
    `Enter a name of up to 100 characters, with fewer than 7 digits in a row and without anything like a web address (example.com, Node.js).${thisOne(detail)}`,
  contactMissing: 'Enter an e-mail address.',
  contactRefused: (detail) =>
    `Enter one e-mail address that can be reached from the internet, such as dev@example.com.${thisOne(detail)}`,
  languageUnknown: 'Choose one of these languages.',
  apiMissing: 'Choose at least one API.',
  apiUnknown: 'Choose only from these APIs.',

  empty: (label) => `Fill in "${label}".`,
  unticked: (label) => `Tick "${label}".`,
  unchosen: (label) => `Choose one of the values of "${label}".`,
  longerThan: (label, most) => `Enter at most ${most} characters for "${label}".`,
  unreadable: (label) => `Enter text without control characters and hidden characters for "${label}".`,
  noAddress: (label) => `Enter one e-mail address for "${label}", such as dev@example.com.`,
  noUrl: (label) => `Enter a web address for "${label}" that begins with https:// or http://.`,
  tooLong: 'All your answers together are too long. Shorten them.',
  choose: 'Choose one',

  acceptTerms: 'I accept the terms of use',
  readTerms: (version) => `Read them: version ${version} (opens a new tab)`,
  termsMissing: 'Accept the terms of use.',
  termsChanged: 'The terms of use have changed. Read and accept the new ones.',

  captchaMissing: 'Complete the check that you are a person.',
  captchaRefused: 'The check that you are a person has failed. Complete it again.',
  captchaNeedsScripts: 'The check that you are a person needs JavaScript. Please turn it on, and reload this page.',

  thanks: 'Thank you',
  received: (contact) =>
    `We have received your registration. We send the credentials to ${contact ?? 'the e-mail address that you gave'}.`,
  held: (contact, days) =>
    `We have received your registration. One of us reads it and decides${within(days)}. After it is approved, we send the credentials to ${contact ?? 'the e-mail address that you gave'}.`,
  missingEmail: 'If no e-mail comes, look among the unwanted ones. If the address is wrong, register again.',
  manage: 'Later you can manage it, with the same e-mail address, at',
}

function thisOne(detail: string | undefined): string {
  return detail === undefined ? '' : ` This one ${detail}.`
}
