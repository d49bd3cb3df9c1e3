import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import type { Plan } from './plan.js'

/** Callers with unknown plans that `health()` counts. */
const MAX_NOTED = 1000

/** Finds the plan of an application by its name, which another process, the command line or an earlier version has set. */
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
    /** For `health()`. */
    problem(): string | undefined {
      const [first] = unknown
      return first && `${describeUnknown(...first)} Its requests are answered with 500.`
    },
  }
}

function describeUnknown(id: string, name: string): string {
  return `Application ${id} has the plan "${name}", which plans() does not have.`
}
