import {
  options,
  application as applicationId,
  withCheckedArguments,
  any,
  type CallParameters,
} from '../../core/applications/call-arguments.js'
import type { ApplicationWriter } from '../../core/applications/records/application-writer.js'
import { refuseDeleted } from '../../core/applications/records/status.js'
import { ApplicationError } from '../../shared/contracts/errors.js'
import type { Plans } from './plans-calls.js'

/** A name is typed on the command line. */
const PLAN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
export const PLAN_NAME_FORM = 'letters, digits, dots, hyphens and underscores, 64 at most'

export function isPlanName(name: unknown): name is string {
  return typeof name === 'string' && PLAN_NAME.test(name)
}

const SET_PLAN_PARAMETERS: CallParameters<Pick<Plans, 'set'>> = {
  set: [applicationId, any, options<NonNullable<Parameters<Plans['set']>[2]>>({ by: 'text' })],
}

/** `auth.plans.set()`, also for a process that has only the store. */
export function createSetPlan(options: {
  readonly writer: ApplicationWriter
  /** Resolves once the store is open. */
  readonly opened: () => Promise<unknown>
  /** The names of the plans; undefined in a process that has no `plans()`. */
  readonly names?: readonly string[]
}): Pick<Plans, 'set'> {
  const { writer, opened, names } = options
  return withCheckedArguments(SET_PLAN_PARAMETERS, {
    async set(id, plan, { by } = {}) {
      if (plan !== null) readPlanName(plan, names)
      await opened()
      await writer.change(id, { type: 'application.updated', by }, (current) => {
        refuseDeleted(current, 'update')
        return { changed: { plan: plan ?? undefined }, details: { changed: ['plan'], plan } }
      })
    },
  })
}

function readPlanName(plan: unknown, names: readonly string[] | undefined): void {
  if (names ? names.includes(plan as string) : isPlanName(plan)) return
  const fix = names ? `There are: ${names.join(', ')}; null for none.` : `Its name is ${PLAN_NAME_FORM}; null for none.`
  throw new ApplicationError('invalid_argument', `There is no such plan. ${fix}`)
}
