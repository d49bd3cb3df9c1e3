import { OAuthError } from '../../shared/contracts/denial.js'
import { replaceForbidden } from '../../core/http/respond.js'

/** The id of a control -> its problem, in words for the person who filled in the form. `form`: of none in particular. */
export type FieldProblems = ReadonlyMap<string, string>

export const NO_PROBLEMS: FieldProblems = new Map()

/** The refusal of a registration with mistakes, of which a form shows each at its field. */
export class RegistrationMistakes extends OAuthError {
  readonly problems: FieldProblems

  constructor(problems: FieldProblems) {
    super('invalid_request', replaceForbidden([...problems.values()].join(' ')))
    this.problems = problems
  }
}
