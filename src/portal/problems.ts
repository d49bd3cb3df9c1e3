import type { ApplicationError } from '../contracts/errors.js'
import type { PortalAction } from '../contracts/portal-actions.js'

/** Why an action was refused, in words for the contact. The error's own message is for operators. */
export function describeProblem(action: PortalAction, { code }: ApplicationError): string {
  return PROBLEMS.get(`${action} ${code}`) ?? PROBLEMS.get(code) ?? 'This is not possible. Check what you entered.'
}

const NAME = 'A name is 1 to 100 characters, without line breaks.'
const TAKEN = 'This name is in use. Choose another one.'

/** By action and code, or by code. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['addKey invalid_argument', NAME],
  ['addKey conflict', TAKEN],
  ['addSecret invalid_argument', NAME],
  ['addSecret conflict', TAKEN],
  ['rename invalid_argument', NAME],
  ['rename conflict', TAKEN],
  ['invite invalid_argument', 'Enter one e-mail address, such as dev@example.com.'],
  ['invite conflict', 'This address is a contact already.'],
  ['too_many_credentials', 'There are as many as possible. End one that is not needed any more.'],
  ['too_many_contacts', 'There are 10 colleagues and invitations, which is as many as possible.'],
  ['conflict', 'Other changes are being made at the same time. Try again.'],
  ['invalid_state', 'The state of the application does not allow this.'],
])
