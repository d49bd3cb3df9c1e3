import type { AdminApi, ConfigurationProblem } from '../../index.js'
import type { Place } from '../target.js'
import type { Manifest } from '../program.js'

/** Something that a doctor has to say. */
export interface Finding {
  /** A `note` is no fault, and better known. */
  readonly level: 'problem' | 'note'
  /** The check that found it. */
  readonly check: string
  readonly finding: string
  readonly cure: string
}

/** What is looked at. */
export interface Subject {
  readonly place: Place
  /** Undefined where the store could not be opened, or keeps nothing. */
  readonly operations: AdminApi | undefined
  readonly manifest: Manifest
  readonly production: boolean
}

/** One look at one thing. */
export interface Check {
  readonly name: string
  /** What it can't do without, where that is missing. */
  lacks(subject: Subject): string | undefined
  look(subject: Subject): Promise<readonly Found[]> | readonly Found[]
}

type Found = Omit<Finding, 'check'>

export function problem(finding: string, cure: string): Found {
  return { level: 'problem', finding, cure }
}

export function note(finding: string, cure: string): Found {
  return { level: 'note', finding, cure }
}

/** What is wrong with the options or the store, as a finding. */
export function configurationFinding(
  level: Finding['level'],
  { option, problem: what, fix }: ConfigurationProblem,
): Found {
  return { level, finding: option === undefined ? `${what}.` : `${option} ${what}.`, cure: fix }
}
