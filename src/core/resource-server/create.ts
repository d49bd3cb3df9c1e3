import type { ResourceServer, ResourceServerOptions } from './resource-server.js'
import type { Api, Limit } from '../../shared/contracts/api.js'
import { authOf } from './auth-of.js'
import { createAuthenticator } from './authenticate.js'
import { findApi, readAnyGuardOptions, readApiArguments, readVerifyOptions, refuseRequest } from './guard-arguments.js'
import type { ApiKeyGuardOptions, BearerGuardOptions } from './guard-options.js'
import { createReadCost } from './cost.js'
import { createDecisions } from './decisions.js'
import { createGuards } from './guards.js'
import { createOutcomes } from './outcomes.js'
import { createRequestCounter, type RequestCounter } from './request-counter.js'
import { createRefusalReporter } from './report-only.js'
import { Identity } from './identity.js'
import { createVerifiers } from './verify.js'

export function createResourceServer({ apis, rateLimits, plans, ...options }: ResourceServerOptions): ResourceServer {
  const authenticator = createAuthenticator(options)
  const requestLimits = createRequestLimits({ ...options, apis, rateLimits, plans })
  const outcomes = createOutcomes(options.emit)
  const decisions = createDecisions()
  const reporter = createRefusalReporter({ ...options, outcomes })
  const reportOnlyOf = new Map([...apis.values()].map(({ name, reportOnly }) => [name, reportOnly]))
  const readCost = createReadCost(plans)
  const guards = createGuards({
    ...options,
    apis,
    authenticator,
    requestLimits,
    reportOnlyOf,
    reporter,
    outcomes,
    readCost,
    decisions,
  })
  const verifiers = createVerifiers({ authenticator, requestLimits, available: options.available, decisions })

  return {
    requireBearer(...args) {
      const { api, options: guardOptions } = readApiArguments<BearerGuardOptions>(apis, 'oauth2', args, readCost)
      return guards.bearer(api, guardOptions)
    },
    requireApiKey(...args) {
      const { api, options: guardOptions } = readApiArguments<ApiKeyGuardOptions>(apis, 'apiKey', args, readCost)
      return guards.apiKey(api, guardOptions)
    },
    requireAny(...args) {
      refuseRequest('requireAny', args)
      return guards.any(args[0], readAnyGuardOptions(args[1]))
    },
    of: authOf,
    async verifyAccessToken(name, token, verifyOptions) {
      const settings = readVerifyOptions('verifyAccessToken', verifyOptions)
      return verifiers.accessToken(findApi(apis, name, 'oauth2', 'verifyAccessToken'), token, settings)
    },
    async verifyApiKey(name, key, verifyOptions) {
      const settings = readVerifyOptions('verifyApiKey', verifyOptions)
      return verifiers.apiKey(findApi(apis, name, 'apiKey', 'verifyApiKey'), key, settings)
    },
    guardParts: guards.parts,
    async findActiveToken(api, token) {
      const identity = await authenticator.byAccessToken(api, token)
      if (!(identity instanceof Identity) || !identity.token) return undefined
      return { ...identity.token, scopes: identity.scopes }
    },
  }
}

/** The `requests` limit of each API, or of an application in place of it. */
function createRequestLimits({
  apis,
  rateLimits,
  plans,
  observers,
  now,
}: Pick<ResourceServerOptions, 'apis' | 'rateLimits' | 'plans' | 'observers' | 'now'>): ReadonlyMap<
  Api,
  RequestCounter
> {
  const limits = new Map<Api, RequestCounter>()
  for (const api of apis.values()) {
    const create = (name: string, limit: Limit | false, setBy: string) =>
      rateLimits.create(name, limit, { policy: api.name, setBy })
    const noted = observers.get(api.name)?.noted
    limits.set(api, createRequestCounter({ api, limit: api.rateLimit, create, limitByPlan: plans?.count, noted, now }))
  }
  return limits
}
