import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { PlanWindow } from '../../shared/contracts/quotas.js'

export interface Plan {
  readonly name: string
  readonly windows: readonly PlanWindow[]
  /** Whether it has a quota: a limit per day or month, which is kept in the store. */
  readonly hasQuota: boolean
}

export function createPlan(name: string, windows: readonly PlanWindow[]): Plan {
  return { name, windows, hasQuota: windows.some(({ per }) => per !== undefined) }
}

/** The first limit that a request of so many units can never pass: all of it is too little. Undefined if there is none. */
export function findTooLow({ windows }: Plan, units: number): PlanWindow | undefined {
  for (const window of windows) if (!window.soft && units > window.limit) return window
  return undefined
}

export function describeTooLow(plans: Iterable<Plan>, units: number): string | undefined {
  for (const plan of plans) {
    const window = findTooLow(plan, units)
    if (window) return `the plan "${plan.name}" allows ${describeWindow(window)}`
  }
  return undefined
}

export function describePlan({ windows }: Plan): string {
  const limits = windows.map((window) => `${describeWindow(window)}${window.soft ? ' (soft)' : ''}`)
  return limits.toSorted().join(', ') || 'no limit'
}

export function describeWindow({ limit, per, milliseconds }: PlanWindow): string {
  const seconds = milliseconds / 1000
  return `${limit} in ${per === undefined ? (seconds === 1 ? 'a second' : `${seconds} seconds`) : `a ${per}`}`
}

/** When a process has that many unwritten units, requests wait for the write: it exceeds a quota by no more (docs/plans.md). */
export function countUnwrittenAtMost({ limit }: PlanWindow): number {
  return Math.max(1, Math.floor(limit / 100))
}

const MAX_NOTED = 1000

export function createPlanNames(plans: ReadonlyMap<string, Plan>) {
  /** Applications whose requests were refused for that -> the name. */
  const unknown = new Map<string, string>()

  return {
    /** Undefined for an application without a plan. Throws for a plan that is not known: to let requests pass would be no limit at all. */
    find({ id, plan: name }: Pick<ApplicationRecord, 'id' | 'plan'>): Plan | undefined {
      const plan = name === undefined ? undefined : plans.get(name)
      if (plan || name === undefined) {
        if (unknown.size > 0) unknown.delete(id)
        return plan
      }
      if (unknown.size < MAX_NOTED) unknown.set(id, name)
      throw new Error(describeUnknown(id, name))
    },
    problem(): string | undefined {
      const [first] = unknown
      return first && `${describeUnknown(...first)} Its requests are answered with 500.`
    },
  }
}

function describeUnknown(id: string, name: string): string {
  return `Application ${id} has the plan "${name}", which plans() does not have.`
}
