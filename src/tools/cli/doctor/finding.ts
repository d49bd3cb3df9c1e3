import type { AdminApi } from '../../admin/index.js'
import { toSentence, type ConfigurationProblem } from '../../../shared/contracts/errors.js'
import type { Manifest } from '../errors.js'
import type { Target } from '../target.js'
import { readPages } from '../../../shared/lib/own-members.js'

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

export const problem = (finding: string, fix: string) => toResult('problem', { problem: finding, fix })
export const note = (finding: string, fix: string) => toResult('note', { problem: finding, fix })

export function toResult(level: Finding['level'], { option, problem, fix }: ConfigurationProblem): CheckResult {
  return { level, finding: toSentence(option === undefined ? problem : `${option} ${problem}`), fix }
}

export const MAX_LISTED = 1000
const MAX_READ = 10_000

/** The items that a check looks for; `among` says where, if not among all: the doctor soon answers. */
export async function findItems<Item>(
  list: (page: {
    readonly after: string | undefined
    readonly limit: number
  }) => Promise<{ items: readonly Item[]; next?: string | undefined }>,
  applies: (item: Item) => boolean,
) {
  const items: Item[] = []
  let read = 0
  for await (const page of readPages((after) => list({ after, limit: MAX_LISTED }))) {
    if (read >= MAX_READ) return { items, among: ` among the first ${read}` }
    items.push(...page.filter(applies))
    read += page.length
  }
  return { items, among: '' }
}

export function formatCount({ length }: readonly unknown[], one: string, several: string): string {
  return `${length}${length === MAX_LISTED ? ' or more' : ''} ${length === 1 ? one : several}`
}

export function nameFirst(names: readonly string[]): string {
  return [...names.slice(0, 3), ...(names.length > 3 ? ['...'] : [])].join(', ')
}
