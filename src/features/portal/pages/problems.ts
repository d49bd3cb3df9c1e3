import { MAX_NAME_LENGTH } from '../../../applications/records/validation.js'
import type { ApplicationError } from '../../../contracts/errors.js'
import type { PortalAction } from '../actions.js'
import { findAddressProblem } from '../../../lib/email-address.js'
import { findLineProblem } from '../../../lib/visible-text.js'
import { readField, type FormFields } from '../form-fields.js'

/**
 * The reason why an action was refused, in words for the contact who entered the fields. The error's own message is for
 * operators.
 */
export function describeProblem(
  { action }: { readonly action: PortalAction },
  { code }: ApplicationError,
  fields: FormFields,
): string {
  if (action === 'invite' && code === 'invalid_argument') return describeContactProblem(readField(fields, 'address'))
  const problem = code === 'invalid_argument' ? findLineProblem(readField(fields, 'name'), MAX_NAME_LENGTH) : undefined
  if (problem !== undefined) return `${NAME} This one ${problem}.`
  return PROBLEMS.get(`${action} ${code}`) ?? PROBLEMS.get(code) ?? 'This is not possible. Check what you entered.'
}

/** The problem of an address that somebody entered. */
export function describeContactProblem(address: string): string {
  const problem = findAddressProblem(address)
  return `Enter one e-mail address, such as dev@example.com.${problem === undefined ? '' : ` This one ${problem}.`}`
}

const NAME = `A name is 1 to ${MAX_NAME_LENGTH} characters that can be seen.`
const TAKEN = 'This name is in use. Choose another one.'

/** Messages by action and code, or by code. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['addKey invalid_argument', NAME],
  ['addKey conflict', TAKEN],
  ['addKey invalid_state', 'The operator has ended the keys of this application. Ask the operator for a new one.'],
  ['addSecret invalid_argument', NAME],
  [
    'addSecret invalid_state',
    'The operator has ended the secrets of this application. Ask the operator for a new one.',
  ],
  ['addSecret conflict', TAKEN],
  ['rename invalid_argument', NAME],
  ['rename conflict', TAKEN],
  ['invite conflict', 'This address is a contact already.'],
  ['too_many_credentials', 'You have reached the limit of 20. End one first.'],
  ['too_many_contacts', 'There are 10 colleagues and invitations, which is as many as possible.'],
  ['conflict', 'Other changes are being made at the same time. Try again.'],
  ['invalid_state', 'The state of the application does not allow this.'],
])
