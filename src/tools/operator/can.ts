import type { CallName, Scope } from '../operations/operator-calls.js'

/** The second parameter of `can`, such as `applications.suspend`: an operation. */
export type OperatorAction = CallName

/** What the option `can` is told beside the operator and the action. */
export interface ActionContext {
  /** The right that it takes, as in management over HTTP, such as `applications:write`. */
  readonly scope: Scope
  /** The application that it is about; undefined where it is about none, or about several. */
  readonly applicationId: string | undefined
}

/** The option `can`. */
export type Can = (operator: string, action: OperatorAction, context: ActionContext) => unknown
