import { ConfigurationError } from '../../shared/contracts/errors.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import {
  describeKind,
  invalidOption,
  readBoolean,
  readLimit,
  readWholeNumber,
  refuseUnknown,
} from '../../shared/lib/option-checks.js'
import { boolean, group, list, members } from '../../shared/lib/option-rules.js'
import { createPlan, type Plan } from './plan.js'
import { isPlanName, PLAN_NAME_FORM } from './plans-calls.js'

/** At most `limit` requests in `window` seconds, or in each day or month (UTC). */
export type PlanLimit = (
  | {
      /** Seconds, which begin with the first request. */
      readonly window: number
      readonly per?: undefined
    }
  | {
      /** A quota: it begins anew at midnight UTC, or on the first of the month. */
      readonly per: 'day' | 'month'
      readonly window?: undefined
    }
) & {
  /** Requests, or units if guards have a `cost`. */
  readonly limit: number
  /** True: requests above it are let pass, and reported. The plan's `soft` if left out. */
  readonly soft?: boolean | undefined
}

/** One plan. */
export interface PlanOptions {
  /** The limits of an application for all APIs together, each with another window. Empty: no limit. */
  readonly requests: readonly PlanLimit[]
  /** Applies to limits that do not say it themselves; false if left out. */
  readonly soft?: boolean | undefined
}

/** The options of `plans()` beside the plans. */
export interface PlansOptions<Name extends string = string> {
  /** The plan of applications that register; none if left out. */
  readonly default?: Name | undefined
  /** Whether contacts get an e-mail when 80 and 100 % of a quota are used; false if left out. Needs `emails()`. */
  readonly notify?: boolean | undefined
}

export type PlansSettings = ReturnType<typeof readPlans>

export function readPlans(given: unknown, options: PlansOptions | undefined) {
  if (!isObject(given) || Object.keys(given).length === 0) {
    const fix = "Write plans({ free: { requests: [{ limit: 10_000, per: 'month' }] } })."
    throw new ConfigurationError({ option: 'plans', problem: `is ${describeKind(given)}`, fix })
  }
  const plans: ReadonlyMap<string, Plan> = new Map(
    Object.entries(given).map(([name, plan]) => [name, readPlan(name, plan)]),
  )
  const { default: defaultPlan, notify } = readGroup(options)
  if (defaultPlan !== undefined && !plans.has(defaultPlan))
    throw invalidOption('plans.default', defaultPlan, `There are: ${[...plans.keys()].join(', ')}.`)
  return { plans, defaultPlan, notify }
}

const readGroup = group('plans', { default: (_option, name) => name as string | undefined, notify: boolean(false) })

function readPlan(name: string, plan: unknown): Plan {
  const path = `plans.${name}`
  if (!isPlanName(name)) throw invalidOption('plans', name, `A plan's name is ${PLAN_NAME_FORM}.`)
  if (!isObject(plan)) throw invalidOption(path, plan, `Write { requests: [{ limit: 10_000, per: 'month' }] }.`)
  const { requests, soft } = readPlanGroup(path, plan)
  const windows = requests.map((limit, at) => readPlanLimit(`${path}.requests[${at}]`, limit, soft))
  const twice = windows.find((window, at) => windows.findIndex((each) => each.name === window.name) < at)
  if (twice)
    throw invalidOption(`${path}.requests`, requests, `Give one limit for ${twice.name}: the lower one decides anyway.`)
  return createPlan(name, windows)
}

const readPlanGroup = members({
  requests: list((_option, limit) => limit, {
    most: Infinity,
    fix: 'Write a list: [{ limit: 10, window: 1 }]; [] for no limit.',
  }),
  soft: boolean(false),
})

function readPlanLimit(path: string, given: unknown, isSoft: boolean) {
  if (!isObject(given))
    throw invalidOption(path, given, "Write { limit: 10, window: 1 } or { limit: 1000, per: 'day' }.")
  refuseUnknown(`${path}.`, given, ['limit', 'window', 'per', 'soft'])
  const { limit, window, per, soft } = ownMembers<Partial<PlanLimit>>(given)
  if ((window === undefined) === (per === undefined))
    throw invalidOption(path, given, "Give it either window (seconds) or per ('day' or 'month').")
  const shared = { soft: readBoolean(`${path}.soft`, soft ?? isSoft) }
  if (per === undefined) {
    const read = readLimit(path, { limit: limit!, window: window! }) as { limit: number; window: number }
    return { ...shared, name: `${read.window}s`, limit: read.limit, per, milliseconds: read.window * 1000 }
  }
  if (per !== 'day' && per !== 'month') throw invalidOption(`${path}.per`, per, "Write 'day' or 'month'.")
  return { ...shared, name: per, limit: readWholeNumber(`${path}.limit`, limit, 1), per, milliseconds: 0 }
}
