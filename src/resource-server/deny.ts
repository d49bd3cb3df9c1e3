import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiSettings } from '../options/settings.js'
import type { Denial } from '../contracts/errors.js'
import type { Emit } from '../contracts/events.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { rootCause, toDenial, sendDenial } from '../http/respond.js'
import type { OnDenied } from '../options/options.js'
import type { ErrorResponses } from './error-responses.js'

/** What a guard's refusals go by. */
export interface DenyPlan {
  readonly api: ApiSettings
  readonly refusals: ErrorResponses
  readonly onDenied: OnDenied | undefined
}

export interface DenierOptions {
  readonly emit: Emit
  readonly logRefusal: LogRefusal
}

/** Refuses a request; `problem` is one of the plan's refusals by its name, or whatever was thrown. */
export type Deny = (
  plan: DenyPlan,
  problem: unknown,
  applicationId: string | undefined,
  req: IncomingMessage,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void

export function denier({ emit, logRefusal }: DenierOptions): Deny {
  return function deny({ api, refusals, onDenied }, problem, applicationId, req, res, next) {
    const denied = (typeof problem === 'string' ? refusals[problem] : undefined) ?? toDenial(problem)
    emit('request.denied', { api: api.name, applicationId, reason: denied.error }, req)
    logRefusal(api.name, denied, rootCause(problem))
    if (!onDenied) return sendDenial(req, res, denied)

    try {
      // Whatever can be waited for, not this realm's promises alone.
      Promise.resolve(onDenied(denied, req, res, answerOrFail)).catch(failed)
    } catch (error) {
      failed(error)
    }

    /** The `next` that `onDenied` gets: it may hand on an error, and can't reach the route. */
    function answerOrFail(error?: unknown): void {
      // What Express takes for no error, or for a way around the rest of the route, is no error here.
      if (!error || error === 'route' || error === 'router') sendDenial(req, res, denied)
      else next(error)
    }

    function failed(error: unknown): void {
      const unexpected: Denial = toDenial(error)
      logRefusal(api.name, unexpected, rootCause(error))
      sendDenial(req, res, unexpected)
    }
  }
}
