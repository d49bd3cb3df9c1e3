import type { RefusedCaller, RefusalReporter, ReportingConfig } from './refusal-reporter.js'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Next } from './guard-config.js'
import type { Emit } from '../../shared/contracts/events.js'
import { handOnFailure } from '../http/hand-on-failure.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { whenAnswered } from '../http/when-answered.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import { setIdentity } from './auth-of.js'
import { callOtherGuard } from './other-issuers.js'
import { Identity } from './identity.js'
import type { Outcomes } from './outcomes.js'

export interface RefusalReporterOptions {
  readonly observers: ApiObservers
  readonly emit: Emit
  readonly outcomes: Outcomes
  readonly logRefusal: LogRefusal
  readonly now: () => number
}

export function createRefusalReporter({
  observers,
  emit,
  outcomes,
  logRefusal,
  now,
}: RefusalReporterOptions): RefusalReporter {
  /** The requests that a guard would have refused, and their callers. */
  const reported = new WeakMap<IncomingMessage, { readonly api: string; readonly identity: Identity | undefined }>()

  // If `now()` returns NaN the comparison is false, so the guard refuses.
  const reports: RefusalReporter['reports'] = ({ reportOnly }) => reportOnly !== undefined && now() < reportOnly.until

  return {
    reports,
    report(config, denied, reason, caller, req, res, next, cause) {
      const { api, hostGuard, readClient, hideCredential, prepareResponse } = config
      const identity = denied.status < 500 && caller instanceof Identity ? copyIdentity(caller) : undefined
      if (!reported.has(req)) {
        const applicationId = findApplicationId(caller)
        reported.set(req, { api: api.name, identity })
        outcomes.forget(req)
        emit('request.reported', { api: api.name, applicationId, error: denied.error, reason }, req, readClient)
        logRefusal(`${api.name} (not enforced)`, denied, cause, reason)
        const at = now()
        // The count waits for the answer: only then is the final route known.
        const observe = observers.get(api.name)?.reported
        if (observe) whenAnswered(res, () => observe({ applicationId, reason, at }, req))
      }
      // The host's time-out may have answered meanwhile; the handler would answer a second time.
      if (res.headersSent) return
      setIdentity(req, hostGuard ? undefined : identity)
      // What the platform does not know may be a credential of the host. Every other one is, or may be, a good one.
      if (caller !== undefined || denied.status === 400 || denied.status >= 500) hideCredential?.(req)
      prepareResponse?.(res)
      goOn(config, req, res, next)
    },
    skipReported(config, guard) {
      return function platformAuthReportingGuard(req, res, next) {
        if (!reported.has(req) || !reports(config)) return guard(req, res, next)
        // An enforcing guard would have ended the request here: neither limits nor an `allow` may count it.
        const { identity, ...earlier } = reported.get(req)!
        const { api, hostGuard, hideCredential } = config
        // Nobody has judged it.
        if (earlier.api !== api.name) hideCredential?.(req)
        setIdentity(req, !hostGuard && identity?.api.name === api.name ? identity : undefined)
        goOn(config, req, res, next)
      }
    },
  }
}

/** Calls the handler without any credential of this platform, or the host's own guard, which decides as before. */
function goOn({ hostGuard, hideOthers }: ReportingConfig, req: IncomingMessage, res: ServerResponse, next: Next): void {
  const proceed = (): void => {
    // See report().
    if (res.headersSent) return
    if (hostGuard) callOtherGuard(hostGuard, req, res, next)
    else next()
  }
  const hidden = hideOthers?.(req)
  if (hidden) handOnFailure(hidden.then(proceed), res, next)
  else proceed()
}

export function findApplicationId(caller: RefusedCaller): string | undefined {
  return caller instanceof Identity ? caller.application.id : caller
}

/**
 * Copies the API object, so that later guards verify the request again; `maybeAuthOf()` still finds it by the API's name.
 */
function copyIdentity({ api, application, scopes, token, networks }: Identity): Identity {
  return new Identity({ ...api }, application, scopes, token, networks)
}
