import { SpanStatusCode, trace, type TracerProvider, type Attributes } from '@opentelemetry/api'
import type { PlatformEvent } from '../../index.js'
import type { Counted, OutageName } from './recordings.js'

export const SCOPE = 'express-platform-auth'

/** Attributes of metrics and spans, under OpenTelemetry's own name where one exists. */
export const ATTRIBUTES = {
  api: 'platform_auth.api.name',
  application: 'platform_auth.application.id',
  change: 'platform_auth.change.type',
  request: 'platform_auth.request.id',
  error: 'error.type',
  reason: 'platform_auth.reason',
  reported: 'platform_auth.reported.reason',
  client: 'platform_auth.client',
  address: 'client.address',
} as const

function toAttributes(event: Partial<PlatformEvent>): Attributes {
  const { type, api, applicationId, error, reason, requestId, client, address } = event
  const attributes: Attributes = {}
  if (api !== undefined) attributes[ATTRIBUTES.api] = api
  if (applicationId !== undefined) attributes[ATTRIBUTES.application] = applicationId
  const errorType = error ?? reason
  // The request goes on: its span has no error.
  if (type === 'request.reported') attributes[ATTRIBUTES.reported] = reason
  else {
    if (errorType !== undefined) attributes[ATTRIBUTES.error] = errorType
    if (reason !== undefined && reason !== errorType) attributes[ATTRIBUTES.reason] = reason
  }
  if (client !== undefined) attributes[ATTRIBUTES.client] = client
  if (address !== undefined) attributes[ATTRIBUTES.address] = address
  if (requestId !== undefined) attributes[ATTRIBUTES.request] = requestId
  return attributes
}

/** Records events in traces. A request already has a span, created by the host's instrumentation. It gets the attributes, so that a guarded request costs no further span; its status is left to the instrumentation. Rare events get spans of their own. */
export function createSpans(provider: () => TracerProvider) {
  return {
    record({ span: name, changeType, background }: Counted, event: PlatformEvent): void {
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
    outage(
      outage: OutageName,
      { beganAt, seconds, reason }: { beganAt: number; seconds: number; reason: string | undefined },
    ): void {
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
