import type { IncomingMessage, ServerResponse } from 'node:http'
import { handOnFailure } from '../http/middleware.js'
import type { LimitHeaders } from '../rate-limits/rate-limits.js'
import { countUnits, type RequestCost } from './cost.js'
import type { Identity } from './identity.js'
import type { Counted, RequestCounter } from './request-counter.js'
import type { ErrorResponders, ErrorResponseConfig } from './error-responder.js'
import { Failure } from './refusal.js'

type Pass = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void, identity: Identity) => void

/** Counts a request toward its limits, and calls `pass` or refuses. */
export type PassIfCounted = (
  config: ErrorResponseConfig & { readonly cost: RequestCost },
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
