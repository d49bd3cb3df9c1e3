import type { IncomingMessage } from 'node:http'
import {
  isLanguage,
  MAX_NAME_LENGTH,
  readRegistrationContact,
  readRegistrationName,
} from '../../applications/records/validation.js'
import { ApplicationError } from '../../contracts/errors.js'
import { OAuthError } from '../../contracts/denial.js'
import { readPairs } from '../../http/form.js'
import { findAddressProblem } from '../../lib/email-address.js'
import { ownMembers } from '../../lib/own-members.js'
import { findLineProblem } from '../../lib/visible-text.js'

/** The input of the registration form. */
export interface FormFields {
  readonly name: string
  readonly contact: string
  /** The language of e-mails; undefined if the form had no such field. */
  readonly language: string | undefined
  /** The APIs that were chosen. */
  readonly apis: readonly string[]
}

/** The problem of each field, in words for the person who filled in the form. */
export type FieldProblems = Partial<Record<keyof FormFields, string>>

/** The fields of the form. `apis` occurs once for each checkbox. */
export async function readFormFields(req: IncomingMessage): Promise<FormFields> {
  const fields: { name: string; contact: string; language: string | undefined } = {
    name: '',
    contact: '',
    language: undefined,
  }
  const apis: unknown[] = []
  const seen = new Set<string>()
  for (const [name, value] of await readPairs(req)) {
    // A body parser of the host makes an array of repeated names, or an object if there are many of them.
    if (name === 'apis') {
      apis.push(...(typeof value === 'object' && value !== null ? Object.values(value) : [value]))
    } else if (name === 'name' || name === 'contact' || name === 'language') {
      if (seen.has(name) || typeof value !== 'string') {
        throw new OAuthError('invalid_request', `The field ${name} must be given once`)
      }
      seen.add(name)
      fields[name] = value.trim()
    }
  }
  return { ...fields, apis: apis.map(String) }
}

/** `openApis`: the names of the APIs that the form offers. */
export function findFieldProblems(
  { name, contact, language, apis }: FormFields,
  openApis: readonly string[],
): FieldProblems {
  return ownMembers({
    ...(isRefused(readRegistrationName, name) && { name: name === '' ? NAME_MISSING : describeName(name) }),
    ...(isRefused(readRegistrationContact, contact) && {
      contact: contact === '' ? CONTACT_MISSING : describeContact(contact),
    }),
    ...(language !== undefined && !isLanguage(language) && { language: LANGUAGE_UNKNOWN }),
    ...(!apis.every((api) => openApis.includes(api)) && { apis: API_UNKNOWN }),
    ...(apis.length === 0 && { apis: API_MISSING }),
  })
}

const NAME_MISSING = 'Enter a name.'
const NAME_REFUSED =
  'Enter a name of up to 100 characters, with fewer than 7 digits in a row and without anything like a web address (example.com, Node.js).'
const CONTACT_MISSING = 'Enter an e-mail address.'
const CONTACT_REFUSED = 'Enter one e-mail address that can be reached from the internet, such as dev@example.com.'
const LANGUAGE_UNKNOWN = 'Choose one of these languages.'
const API_MISSING = 'Choose at least one API.'
const API_UNKNOWN = 'Choose only from these APIs.'

/** The reason of the refusal, if it is known. */
function describeName(name: string): string {
  const problem = findLineProblem(name, MAX_NAME_LENGTH)
  return problem === undefined ? NAME_REFUSED : `${NAME_REFUSED} This one ${problem}.`
}

function describeContact(contact: string): string {
  const problem = findAddressProblem(contact)
  return problem === undefined ? CONTACT_REFUSED : `${CONTACT_REFUSED} This one ${problem}.`
}

function isRefused(read: (value: string) => unknown, value: string): boolean {
  try {
    read(value)
    return false
  } catch (error) {
    if (error instanceof ApplicationError) return true
    throw error
  }
}
