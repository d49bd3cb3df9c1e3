import {
  metrics as metricsApi,
  trace,
  type Attributes,
  type MeterProvider,
  type TracerProvider,
} from '@opentelemetry/api'
import { ConfigurationError, type EventType, type PlatformAuth, type PlatformEvent } from '../index.js'
import { createMetrics } from './metrics.js'
import { ATTRIBUTES } from './names.js'
import { RECORDINGS, type Counted, type OutageName, type OutageTold } from './recordings.js'
import { createSpans } from './spans.js'

/** A meter provider of `@opentelemetry/api`, named here so that nobody needs its types. */
export interface MeterProviderLike {
  getMeter(name: string, version?: string): object
}

/** A tracer provider of `@opentelemetry/api`. */
export interface TracerProviderLike {
  getTracer(name: string, version?: string): object
}

export interface ObserveOptions {
  /** The global one if left out, whenever it is set. */
  readonly meterProvider?: MeterProviderLike
  /** The global one if left out, whenever it is set. */
  readonly tracerProvider?: TracerProviderLike
  /** Counts requests, token requests and revocations by `platform_auth.application.id` as well: a series per application. */
  readonly perApplication?: boolean
}

/**
 * Records what the platform tells by `auth.events` as metrics and spans, until the function that it returns is called.
 * Call it right after `createPlatformAuth()`; OpenTelemetry's providers may be set before or later. Two platforms in one
 * process need a `meterProvider` each, or their series are one.
 *
 * Counters `platform_auth.requests`, `.token.requests`, `.token.revocations`, `.application.changes`,
 * `.email.deliveries` and `.signing_key.changes`, with `platform_auth.api.name` or `platform_auth.change.type`, and
 * `error.type` for what was refused or failed; the gauge `platform_auth.store.available` (1 or 0) and the histogram
 * `platform_auth.store.outage.duration` (seconds), and the same of `platform_auth.limits` for Redis.
 *
 * A token request or guarded request makes no span: the span that is active in it, as HTTP instrumentation makes it, gets
 * the attributes `platform_auth.api.name`, `platform_auth.application.id`, `platform_auth.request.id` and `error.type`.
 * Changes of applications and signing keys are short spans, in the trace of the request that made them if there is one;
 * emails, which are sent in the background, are short spans of their own; an outage of the store or of Redis is one span
 * from its beginning to its end, recorded when it has ended.
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
export function observe(auth: Pick<PlatformAuth, 'apis' | 'events'>, options: ObserveOptions = {}): () => void {
  const { meterProvider, tracerProvider, perApplication = false } = readOptions(options)
  const outages = new Map<OutageName, { beganAt: number; since: number; reason: string | undefined }>()
  const metrics = createMetrics({
    provider: () => meterProvider ?? metricsApi.getMeterProvider(),
    apis: auth.apis,
    isOut: (outage) => outages.has(outage),
  })
  const spans = createSpans(() => tracerProvider ?? trace.getTracerProvider())

  function count(recording: Counted, event: PlatformEvent): void {
    const { api, reason, applicationId } = event
    const attributes: Attributes = {}
    if (api !== undefined) attributes[ATTRIBUTES.api] = api
    if (recording.changeType !== undefined) attributes[ATTRIBUTES.change] = recording.changeType
    if (reason !== undefined) attributes[ATTRIBUTES.error] = reason
    if (perApplication && recording.span === undefined && applicationId !== undefined) {
      attributes[ATTRIBUTES.application] = applicationId
    }
    metrics.count(recording.counter, attributes)
  }

  function tellOutage({ outageOf, over }: OutageTold, { reason }: PlatformEvent): void {
    metrics.prepare()
    if (!over) {
      // Durations by a clock that nobody sets back.
      outages.set(outageOf, { beganAt: Date.now(), since: performance.now(), reason })
      return
    }
    const outage = outages.get(outageOf)
    if (!outage) return
    outages.delete(outageOf)
    const seconds = (performance.now() - outage.since) / 1000
    metrics.lasted(outageOf, seconds)
    spans.outage(outageOf, { ...outage, seconds })
  }

  metrics.prepare()
  const listeners = (Object.keys(RECORDINGS) as EventType[]).map((type) => {
    const recording = RECORDINGS[type]
    const listener = (event: PlatformEvent): void => {
      if ('outageOf' in recording) return tellOutage(recording, event)
      count(recording, event)
      spans.record(recording, event)
    }
    auth.events.on(type, listener)
    return { type, listener }
  })

  return function stop() {
    for (const { type, listener } of listeners) auth.events.off(type, listener)
    metrics.stop()
  }
}

function readOptions({ meterProvider, tracerProvider, perApplication }: ObserveOptions) {
  if (meterProvider !== undefined && typeof meterProvider.getMeter !== 'function') {
    throw new ConfigurationError({
      problem: 'observe: meterProvider has no getMeter()',
      fix: 'Give a MeterProvider of OpenTelemetry.',
    })
  }
  if (tracerProvider !== undefined && typeof tracerProvider.getTracer !== 'function') {
    throw new ConfigurationError({
      problem: 'observe: tracerProvider has no getTracer()',
      fix: 'Give a TracerProvider of OpenTelemetry.',
    })
  }
  return {
    meterProvider: meterProvider as MeterProvider | undefined,
    tracerProvider: tracerProvider as TracerProvider | undefined,
    perApplication,
  }
}
