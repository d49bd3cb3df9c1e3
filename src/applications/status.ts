import { ApplicationError } from '../contracts/errors.js'
import type { ApplicationRecord, ApplicationStatus } from '../contracts/store.js'

/** From which states an application may be moved, and where to: every other move is refused by name. */
const TRANSITIONS = {
  activate: { from: ['pending'], to: 'active' },
  suspend: { from: ['active'], to: 'suspended' },
  resume: { from: ['suspended'], to: 'active' },
  delete: { from: ['pending', 'active', 'suspended'], to: 'deleted' },
} as const satisfies Record<string, { from: readonly ApplicationStatus[]; to: ApplicationStatus }>

/** The state that a move leads to; throws with code `invalid_state` where it does not begin. */
export function move({ id, status }: ApplicationRecord, name: keyof typeof TRANSITIONS): ApplicationStatus {
  const { from, to } = TRANSITIONS[name]
  if ((from as readonly ApplicationStatus[]).includes(status)) return to
  throw new ApplicationError(
    'invalid_state',
    `Application ${id} is ${status}: ${name} goes from ${from.join(', ')} to ${to}.`,
  )
}

/** Throws with code `invalid_state` for an application that is gone for ever. */
export function refuseDeleted({ id, status }: ApplicationRecord, call: string): void {
  if (status === 'deleted')
    throw new ApplicationError('invalid_state', `Application ${id} is deleted: ${call} can't be done to it any more.`)
}
