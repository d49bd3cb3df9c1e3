import type { AdminApi } from '../../admin/index.js'
import { toSentence, type ConfigurationProblem } from '../../../shared/contracts/errors.js'
import type { Manifest } from '../program.js'
import type { Target } from '../target.js'

export interface Finding {
  /** A `problem` sets the exit code; a `note` does not. */
  readonly level: 'problem' | 'note'
  readonly check: string
  readonly finding: string
  readonly fix: string
}

export interface CheckContext {
  readonly target: Target
  /** Undefined if the store could not be opened, or is a memory store. */
  readonly admin: AdminApi | undefined
  readonly manifest: Manifest
  readonly production: boolean
}

export type CheckResult = Omit<Finding, 'check'>

export type CheckResults = CheckResult | readonly CheckResult[]

export const problem = (finding: string, fix: string) => toFinding('problem', { problem: finding, fix })
export const note = (finding: string, fix: string) => toFinding('note', { problem: finding, fix })

export function toFinding(level: Finding['level'], { option, problem, fix }: ConfigurationProblem): CheckResult {
  return { level, finding: toSentence(option === undefined ? problem : `${option} ${problem}`), fix }
}

export const MAX_LISTED = 1000

export function describeCount({ length }: readonly unknown[], one: string, several: string): string {
  return `${length}${length === MAX_LISTED ? ' or more' : ''} ${length === 1 ? one : several}`
}

export function nameFirst(names: readonly string[]): string {
  return [...names.slice(0, 3), ...(names.length > 3 ? ['...'] : [])].join(', ')
}
