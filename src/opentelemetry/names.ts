import type { Attributes } from '@opentelemetry/api'
import type { PlatformEvent } from '../index.js'

/** The instrumentation scope of all metrics and spans. */
export const SCOPE = 'express-platform-auth'

/** Attributes of metrics and spans, under OpenTelemetry's own name where one exists. */
export const ATTRIBUTES = {
  api: 'platform_auth.api.name',
  application: 'platform_auth.application.id',
  change: 'platform_auth.change.type',
  request: 'platform_auth.request.id',
  error: 'error.type',
} as const

/** An event's details as span attributes. */
export function toAttributes({ api, applicationId, reason, requestId }: Partial<PlatformEvent>): Attributes {
  const attributes: Attributes = {}
  if (api !== undefined) attributes[ATTRIBUTES.api] = api
  if (applicationId !== undefined) attributes[ATTRIBUTES.application] = applicationId
  if (reason !== undefined) attributes[ATTRIBUTES.error] = reason
  if (requestId !== undefined) attributes[ATTRIBUTES.request] = requestId
  return attributes
}
