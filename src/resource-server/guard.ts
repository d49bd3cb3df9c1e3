import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../contracts/api.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { LimitHeaders, RateLimit } from '../rate-limits/rate-limit.js'
import { setAuthInfo } from './auth-info.js'
import type { Identity } from './authenticate.js'
import { createErrorResponder, type ErrorResponderOptions, type ErrorResponseConfig } from './error-responses.js'
import { PassportRequest, type AuthenticateRequest } from './passport-adapter.js'

/** A guard: middleware for Express 4, Express 5 and connect. It leaves the types of a route's handlers as they are. */
export type Guard = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** What differs between guards. */
export interface GuardConfig extends ErrorResponseConfig {
  readonly scopes: readonly string[]
  readonly optional: boolean
  readonly authenticate: AuthenticateRequest
  /** The one header that holds the credential; or the key of `errors` if there is no credential to authenticate. */
  readonly readCredential: (req: IncomingMessage) => PassportRequest['headers'] | string
  /** Sets the headers of an answer before the handler runs. */
  readonly prepareResponse: ((res: ServerResponse) => void) | undefined
}

export interface GuardFactoryOptions extends ErrorResponderOptions {
  /** Rejects while the platform cannot answer: before it is ready, or when the store has been unavailable for too long. */
  readonly available: () => MaybePromise<void>
  /** The `requests` limit of the APIs that have one. */
  readonly requestLimits: ReadonlyMap<Api, RateLimit>
}

/** What a guard does: read the credential, authenticate, check scopes, count the request, call the handler. */
export function createGuardFactory(options: GuardFactoryOptions): (config: GuardConfig) => Guard {
  const { available, requestLimits, emit } = options
  /** The identities that earlier guards have established, by API and request. */
  const identitiesByApi = new Map<Api, WeakMap<IncomingMessage, Identity>>()
  const respondWithError = createErrorResponder(options)

  return function createGuard(config) {
    const { api, scopes, optional, authenticate } = config
    const limitRequests = requestLimits.get(api)
    const identities = identitiesByApi.get(api) ?? new WeakMap<IncomingMessage, Identity>()
    identitiesByApi.set(api, identities)

    return function platformAuthGuard(req, res, next) {
      const earlier = identities.get(req)
      if (earlier) {
        if (!hasScopes(earlier))
          return respondWithError(config, 'insufficientScope', earlier.application.id, req, res, next)
        setAuthInfo(req, earlier)
        return next()
      }
      const credential = config.readCredential(req)
      if (credential === 'noCredential' && optional) {
        setAuthInfo(req, undefined)
        config.prepareResponse?.(res)
        return next()
      }
      if (typeof credential === 'string') return respondWithError(config, credential, undefined, req, res, next)

      const passportRequest = new PassportRequest(api, credential, req, res, next)
      const ready = available()
      if (ready instanceof Promise) authenticateAfter(ready, passportRequest)
      else authenticate(passportRequest, authorize)
      passportRequest.hasWaited = true
    }

    // The asynchronous cases are separate functions: V8 allocates the context of a closure for every request, even if the
    // closure is not created. test/hot-paths.integration.test.ts counts the memory of a request.
    function authenticateAfter(ready: Promise<void>, passportRequest: PassportRequest): void {
      passportRequest.waitsSince = performance.now()
      ready.then(
        () => authenticate(passportRequest, authorize),
        (problem: unknown) => refuse(passportRequest, problem),
      )
    }

    function authorize(passportRequest: PassportRequest, problem: unknown, identity?: Identity): void {
      if (!identity) return refuse(passportRequest, problem)
      if (!hasScopes(identity)) return refuse(passportRequest, 'insufficientScope', identity)
      if (limitRequests) passAfter(limitRequests(identity.application.id), passportRequest, identity)
      else pass(passportRequest, identity)
    }

    function hasScopes(identity: Identity): boolean {
      return scopes.every((scope) => identity.scopes.includes(scope))
    }

    function passAfter(counted: Promise<LimitHeaders>, passportRequest: PassportRequest, identity: Identity): void {
      counted.then(
        (limitHeaders) => pass(passportRequest, identity, limitHeaders),
        (problem: unknown) => refuse(passportRequest, problem, identity),
      )
    }

    function pass(
      { request, response, next, hasWaited }: PassportRequest,
      identity: Identity,
      limitHeaders?: LimitHeaders,
    ): void {
      // The host's time-out may have answered meanwhile; the handler would answer a second time.
      if (hasWaited && response.headersSent) return
      identities.set(request, identity)
      setAuthInfo(request, identity)
      config.prepareResponse?.(response)
      // Appended, since both headers are lists and the host may have limits of its own.
      for (const name in limitHeaders)
        if (Object.hasOwn(limitHeaders, name)) response.appendHeader(name, limitHeaders[name]!)
      emit('request.allowed', { api: api.name, applicationId: identity.application.id }, request, config.readClient)
      next()
    }

    function refuse({ request, response, next }: PassportRequest, problem: unknown, identity?: Identity): void {
      respondWithError(config, problem, identity?.application.id, request, response, next)
    }
  }
}
