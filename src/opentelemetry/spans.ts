import { SpanStatusCode, trace, type TracerProvider } from '@opentelemetry/api'
import type { PlatformEvent } from '../index.js'
import { attributesOf, ATTRIBUTES, SCOPE } from './names.js'
import type { Counted, OutageName } from './recordings.js'

/** What traces are told. */
export interface Spans {
  record(recording: Counted, event: PlatformEvent): void
  outage(outage: OutageName, outageSpan: { beganAt: number; seconds: number; reason: string | undefined }): void
}

/**
 * A request has a span already, by the host's instrumentation: that one is told, so that no guarded request costs a span
 * more. Its status is left to who made it. What is seldom gets a span of its own.
 */
export function createSpans(provider: () => TracerProvider): Spans {
  return {
    record({ span: name, changeType, background }, event) {
      const attributes = attributesOf(event)
      if (name === undefined) {
        const active = trace.getActiveSpan()
        // One that has ended, or isn't sampled, takes nothing.
        if (active?.isRecording()) active.setAttributes(attributes)
        return
      }
      if (changeType !== undefined) attributes[ATTRIBUTES.change] = changeType
      const span = provider().getTracer(SCOPE).startSpan(name, { attributes, root: background })
      if (event.reason !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: event.reason })
      span.end()
    },
    outage(outage, { beganAt, seconds, reason }) {
      // Noticed by whichever request came first, and part of none.
      const span = provider()
        .getTracer(SCOPE)
        .startSpan(`platform_auth.${outage}.outage`, {
          root: true,
          startTime: beganAt,
          attributes: { [ATTRIBUTES.error]: `${outage}_unavailable` },
        })
      span.setStatus({ code: SpanStatusCode.ERROR, ...(reason !== undefined && { message: reason }) })
      span.end(beganAt + seconds * 1000)
    },
  }
}
