import { findApplicationLimit } from '../applications/records/application-limits.js'
import type { ApplicationRecord } from '../../shared/contracts/application-record.js'
import { ConfigurationError } from '../../shared/contracts/errors.js'
import { describeValue, invalidOption } from '../../shared/lib/option-checks.js'
import type { Api, Limit } from '../../shared/contracts/api.js'
import type { ApiObserver } from '../../shared/contracts/api-observer.js'
import { createBoundedCache } from '../../shared/lib/bounded-cache.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { LimitByPlan, LimitHeaders, PlanLimits, RateLimit } from '../rate-limits/rate-limits.js'
import { findIdentity, findRequest } from './auth-of.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { handOnFailure } from '../http/middleware.js'
import type { Identity } from './identity.js'
import type { ErrorResponders } from './error-responder.js'
import type { GuardConfig, Pass } from './guard-config.js'
import type { RequestCost } from './guard-options.js'
import { Failure } from './refusal.js'

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
  throw new Error(
    `The cost of a guard returned ${describeValue(units, 'nothing')}, no whole number from 0 to ${MAX_COST}.`,
  )
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

/** The headers of the answer; undefined if nothing limits the request. */
type Counted = MaybePromise<LimitHeaders> | undefined

const OWN_LIMIT =
  "the application's rateLimit: auth.applications.allow(id, api, { rateLimit }), or update(id, { rateLimits })"
/** How many limits of applications have a counter at a time. Each differs from the others: those that are equal share one. */
const MAX_OWN_LIMITS = 1000

/** Counts requests toward the limit at an API and units toward the plan. Throws or rejects with 429 above one. */
export type RequestCounter = ReturnType<typeof createRequestCounter>

export function createRequestCounter(options: {
  readonly api: Api
  readonly limit: Limit | false
  /** Creates a counter for all applications with that limit. */
  readonly create: (name: string, limit: Limit | false, setBy: string) => RateLimit | undefined
  readonly limitByPlan: LimitByPlan | undefined
  /** Called with the units of each request that is counted. */
  readonly noted: ApiObserver['noted']
  readonly now: () => number
}) {
  const { api, limit, create, limitByPlan, noted, now } = options
  const name = `requests:${api.name}`
  const ofApi = create(name, limit, `apis.${api.name}.rateLimit, or rateLimits.requests if it has none`)
  const own = createBoundedCache<RateLimit>({ entries: MAX_OWN_LIMITS })
  /** What verifiers have counted, by application. Guards record nothing: their identity is found. */
  const counted = new WeakMap<object, Map<string, Counted>>()
  let isNoted = false

  /** The plan comes last: a request that the API's limit refuses uses nothing of a quota. */
  function count(application: ApplicationRecord, units: number, req?: object): Counted {
    if (noted && req) noted({ units }, req)
    const limited = countAtApi(application)
    if (!limitByPlan) return limited
    if (!limited) return limitByPlan(application, units)
    return limited instanceof Promise
      ? limited.then((headers) => addPlan(headers, limitByPlan(application, units)))
      : addPlan(limited, limitByPlan(application, units))
  }

  function countAtApi({ id, rateLimits }: ApplicationRecord): Counted {
    const limit = rateLimits && findApplicationLimit(rateLimits, api.name, now())
    if (!limit) return ofApi?.(id)
    // A limit that is given again begins a new window, in Redis for all processes.
    return findOwn(limit)(limit.id === undefined ? id : `${id}:${limit.id}`)
  }

  function findOwn(given: Limit): RateLimit {
    const key = `${given.limit}/${given.window}`
    const known = own.get(key)
    if (known) return known
    const created = create(`${name}:${key}`, { limit: given.limit, window: given.window }, OWN_LIMIT)!
    own.set(key, created)
    return created
  }

  return {
    countForGuard: (application: ApplicationRecord, units: number, req: object): Counted =>
      (isNoted && counted.get(req)?.get(application.id)) || count(application, units, req),
    /** A request that a guard or a verifier has counted already for that application is not counted again. */
    countForVerifier(application: ApplicationRecord, units: number, req: object | undefined): Counted {
      if (req === undefined) return count(application, units)
      const request = findRequest(req)
      if (findIdentity(request, api)?.application.id === application.id) return undefined
      const ofRequest = counted.get(request) ?? new Map<string, Counted>()
      const earlier = ofRequest.get(application.id)
      if (earlier) return earlier
      const limited = count(application, units, request)
      if (!limited) return undefined
      isNoted = true
      counted.set(request, ofRequest.set(application.id, limited))
      return limited
    },
  }
}

function addPlan(headers: LimitHeaders, ofPlan: Counted): MaybePromise<LimitHeaders> {
  if (ofPlan instanceof Promise) return ofPlan.then((others) => joinHeaders(headers, others))
  return ofPlan ? joinHeaders(headers, ofPlan) : headers
}

/** Both headers are lists. */
function joinHeaders(one: LimitHeaders, other: LimitHeaders): LimitHeaders {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, [one[name], other[name]].filter(Boolean).join(', ')]))
}

/** Counts a request toward its limits, and calls `pass` or refuses. */
type PassIfCounted = (
  config: GuardConfig,
  count: RequestCounter['countForGuard'],
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
  identity: Identity,
  pass: Pass,
) => void

export function createPassIfCounted(respondWithError: ErrorResponders['respondWithError']): PassIfCounted {
  // The asynchronous case is a function of its own, for the reason in guard.ts.
  const passAfter = (counted: Promise<LimitHeaders>, ...args: Parameters<PassIfCounted>): void => {
    const [config, , req, res, next, identity, pass] = args
    const passed = counted.then(
      (headers) => {
        // The host's time-out may have answered meanwhile; the handler would answer a second time.
        if (res.headersSent) return
        appendHeaders(res, headers)
        pass(req, res, next, identity)
      },
      (problem: unknown) => respondWithError(config, new Failure(problem, identity), req, res, next),
    )
    handOnFailure(passed, res, next)
  }

  return function passIfCounted(config, count, req, res, next, identity, pass) {
    let counted: Counted
    try {
      counted = count(identity.application, countUnits(config.cost, req), req)
    } catch (problem) {
      return respondWithError(config, new Failure(problem, identity), req, res, next)
    }
    if (counted instanceof Promise) return passAfter(counted, config, count, req, res, next, identity, pass)
    if (counted) appendHeaders(res, counted)
    pass(req, res, next, identity)
  }
}

/** The headers are appended to: both are lists, and the host may have limits of its own. */
function appendHeaders(res: ServerResponse, headers: LimitHeaders): void {
  for (const name in headers) if (Object.hasOwn(headers, name)) res.appendHeader(name, headers[name]!)
}
