import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiObserver } from '../../shared/contracts/api-observer.js'
import type { AllowConfig, PassIfAllowed } from './allow.js'
import { setIdentity } from './auth-of.js'
import type { ErrorResponders } from './error-responder.js'
import { Failure } from './refusal.js'
import type { Identity } from './identity.js'
import { findUnmet, type FindRequirement } from './requirement.js'

type Pass = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void, identity: Identity) => void

/** When a second guard of the same API runs, only scopes and `allow` are checked. */
export function createPassAgain(options: {
  readonly config: Omit<AllowConfig, 'findRequirement'> & { readonly findRequirement: FindRequirement }
  readonly respondWithError: ErrorResponders['respondWithError']
  readonly passIfAllowed: PassIfAllowed
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
