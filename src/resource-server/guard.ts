import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiSettings } from '../api-options.js'
import type { Emit } from '../events.js'
import type { Eventually } from '../eventually.js'
import type { LimitHeaders, RateLimit } from '../limits/rate-limit.js'
import { establish } from './auth-info.js'
import { denier, type DenierOptions, type DenyPlan } from './deny.js'
import type { Identity } from './identity.js'
import type { Authenticate, Facade } from './passport.js'

/** A guard: middleware that Express 4, Express 5 and connect take alike, and that leaves a route's types as they are. */
export type Guard = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** What makes one guard differ from another. */
export interface GuardPlan extends DenyPlan {
  readonly api: ApiSettings
  readonly scopes: readonly string[]
  readonly optional: boolean
  readonly authenticate: Authenticate
  /** The facade to authenticate, or the reason why there is nothing to authenticate. */
  readonly readFacade: (req: IncomingMessage) => Facade | string
  /** Readies a good answer, before the handler does. */
  readonly prepare?: (res: ServerResponse) => void
}

export interface GuardMakerOptions extends DenierOptions {
  /** Rejects while the platform can't answer: not ready, or out of touch with its store for too long. */
  readonly available: () => Eventually<void>
  /** The `requests` limit of the APIs that have one. */
  readonly requestLimits: ReadonlyMap<ApiSettings, RateLimit>
  readonly emit: Emit
}

/** How a guarded request goes: read the credential, authenticate it behind a facade, authorize, count, pass. */
export function guardMaker({ available, requestLimits, ...options }: GuardMakerOptions): (plan: GuardPlan) => Guard {
  /** Whom an earlier guard on the same request has let pass. */
  const passed = new WeakMap<IncomingMessage, Identity>()
  const deny = denier(options)

  return function makeGuard(plan) {
    const { api, scopes, authenticate } = plan
    const countRequest = requestLimits.get(api)

    return function platformAuthGuard(req, res, next) {
      const earlier = passed.get(req)
      if (earlier?.api === api) {
        if (allowed(earlier)) next()
        else refuse('scopeMissing', earlier)
        return
      }
      const facade = plan.readFacade(req)
      if (facade === 'noCredential' && plan.optional) {
        plan.prepare?.(res)
        return next()
      }
      if (typeof facade === 'string') return refuse(facade)

      let waited = false
      const ready = available()
      if (ready instanceof Promise) void ready.then(() => authenticate(facade, authorize), refuse)
      else authenticate(facade, authorize)
      waited = true

      function authorize(problem: unknown, identity?: Identity): void {
        if (!identity) return refuse(problem)
        if (!allowed(identity)) return refuse('scopeMissing', identity)
        if (!countRequest) return pass(identity)
        void countRequest(identity.application.id).then(
          (standing) => pass(identity, standing),
          (tooMany: unknown) => refuse(tooMany, identity),
        )
      }

      function pass(identity: Identity, standing?: LimitHeaders): void {
        // The host's own time-out has answered meanwhile: the route would answer a second time.
        if (waited && res.headersSent) return
        passed.set(req, identity)
        establish(req, identity)
        plan.prepare?.(res)
        // Beside what the host's own limits say: both headers are lists.
        for (const name in standing) res.appendHeader(name, standing[name]!)
        options.emit('request.allowed', { api: api.name, applicationId: identity.application.id }, req)
        next()
      }

      function refuse(problem: unknown, identity?: Identity): void {
        deny(plan, problem, identity?.application.id, req, res, next)
      }
    }

    function allowed(identity: Identity): boolean {
      return scopes.every((scope) => identity.scopes.includes(scope))
    }
  }
}
