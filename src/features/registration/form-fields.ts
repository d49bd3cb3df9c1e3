import type { IncomingMessage } from 'node:http'
import {
  isLanguage,
  MAX_NAME_LENGTH,
  readRegistrationContact,
  readRegistrationName,
} from '../../core/applications/records/validation.js'
import { ApplicationError } from '../../shared/contracts/errors.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { readPairs } from '../../core/http/form.js'
import { findAddressProblem } from '../../shared/lib/email-address.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import type { FieldProblems } from './mistakes.js'
import type { Phrases } from './texts/en.js'

/** The input of the registration form. */
export interface FormFields {
  /** Name of a field -> what was entered, trimmed. A field that the form did not have is missing. */
  readonly values: ReadonlyMap<string, string>
  /** The APIs that were chosen. */
  readonly apis: readonly string[]
}

/** The fields of the form, of which each of `known` may occur once. `apis` occurs once for each checkbox. */
export async function readFormFields(req: IncomingMessage, known: ReadonlySet<string>): Promise<FormFields> {
  const values = new Map<string, string>()
  const apis: unknown[] = []
  for (const [name, value] of await readPairs(req)) {
    // A body parser of the host makes an array of repeated names, or an object if there are many of them.
    if (name === 'apis') {
      apis.push(...(typeof value === 'object' && value !== null ? Object.values(value) : [value]))
    } else if (known.has(name)) {
      if (values.has(name) || typeof value !== 'string') {
        throw new OAuthError('invalid_request', `The field ${name} must be given once`)
      }
      values.set(name, value.trim())
    }
  }
  return { values, apis: apis.map(String) }
}

/** The problems of what every form has. `openApis`: the names of the APIs that it offers. */
export function findFieldProblems(
  { values, apis }: FormFields,
  openApis: readonly string[],
  texts: Phrases,
): FieldProblems {
  const name = values.get('name') ?? ''
  const contact = values.get('contact') ?? ''
  const language = values.get('language')
  const problems = new Map<string, string>()
  if (name === '') problems.set('name', texts.nameMissing)
  else if (isRefused(readRegistrationName, name)) {
    problems.set('name', texts.nameRefused(findLineProblem(name, MAX_NAME_LENGTH)))
  }
  if (contact === '') problems.set('contact', texts.contactMissing)
  else if (isRefused(readRegistrationContact, contact)) {
    problems.set('contact', texts.contactRefused(findAddressProblem(contact)))
  }
  if (language !== undefined && !isLanguage(language)) problems.set('language', texts.languageUnknown)
  if (apis.length === 0) problems.set('apis', texts.apiMissing)
  else if (!apis.every((api) => openApis.includes(api))) problems.set('apis', texts.apiUnknown)
  return problems
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
