import type { AdminApi, ConfigurationProblem } from '../../index.js'
import type { Manifest } from '../program.js'
import type { Target } from '../target.js'

/** One result of the doctor. */
export interface Finding {
  /** A `problem` sets the exit code; a `note` does not. */
  readonly level: 'problem' | 'note'
  /** The name of the check. */
  readonly check: string
  /** What is wrong, in full sentences. */
  readonly finding: string
  readonly fix: string
}

/** What a check works with. */
export interface CheckContext {
  readonly target: Target
  /** Undefined if the store could not be opened, or is a memory store. */
  readonly admin: AdminApi | undefined
  readonly manifest: Manifest
  /** Whether NODE_ENV is `production`. */
  readonly production: boolean
}

/** One check of the doctor. */
export interface Check {
  readonly name: string
  /** What the check requires and does not have; undefined if it can run. */
  findMissing(context: CheckContext): string | undefined
  run(context: CheckContext): Promise<readonly CheckResult[]> | readonly CheckResult[]
}

/** A finding before the doctor adds the name of its check. */
export type CheckResult = Omit<Finding, 'check'>

export function problem(finding: string, fix: string): CheckResult {
  return { level: 'problem', finding, fix }
}

export function note(finding: string, fix: string): CheckResult {
  return { level: 'note', finding, fix }
}

/** A finding from the parts of a configuration error or warning. */
export function toFinding(level: Finding['level'], { option, problem, fix }: ConfigurationProblem): CheckResult {
  return { level, finding: option === undefined ? `${problem}.` : `${option} ${problem}.`, fix }
}

/** For a check that requires the module of `--config`. */
export function requireConfig({ target }: CheckContext): string | undefined {
  return target.options ? undefined : '--config'
}

/** For a check that requires an open store. */
export function requireStore({ admin }: CheckContext): string | undefined {
  return admin ? undefined : 'a store that can be opened'
}
