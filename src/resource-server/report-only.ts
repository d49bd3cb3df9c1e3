import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '../contracts/api.js'
import type { Denial } from '../contracts/denial.js'
import type { Emit, ReadClient } from '../contracts/events.js'
import type { LogRefusal } from '../http/refusal-log.js'
import type { ReportedCollector } from '../usage/reported-collector.js'
import { setIdentity } from './auth-of.js'
import { callOtherGuard, type OtherIssuersGuard } from './other-issuers.js'
import { Identity } from './identity.js'
import type { Outcomes } from './outcomes.js'
import { describeRoute } from './route-name.js'
import { whenAnswered } from './when-answered.js'

/** The time until which a guard only reports its refusals. */
export interface ReportOnly {
  /** Milliseconds since 1970; Infinity if there is no end. */
  readonly until: number
}

/** The caller of a refused request: as authenticated, or the id of an application whose credential is not good. */
export type RefusedCaller = Identity | string | undefined

interface ReportingConfig {
  readonly api: Api
  readonly reportOnly: ReportOnly | undefined
  readonly hostGuard: OtherIssuersGuard | undefined
  readonly readClient: ReadClient
  readonly prepareResponse: ((res: ServerResponse) => void) | undefined
}

type Handle = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** The behaviour of report-only guards toward requests that they would refuse. */
export interface RefusalReporter {
  /** Whether a guard reports now. */
  reports(config: Pick<ReportingConfig, 'reportOnly'>): boolean
  /** Counts the request, once for all guards, and lets it go on, or leaves it to the host's guard. */
  report(
    config: ReportingConfig,
    denied: Denial,
    reason: string,
    caller: RefusedCaller,
    req: IncomingMessage,
    res: ServerResponse,
    next: (error?: unknown) => void,
    cause: unknown,
  ): void
  /** The guard, which does not decide where an earlier one would have refused the request. */
  skipReported(config: ReportingConfig, guard: Handle): Handle
}

export interface RefusalReporterOptions {
  readonly counter: Pick<ReportedCollector, 'count'>
  readonly emit: Emit
  readonly outcomes: Outcomes
  readonly logRefusal: LogRefusal
  readonly now: () => number
}

export function createRefusalReporter({
  counter,
  emit,
  outcomes,
  logRefusal,
  now,
}: RefusalReporterOptions): RefusalReporter {
  /** The requests that a guard would have refused, and their callers. */
  const reported = new WeakMap<IncomingMessage, Identity | undefined>()

  // If `now()` returns NaN the comparison is false, so the guard refuses.
  const reports: RefusalReporter['reports'] = ({ reportOnly }) => reportOnly !== undefined && now() < reportOnly.until

  return {
    reports,
    report(config, denied, reason, caller, req, res, next, cause) {
      const { api, hostGuard, readClient, prepareResponse } = config
      const identity = denied.status < 500 && caller instanceof Identity ? copyIdentity(caller) : undefined
      if (!reported.has(req)) {
        const applicationId = findApplicationId(caller)
        reported.set(req, identity)
        outcomes.forget(req)
        emit('request.reported', { api: api.name, applicationId, error: denied.error, reason }, req, readClient)
        logRefusal(`${api.name} (not enforced)`, denied, cause, reason)
        const at = now()
        // The count waits for the answer: only then is the final route known.
        whenAnswered(res, () => counter.count({ applicationId, api: api.name, route: describeRoute(req), reason, at }))
      }
      // The host's time-out may have answered meanwhile; the handler would answer a second time.
      if (res.headersSent) return
      setIdentity(req, hostGuard ? undefined : identity)
      prepareResponse?.(res)
      // The host's own guard decides, as before.
      if (hostGuard) callOtherGuard(hostGuard, req, res, next)
      else next()
    },
    skipReported(config, guard) {
      return function platformAuthReportingGuard(req, res, next) {
        if (!reported.has(req) || !reports(config)) return guard(req, res, next)
        // An enforcing guard would have ended the request here: neither limits nor an `allow` may count it.
        const identity = reported.get(req)
        const { api, hostGuard } = config
        setIdentity(req, !hostGuard && identity?.api.name === api.name ? identity : undefined)
        if (hostGuard) callOtherGuard(hostGuard, req, res, next)
        else next()
      }
    },
  }
}

export function findApplicationId(caller: RefusedCaller): string | undefined {
  return caller instanceof Identity ? caller.application.id : caller
}

/**
 * Copies the API object, so that later guards verify the request again; `maybeAuthOf()` still finds it by the API's name.
 */
function copyIdentity({ api, application, scopes, token }: Identity): Identity {
  return new Identity({ ...api }, application, scopes, token)
}
