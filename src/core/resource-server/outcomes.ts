import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api, ReportOnlyOptions } from '../../shared/contracts/api.js'
import type { ApiObservers } from '../../shared/contracts/api-observer.js'
import { describeWithFix } from '../../shared/contracts/errors.js'
import type { Emit, EmitEarly, EventDetails, ReadClient } from '../../shared/contracts/events.js'
import { type Middleware, type Next, whenAnswered, handOnFailure } from '../http/middleware.js'
import type { LogRefusal } from '../http/refusal-log.js'
import { describeReportOnly, readReportOnlyOption, type ReportOnlySettings } from '../options/read-report-only.js'
import { setIdentity } from './auth-of.js'
import { Identity } from './identity.js'
import type { DenialConfig } from './guard-config.js'
import { callOtherGuard } from './other-issuers.js'
import { findApplicationId, type Refusal } from './refusal.js'

/** One outcome per request: `request.denied` if a guard refuses it, else `request.allowed` once answered, per API. */
export type Outcomes = ReturnType<typeof createOutcomes>

/** The outcome is emitted after this time: an answer may take for ever (a stream, a WebSocket), and no guard decides later. */
const MAX_WAIT_MS = 10_000
/** setTimeout is kept, so that fake timers of the host's tests, which replace the global function later, hold up nothing. */
const { setTimeout } = globalThis

export function createOutcomes(emit: EmitEarly) {
  /** The events to emit when a request has been answered; null when its outcome has been emitted. */
  const outcomes = new WeakMap<IncomingMessage, (() => void)[] | null>()

  function settle(req: IncomingMessage): void {
    const allowed = outcomes.get(req)
    if (!allowed) return
    outcomes.set(req, null)
    for (const emitAllowed of allowed) emitAllowed()
  }

  return {
    allow(details: EventDetails, req: IncomingMessage, res: ServerResponse, readClient: ReadClient): void {
      if (!emit.isHeard('request.allowed')) return
      emit.early('request.allowed', details, req, readClient)
      const emitAllowed = (): void => emit('request.allowed', details, req, readClient)
      const earlier = outcomes.get(req)
      if (earlier) return void earlier.push(emitAllowed)
      // It is no response of a server, so that nothing tells when it was answered.
      if (earlier === null || !res.socket) return emitAllowed()
      outcomes.set(req, [emitAllowed])
      const timer = setTimeout(settle, MAX_WAIT_MS, req).unref()
      whenAnswered(res, () => {
        clearTimeout(timer)
        settle(req)
      })
    },
    deny(details: EventDetails, req: IncomingMessage, readClient: ReadClient): void {
      const isSettled = outcomes.get(req) === null
      outcomes.set(req, null)
      if (!isSettled) emit('request.denied', details, req, readClient)
    },
    /** Some guard reports that it would refuse the request, which is its outcome. */
    forget(req: IncomingMessage): void {
      if (outcomes.get(req)) outcomes.set(req, null)
    },
  }
}

export type RefusalReporter = ReturnType<typeof createRefusalReporter>

export function createRefusalReporter(options: {
  readonly observers: ApiObservers
  readonly emit: Emit
  readonly outcomes: Outcomes
  readonly logRefusal: LogRefusal
  readonly now: () => number
}) {
  const { observers, emit, outcomes, logRefusal, now } = options
  /** The requests that a guard would have refused, and their callers. */
  const reported = new WeakMap<IncomingMessage, { readonly api: string; readonly identity: Identity | undefined }>()

  /** Whether a guard reports now. If `now()` returns NaN the comparison is false, so the guard refuses. */
  const reports = ({ reportOnly }: Pick<DenialConfig, 'reportOnly'>): boolean =>
    reportOnly !== undefined && now() < reportOnly.until

  return {
    reports,
    /** Counts the request, once for all guards, and lets it go on, or leaves it to the host's guard. */
    report(config: DenialConfig, refusal: Refusal, req: IncomingMessage, res: ServerResponse, next: Next): void {
      const { denied, reason, caller, cause } = refusal
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
    /** The guard, which does not decide where an earlier one would have refused the request. */
    skipReported(config: DenialConfig, guard: Middleware): Middleware {
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
function goOn({ hostGuard, hideOthers }: DenialConfig, req: IncomingMessage, res: ServerResponse, next: Next): void {
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

/** A copy with a copied API object, so that later guards verify again; `maybeAuthOf()` finds it by the API's name. */
function copyIdentity({ api, application, scopes, token, networks }: Identity): Identity {
  return new Identity({ ...api }, application, scopes, token, networks)
}

export function createReportOnlyReader(options: {
  readonly reportOnlyOf: ReadonlyMap<string, ReportOnlySettings>
  readonly now: () => number
  readonly warn: (message: string) => void
}) {
  const { reportOnlyOf, now, warn } = options
  const warned = new Set<string>()

  /** Reads `reportOnly` of a guard; undefined if it refuses requests. `call` is the one that makes the guard. */
  return function readReportOnly(call: string, api: Api, given: ReportOnlyOptions): DenialConfig['reportOnly'] {
    const ofApi = reportOnlyOf.get(api.name)!
    const settings = readReportOnlyOption(`${call}: `, given, ofApi)
    if (!settings.reportOnly) return undefined
    // At start-up there is a warning about the option of the platform or the API.
    if (!ofApi.reportOnly && !warned.has(call)) {
      warned.add(call)
      warn(describeWithFix(describeReportOnly(`${call}: `, settings, now())))
    }
    return { until: settings.until ?? Infinity }
  }
}
