import { SpanStatusCode, trace, type TracerProvider } from '@opentelemetry/api'
import type { PlatformEvent } from '../../index.js'
import { toAttributes, ATTRIBUTES, SCOPE } from './names.js'
import type { Counted, OutageName } from './recordings.js'

/** Records events in traces. */
export interface Spans {
  record(recording: Counted, event: PlatformEvent): void
  outage(outage: OutageName, outageSpan: { beganAt: number; seconds: number; reason: string | undefined }): void
}

/**
 * A request already has a span, created by the host's instrumentation. It gets the attributes, so that a guarded request
 * costs no further span; its status is left to the instrumentation. Rare events get spans of their own.
 */
export function createSpans(provider: () => TracerProvider): Spans {
  return {
    record({ span: name, changeType, background }, event) {
      const attributes = toAttributes(event)
      if (name === undefined) {
        const active = trace.getActiveSpan()
        // A span that has ended or is not sampled records nothing.
        if (active?.isRecording()) active.setAttributes(attributes)
        return
      }
      if (changeType !== undefined) attributes[ATTRIBUTES.change] = changeType
      const span = provider().getTracer(SCOPE).startSpan(name, { attributes, root: background })
      if (event.reason !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: event.reason })
      span.end()
    },
    outage(outage, { beganAt, seconds, reason }) {
      // A root span: the outage was noticed by some request, but is not part of it.
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
