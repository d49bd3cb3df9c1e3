import type { IncomingMessage } from 'node:http'
import { describeValue } from '../../shared/lib/describe-value.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { invalidOption } from '../../shared/lib/option-checks.js'
import type { PlanLimits } from '../rate-limits/rate-limits.js'

/** The units of a request toward the application's plan: 0 to 1,000,000, or a function of the request. */
export type RequestCost =
  | number
  | {
      // A method, because its parameter may be narrower: the function can take Express's Request.
      cost(req: IncomingMessage): number
    }['cost']

const MAX_COST = 1_000_000

export type ReadCost = typeof readCost

/** Throws `ConfigurationError` for a value that is no cost. */
export function readCost(call: string, cost: unknown): RequestCost {
  if (cost === undefined) return 1
  if (typeof cost === 'function' || isCost(cost)) return cost as RequestCost
  throw invalidOption(
    `${call}: cost`,
    cost,
    `Write a whole number from 0 to ${MAX_COST}, or a function that returns one.`,
  )
}

/** `readCost`, which also throws for a number that a limit of a plan can never let pass: what its applications get is no 429 that ends. */
export function createReadCost(plans: PlanLimits | undefined): ReadCost {
  return function readPassableCost(call, given) {
    const cost = readCost(call, given)
    const tooLow = typeof cost === 'number' ? plans?.describeTooLow(cost) : undefined
    if (tooLow === undefined) return cost
    throw new ConfigurationError({
      option: `${call}: cost`,
      problem: `is ${String(cost)}, and ${tooLow}: no request of such an application could ever pass`,
      fix: 'Raise that limit to the cost at least, make it soft, or lower the cost. Where the plan shall not have the route, use a scope; a cost that is a function is compared with each request.',
    })
  }
}

/** Throws if the host's function throws or returns anything else: the request is answered with 500, and never let pass uncounted. */
export function countUnits(cost: RequestCost, req: IncomingMessage): number {
  if (typeof cost === 'number') return cost
  const units: unknown = askHost(cost, req)
  if (isCost(units)) return units
  // A promise is none, and would end the process if it rejects.
  Promise.resolve(units).catch(() => undefined)
  throw new Error(`The cost of a guard returned ${describeValue(units)}, no whole number from 0 to ${MAX_COST}.`)
}

function askHost(cost: Exclude<RequestCost, number>, req: IncomingMessage): unknown {
  try {
    return cost(req)
  } catch (cause) {
    throw new Error('The cost of a guard failed.', { cause })
  }
}

function isCost(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COST
}
