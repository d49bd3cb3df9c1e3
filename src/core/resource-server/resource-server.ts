import type { Api, Limit } from '../../shared/contracts/api.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import type { EmitEarly } from '../../shared/contracts/events.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { LogRefusal } from '../http/refusal-log.js'
import type { OnDenied } from '../options/options.js'
import type { ReportOnlySettings } from '../options/read-report-only.js'
import type { PlanLimits, RateLimit, RateLimits } from '../rate-limits/rate-limits.js'
import type { AccessToken } from '../tokens/verify-access-token.js'
import { authOf } from './auth-of.js'
import { createAuthenticator } from './authenticate.js'
import { createGuardDecisions } from './guard-decisions.js'
import { createErrorResponder } from './error-responder.js'
import { createGuardFactory, type Guard } from './guard.js'
import {
  findApi,
  readAnyGuardOptions,
  readApiArguments,
  readVerifyOptions,
  refuseRequest,
  type GuardArguments,
} from './guard-arguments.js'
import type { ApiKeyGuardOptions, BearerGuardOptions, VerifyOptions } from './guard-options.js'
import { createGuards } from './guards.js'
import { Identity } from './identity.js'
import { createOutcomes, createRefusalReporter } from './outcomes.js'
import { createIntrospectionGuard } from './introspection-guard.js'
import { createReadCost, createRequestCounter, type RequestCounter } from './request-counter.js'
import { createVerifiers } from './verify.js'

/** The calls of `auth` that protect APIs. Their arguments are checked here; `GuardsApi` has the types. */
export function createResourceServer(
  options: Parameters<typeof createAuthenticator>[0] & {
    readonly apis: ReadonlyMap<
      string,
      Api & { readonly rateLimit: Limit | false; readonly reportOnly: ReportOnlySettings }
    >
    readonly limitFailures: RateLimit | undefined
    readonly rateLimits: Pick<RateLimits, 'create'>
    readonly plans: PlanLimits | undefined
    readonly available: (api: Api) => MaybePromise<void>
    readonly observers: ApiObservers
    readonly emit: EmitEarly
    readonly logRefusal: LogRefusal
    readonly waitToRefuse: Parameters<typeof createErrorResponder>[0]['waitToRefuse']
    readonly onDenied: OnDenied | undefined
    readonly warn: (message: string) => void
  },
) {
  const { apis, plans, available, observers, emit, logRefusal, waitToRefuse, onDenied, warn, now } = options
  const authenticator = createAuthenticator(options, options.limitFailures)
  const requestLimits = createRequestLimits(options)
  const outcomes = createOutcomes(emit)
  const decisions = createGuardDecisions()
  const readCost = createReadCost(plans)
  const reporter = createRefusalReporter({ observers, emit, outcomes, logRefusal, now })
  const responders = createErrorResponder({ decisions, outcomes, observers, logRefusal, reporter, waitToRefuse })
  const { respondWithError, respondWithDenial } = responders
  const guardSettings = {
    apis,
    reportOnlyOf: new Map([...apis.values()].map(({ name, reportOnly }) => [name, reportOnly])),
    reporter,
    createEnforcingGuard: createGuardFactory({
      available,
      requestLimits,
      observers,
      decisions,
      outcomes,
      respondWithError,
      respondWithDenial,
    }),
    respondWithDenial,
    observers,
    decisions,
    readCost,
    onDenied,
    warn,
    now,
  }
  const { guards, guardParts } = createGuards({ ...guardSettings, authenticator })
  const verifiers = createVerifiers({ authenticator, requestLimits, available, decisions })

  return {
    calls: {
      requireBearer(...args: GuardArguments): Guard {
        const { api, options: given } = readApiArguments<BearerGuardOptions>(apis, 'oauth2', args, readCost)
        return guards.bearer(api, given)
      },
      requireApiKey(...args: GuardArguments): Guard {
        const { api, options: given } = readApiArguments<ApiKeyGuardOptions>(apis, 'apiKey', args, readCost)
        return guards.apiKey(api, given)
      },
      requireAny(...args: GuardArguments): Guard {
        refuseRequest('requireAny', args)
        return guards.any(args[0], readAnyGuardOptions(args[1]))
      },
      /** `authOf()`, with the type that `PlatformAuth` gives it. */
      of: authOf,
      async verifyAccessToken(name: string, token: string, verifyOptions?: VerifyOptions) {
        const settings = readVerifyOptions('verifyAccessToken', verifyOptions)
        return verifiers.accessToken(findApi(apis, name, 'oauth2', 'verifyAccessToken'), token, settings)
      },
      async verifyApiKey(name: string, key: string, verifyOptions?: VerifyOptions) {
        const settings = readVerifyOptions('verifyApiKey', verifyOptions)
        return verifiers.apiKey(findApi(apis, name, 'apiKey', 'verifyApiKey'), key, settings)
      },
    },
    guardParts,
    /** Failures are counted by who asks. */
    guardIntrospected: createIntrospectionGuard(
      createAuthenticator(options, undefined),
      (given) => createGuards({ ...guardSettings, authenticator: given }).guardParts,
    ),
    /** The access token with the scopes that a guard of the API would grant; undefined if the guard would refuse it. */
    async findActiveToken(api: Api, token: string): Promise<AccessToken | undefined> {
      const identity = await authenticator.byAccessToken(api, token)
      if (!(identity instanceof Identity) || !identity.token) return undefined
      return { ...identity.token, scopes: identity.scopes }
    },
  }
}

/** The `requests` limit of each API, or of an application in place of it. */
function createRequestLimits(
  options: Pick<Parameters<typeof createResourceServer>[0], 'apis' | 'rateLimits' | 'plans' | 'observers' | 'now'>,
): ReadonlyMap<Api, RequestCounter> {
  const { apis, rateLimits, plans, observers, now } = options
  const limits = new Map<Api, RequestCounter>()
  for (const api of apis.values()) {
    const create = (name: string, limit: Limit | false, setBy: string) =>
      rateLimits.create(name, limit, { policy: api.name, setBy })
    const noted = observers.get(api.name)?.noted
    limits.set(api, createRequestCounter({ api, limit: api.rateLimit, create, limitByPlan: plans?.count, noted, now }))
  }
  return limits
}
