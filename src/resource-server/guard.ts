import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiSettings } from '../options/settings.js'
import type { Emit } from '../contracts/events.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { LimitHeaders, RateLimit } from '../rate-limits/rate-limit.js'
import { establish } from './auth-info.js'
import { denier, type DenierOptions, type DenyPlan } from './deny.js'
import type { Identity } from './authenticate.js'
import { PassportRequest, type Authenticate } from './passport-adapter.js'

/** A guard: middleware that Express 4, Express 5 and connect take alike, and that leaves a route's types as they are. */
export type Guard = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** What makes one guard differ from another. */
export interface GuardConfig extends DenyPlan {
  readonly api: ApiSettings
  readonly scopes: readonly string[]
  readonly optional: boolean
  readonly authenticate: Authenticate
  /** The header that holds the credential, and no other; or the reason why there is nothing to authenticate. */
  readonly readCredential: (req: IncomingMessage) => PassportRequest['headers'] | string
  /** Readies a good answer, before the handler does. */
  readonly prepare?: (res: ServerResponse) => void
}

export interface GuardMakerOptions extends DenierOptions {
  /** Rejects while the platform can't answer: not ready, or out of touch with its store for too long. */
  readonly available: () => MaybePromise<void>
  /** The `requests` limit of the APIs that have one. */
  readonly requestLimits: ReadonlyMap<ApiSettings, RateLimit>
  readonly emit: Emit
}

/** How a guarded request goes: read the credential, authenticate it behind a passportRequest, authorize, count, pass. */
export function guardMaker({ available, requestLimits, ...options }: GuardMakerOptions): (plan: GuardConfig) => Guard {
  /** Whom an earlier guard on the same request has let pass. */
  const passed = new WeakMap<IncomingMessage, Identity>()
  const deny = denier(options)

  return function makeGuard(plan) {
    const { api, scopes, optional, authenticate } = plan
    const countRequest = requestLimits.get(api)

    return function platformAuthGuard(req, res, next) {
      const earlier = passed.get(req)
      if (earlier?.api === api) {
        if (isAllowed(earlier)) next()
        else deny(plan, 'scopeMissing', earlier.application.id, req, res, next)
        return
      }
      const credential = plan.readCredential(req)
      if (credential === 'noCredential' && optional) {
        plan.prepare?.(res)
        return next()
      }
      if (typeof credential === 'string') return deny(plan, credential, undefined, req, res, next)

      const passportRequest = new PassportRequest(api, credential, req, res, next)
      const ready = available()
      if (ready instanceof Promise) authenticateAfter(ready, passportRequest)
      else authenticate(passportRequest, authorize)
      passportRequest.waited = true
    }

    // Waiting has functions of its own: what a closure uses, V8 allocates for every request, made or not.
    function authenticateAfter(ready: Promise<void>, passportRequest: PassportRequest): void {
      ready.then(
        () => authenticate(passportRequest, authorize),
        (problem: unknown) => refuse(passportRequest, problem),
      )
    }

    function authorize(passportRequest: PassportRequest, problem: unknown, identity?: Identity): void {
      if (!identity) return refuse(passportRequest, problem)
      if (!isAllowed(identity)) return refuse(passportRequest, 'scopeMissing', identity)
      if (countRequest) passAfter(countRequest(identity.application.id), passportRequest, identity)
      else pass(passportRequest, identity)
    }

    function passAfter(counted: Promise<LimitHeaders>, passportRequest: PassportRequest, identity: Identity): void {
      counted.then(
        (standing) => pass(passportRequest, identity, standing),
        (tooMany: unknown) => refuse(passportRequest, tooMany, identity),
      )
    }

    function isAllowed(identity: Identity): boolean {
      return scopes.every((scope) => identity.scopes.includes(scope))
    }

    function pass(
      { request, response, next, waited }: PassportRequest,
      identity: Identity,
      standing?: LimitHeaders,
    ): void {
      // The host's own time-out has answered meanwhile: the route would answer a second time.
      if (waited && response.headersSent) return
      passed.set(request, identity)
      establish(request, identity)
      plan.prepare?.(response)
      // Beside what the host's own limits say: both headers are lists.
      for (const name in standing) response.appendHeader(name, standing[name]!)
      options.emit('request.allowed', { api: api.name, applicationId: identity.application.id }, request)
      next()
    }

    function refuse({ request, response, next }: PassportRequest, problem: unknown, identity?: Identity): void {
      deny(plan, problem, identity?.application.id, request, response, next)
    }
  }
}
