import type { Attributes } from '@opentelemetry/api'
import type { PlatformEvent } from '../index.js'

/** The instrumentation scope of all that is recorded. */
export const SCOPE = 'express-platform-auth'

/** Attributes of metrics and spans: OpenTelemetry's own name where there is one. */
export const ATTRIBUTES = {
  api: 'platform_auth.api.name',
  application: 'platform_auth.application.id',
  change: 'platform_auth.change.type',
  request: 'platform_auth.request.id',
  error: 'error.type',
} as const

/** What an event says, as a span's attributes. */
export function attributesOf({ api, applicationId, reason, requestId }: Partial<PlatformEvent>): Attributes {
  const attributes: Attributes = {}
  if (api !== undefined) attributes[ATTRIBUTES.api] = api
  if (applicationId !== undefined) attributes[ATTRIBUTES.application] = applicationId
  if (reason !== undefined) attributes[ATTRIBUTES.error] = reason
  if (requestId !== undefined) attributes[ATTRIBUTES.request] = requestId
  return attributes
}
