import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { type Next, handOnFailure } from '../http/middleware.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { ApiObserver, ApiObservers } from '../../shared/contracts/api-observer.js'
import { createPassIfAllowed } from './allow.js'
import { findIdentity, setIdentity } from './auth-of.js'
import { findWrongArguments, type ErrorResponders } from './error-responder.js'
import { NO_CREDENTIAL, type GuardConfig, type MissingCredential, type Pass } from './guard-config.js'
import { callOtherGuard, type OtherIssuersGuard } from './other-issuers.js'
import type { GuardDecisions } from './guard-decisions.js'
import { Identity } from './identity.js'
import type { Outcomes } from './outcomes.js'
import { createPassIfCounted, type RequestCounter } from './request-counter.js'
import { PassportRequest } from './passport-adapter.js'
import { Failure } from './refusal.js'
import { findUnmet } from './requirement.js'

/** A guard: middleware for Express 4, Express 5 and connect. It leaves the types of a route's handlers as they are. */
export type Guard = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** The steps of a guard: read the credential, authenticate, check scopes, count the request, ask the host, call the handler. */
export function createGuardFactory(
  options: ErrorResponders & {
    /** Rejects while the platform cannot answer: before it is ready, or when the store has been unavailable for too long. */
    readonly available: (api: Api) => MaybePromise<void>
    readonly requestLimits: ReadonlyMap<Api, Pick<RequestCounter, 'countForGuard'>>
    readonly observers: ApiObservers
    readonly decisions: GuardDecisions
    readonly outcomes: Outcomes
  },
) {
  const { available, requestLimits, observers, decisions, outcomes, respondWithError, respondWithDenial } = options
  const passIfAllowed = createPassIfAllowed({ respondWithError, respondWithDenial })
  const passIfCounted = createPassIfCounted(respondWithError)

  return function createGuard(config: GuardConfig): Guard {
    const { api, findRequirement, allow, optional, otherIssuers, header, readCredential, recall, authenticate } = config
    const noted = { api: api.name, accepts: config.accepts, denied: undefined, hasOwnAnswer: false }
    const countRequest = requestLimits.get(api)!.countForGuard
    const countAllowed = observers.get(api.name)?.allowed
    const passAgain = createPassAgain({ config, respondWithError, passIfAllowed, countAllowed })

    return function platformAuthGuard(req, res, next) {
      const earlier = findIdentity(req, api)
      if (earlier) return passAgain(req, res, next, earlier)
      const credential = readCredential(req)
      if (typeof credential !== 'string') return passWithout(req, res, next, credential)
      const ready = available(api)
      if (!(ready instanceof Promise)) decide(credential, req, res, next)
      else if (otherIssuers?.isOfOtherIssuer(credential)) {
        // The platform's state does not matter here.
        ready.catch(() => undefined)
        passToHost(otherIssuers.guard, req, res, next)
      } else decideAfter(ready, credential, req, res, next)
    }

    function passWithout(req: IncomingMessage, res: ServerResponse, next: Next, missing: MissingCredential): void {
      if (missing !== NO_CREDENTIAL || !optional) return respondWithError(config, missing.reason, req, res, next)
      const wrongArguments = findWrongArguments(res)
      if (wrongArguments) return next(wrongArguments)
      decisions.note?.({ kind: 'optional', ...noted })
      setIdentity(req, undefined)
      config.prepareResponse?.(res)
      next()
    }

    function passToHost(guard: OtherIssuersGuard, req: IncomingMessage, res: ServerResponse, next: Next): void {
      decisions.note?.({ kind: 'otherIssuers', ...noted })
      setIdentity(req, undefined)
      config.prepareResponse?.(res)
      callOtherGuard(guard, req, res, next)
    }

    // The asynchronous cases are functions of their own, for the memory of a request (docs/architecture.md, "Why it is fast").
    function decideAfter(
      ready: Promise<void>,
      credential: string,
      req: IncomingMessage,
      res: ServerResponse,
      next: Next,
    ): void {
      const waitsSince = performance.now()
      const decided = ready.then(
        () => decide(credential, req, res, next, waitsSince),
        (problem: unknown) => respondWithError(config, problem, req, res, next),
      )
      handOnFailure(decided, res, next)
    }

    function decide(credential: string, req: IncomingMessage, res: ServerResponse, next: Next, waitsSince?: number) {
      const recalled = recallSafely(recall, credential, req)
      if (recalled instanceof Identity) {
        // The host's time-out may have answered meanwhile; the handler would answer a second time.
        if (waitsSince === undefined || !res.headersSent) authorize(req, res, next, recalled)
      } else if (otherIssuers?.isOfOtherIssuer(credential)) passToHost(otherIssuers.guard, req, res, next)
      else if (recalled === null) {
        const passportRequest = new PassportRequest(api, { [header]: credential }, req, res, next, waitsSince)
        authenticate(passportRequest, authorizeVerified)
      } else if (recalled instanceof Promise) refuseAfter(recalled, req, res, next)
      else respondWithError(config, recalled, req, res, next)
    }

    function refuseAfter(counted: Promise<unknown>, req: IncomingMessage, res: ServerResponse, next: Next): void {
      const refuse = (problem: unknown): void => respondWithError(config, problem, req, res, next)
      handOnFailure(counted.then(refuse, refuse), res, next)
    }

    function authorizeVerified(passportRequest: PassportRequest, problem: unknown, identity?: Identity): void {
      const { request, response, next } = passportRequest
      if (!identity) respondWithError(config, problem, request, response, next)
      // See decide().
      else if (!response.headersSent) authorize(request, response, next, identity)
    }

    function authorize(req: IncomingMessage, res: ServerResponse, next: Next, identity: Identity): void {
      const unmet = identity.isFromItsNetworks(req) ? findUnmet(identity, findRequirement(req)) : 'networkNotAllowed'
      if (unmet !== undefined) return respondWithError(config, new Failure(unmet, identity), req, res, next)
      passIfCounted(config, countRequest, req, res, next, identity, askHost)
    }

    function askHost(req: IncomingMessage, res: ServerResponse, next: Next, identity: Identity): void {
      if (allow) passIfAllowed(config, req, res, next, identity, pass)
      else pass(req, res, next, identity)
    }

    function pass(req: IncomingMessage, res: ServerResponse, next: Next, identity: Identity): void {
      try {
        config.hideCredential?.(req)
      } catch (error) {
        return respondWithError(config, new Failure(error, identity), req, res, next)
      }
      setIdentity(req, identity)
      config.prepareResponse?.(res)
      countAllowed?.(identity.application.id, 1, req, res)
      outcomes.allow({ api: api.name, applicationId: identity.application.id }, req, res, config.readClient)
      next()
    }
  }
}

/** When a second guard of the same API runs, only scopes and `allow` are checked. */
function createPassAgain(options: {
  readonly config: GuardConfig
  readonly respondWithError: ErrorResponders['respondWithError']
  readonly passIfAllowed: ReturnType<typeof createPassIfAllowed>
  readonly countAllowed: ApiObserver['allowed']
}): Pass {
  const { config, respondWithError, passIfAllowed, countAllowed } = options
  const { findRequirement, allow } = config

  const keepCounted: Pass = (req, res, next, earlier) => {
    countAllowed?.(earlier.application.id, 1, req, res)
    keep(req, res, next, earlier)
  }

  return function passAgain(req, res, next, earlier) {
    const unmet = findUnmet(earlier, findRequirement(req))
    if (unmet === undefined && !allow) return keep(req, res, next, earlier)
    // The earlier guard counted it as allowed, and this one may refuse it.
    countAllowed?.(earlier.application.id, -1, req, res)
    if (unmet === undefined) passIfAllowed(config, req, res, next, earlier, keepCounted)
    else respondWithError(config, new Failure(unmet, earlier), req, res, next)
  }
}

const keep: Pass = (req, _res, next, identity) => {
  setIdentity(req, identity)
  next()
}

function recallSafely(recall: GuardConfig['recall'], credential: string, req: IncomingMessage): unknown {
  try {
    return recall(credential, req)
  } catch (error) {
    return error ?? new Error('A credential could not be checked.')
  }
}
