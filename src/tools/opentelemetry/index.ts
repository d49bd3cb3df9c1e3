import { metrics as metricsApi, trace, type MeterProvider, type TracerProvider } from '@opentelemetry/api'
import { ConfigurationError, type EventType, type PlatformAuth, type PlatformEvent } from '../../index.js'
import type { Emails } from '../../features/emails/index.js'
import { createMetrics } from './metrics.js'
import { RECORDINGS, type Counted, type OutageName, type OutageRecording } from './recordings.js'
import { createSpans, ATTRIBUTES } from './spans.js'

/** A guard let a request pass; the event itself follows when the request has been answered. `contracts/events` emits it. */
const EARLY_EVENT = Symbol.for('express-platform-auth.early-event') as never

/** A `MeterProvider` of `@opentelemetry/api`, declared structurally so that the public types do not import it. */
export interface MeterProviderLike {
  getMeter(name: string, version?: string): object
}

/** A `TracerProvider` of `@opentelemetry/api`. */
export interface TracerProviderLike {
  getTracer(name: string, version?: string): object
}

export interface ObserveOptions {
  /** The global meter provider by default, even if it is set later. */
  readonly meterProvider?: MeterProviderLike
  /** The global tracer provider by default, even if it is set later. */
  readonly tracerProvider?: TracerProviderLike
  /** Adds `platform_auth.application.id` to counters of requests, token requests and revocations: one series per application. */
  readonly perApplication?: boolean
}

/**
 * Records the platform's events as OpenTelemetry metrics and spans. Returns a function that stops it. Call it directly
 * after `createPlatformAuth()`; OpenTelemetry's providers may be set before or later. Two platforms in one process need
 * a `meterProvider` each; otherwise their series are merged.
 *
 * Counters `platform_auth.requests`, `.reported.requests`, `.token.requests`, `.token.revocations`, `.application.changes`,
 * `.email.deliveries` and `.signing_key.changes`, with `platform_auth.api.name` or `platform_auth.change.type`, and
 * `error.type` for refusals and failures; the gauge `platform_auth.store.available` (1 or 0) and the histogram
 * `platform_auth.store.outage.duration` (seconds), and the same two under `platform_auth.store.writes` for what the store rejects,
 * `platform_auth.limits` for Redis, `platform_auth.mail` for the mail server and `platform_auth.clock` for this process's clock; gauges `platform_auth.email.waiting`, `.deferred` and `.oldest.age`.
 *
 * Token requests and guarded requests create no span: the active span, which HTTP instrumentation created, gets the
 * attributes `platform_auth.api.name`, `platform_auth.application.id`, `platform_auth.request.id`, `error.type`,
 * `platform_auth.reason`, `platform_auth.reported.reason`, `platform_auth.client` and `client.address`. Metrics have none of the last four.
 * Changes of applications and signing keys are short spans in the trace of the request that made them, if any. E-mails
 * are sent in the background, so their spans are root spans. An outage of any of these is one span, recorded when it has ended.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { observe } from 'express-platform-auth/opentelemetry'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost:3000', apis: { catalog: { scheme: 'apiKey' } } })
 * const stop = observe(auth)
 * ```
 */
export function observe(
  auth: Pick<PlatformAuth, 'apis' | 'events'> & { readonly emails?: Pick<Emails, 'status'> | undefined },
  options: ObserveOptions = {},
): () => void {
  const { emails } = auth
  const { meterProvider, tracerProvider, perApplication = false } = readOptions(options)
  const outages = new Map<OutageName, { beganAt: number; since: number; reason: string | undefined }>()
  const metrics = createMetrics({
    provider: () => meterProvider ?? metricsApi.getMeterProvider(),
    apis: auth.apis,
    isUnavailable: (outage) => outages.has(outage),
    readQueue: emails && (() => emails.status()),
  })
  const spans = createSpans(() => tracerProvider ?? trace.getTracerProvider())

  function count(recording: Counted, event: PlatformEvent): void {
    const { api, reason, error = reason, applicationId } = event
    const attributes: Record<string, string> = {}
    if (api !== undefined) attributes[ATTRIBUTES.api] = api
    if (recording.changeType !== undefined) attributes[ATTRIBUTES.change] = recording.changeType
    if (error !== undefined) attributes[ATTRIBUTES.error] = error
    if (perApplication && recording.span === undefined && applicationId !== undefined)
      attributes[ATTRIBUTES.application] = applicationId
    metrics.count(recording.counter, attributes)
  }

  function recordOutage({ outageOf, over }: OutageRecording, { reason }: PlatformEvent): void {
    metrics.prepare()
    if (!over) {
      // The duration is measured by the monotonic clock, which is never set back.
      outages.set(outageOf, { beganAt: Date.now(), since: performance.now(), reason })
      return
    }
    const outage = outages.get(outageOf)
    if (!outage) return
    outages.delete(outageOf)
    const seconds = (performance.now() - outage.since) / 1000
    metrics.recordOutage(outageOf, seconds)
    spans.outage(outageOf, { ...outage, seconds })
  }

  const recordAllowedSpan = (event: PlatformEvent): void =>
    spans.record(RECORDINGS['request.allowed'] as Counted, event)

  metrics.prepare()
  auth.events.on(EARLY_EVENT, recordAllowedSpan)
  const listeners = (Object.keys(RECORDINGS) as EventType[]).map((type) => {
    const recording = RECORDINGS[type]
    const listener = (event: PlatformEvent): void => {
      if ('outageOf' in recording) return recordOutage(recording, event)
      count(recording, event)
      // The span has ended: it was recorded early.
      if (type !== 'request.allowed') spans.record(recording, event)
    }
    auth.events.on(type, listener)
    return { type, listener }
  })

  return function stop() {
    auth.events.off(EARLY_EVENT, recordAllowedSpan)
    for (const { type, listener } of listeners) auth.events.off(type, listener)
    metrics.stop()
  }
}

function readOptions({ meterProvider, tracerProvider, perApplication }: ObserveOptions) {
  const requireCall = (provider: object | undefined, name: string, call: string, type: string): void => {
    if (provider === undefined || typeof (provider as Record<string, unknown>)[call] === 'function') return
    throw new ConfigurationError({
      problem: `observe: ${name} has no ${call}()`,
      fix: `Give a ${type} of OpenTelemetry.`,
    })
  }
  requireCall(meterProvider, 'meterProvider', 'getMeter', 'MeterProvider')
  requireCall(tracerProvider, 'tracerProvider', 'getTracer', 'TracerProvider')
  return {
    meterProvider: meterProvider as MeterProvider | undefined,
    tracerProvider: tracerProvider as TracerProvider | undefined,
    perApplication,
  }
}
