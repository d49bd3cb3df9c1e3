import type { Attributes } from '@opentelemetry/api'
import type { PlatformEvent } from '../../index.js'

/** The instrumentation scope of all metrics and spans. */
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

/** An event's details as span attributes. */
export function toAttributes(event: Partial<PlatformEvent>): Attributes {
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
