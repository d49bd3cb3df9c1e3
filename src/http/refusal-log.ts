import type { Denial, ErrorCode } from '../contracts/errors.js'

interface Log {
  warn(message: string): void
  error(message: string, cause: unknown): void
}

/** Writes what an operator should know of a refusal. */
export type LogRefusal = (api: string, denied: Denial, cause?: unknown) => void

/**
 * Outside production a developer is told in one line why a request was refused, and what to do; never the credential.
 * What went wrong inside is logged everywhere, with its cause.
 */
export function createRefusalLog(log: Log, production: boolean): LogRefusal {
  return function logRefusal(api, { status, error, description }, cause) {
    if (error === 'server_error') log.error(`${api}: ${status} ${error}`, cause ?? description)
    else if (!production) log.warn(`${api}: ${status} ${error}: ${description}. ${CURES[error]}`)
  }
}

const CURES: Record<Exclude<ErrorCode, 'server_error'>, string> & { server_error?: never } = {
  invalid_request: 'Send the request as RFC 6749 4.4.2 (token endpoint) or RFC 6750 2.1 (bearer token) has it.',
  unsupported_grant_type: 'Send grant_type=client_credentials.',
  unsupported_response_type: 'There is no authorization by redirect here; ask the token endpoint.',
  unauthorized_client: 'Grant it with auth.applications.allow(id, api).',
  invalid_scope: 'Ask for fewer scopes, or grant them with auth.applications.allow(id, api, { scopes }).',
  invalid_target: "Leave `resource` out, or send this API's own identifier.",
  unauthorized: 'Send the credential that WWW-Authenticate asks for, in its header.',
  invalid_client: 'Check key and secret, and that the application is active: auth.applications.get(id).',
  invalid_token:
    "Get a new access token from this API's token endpoint; check that the application is active and allowed.",
  invalid_api_key: 'Check the key: typed right, not rotated away, its application not deleted.',
  insufficient_scope: 'Grant the scope with auth.applications.allow(id, api, { scopes }) and get a new access token.',
  access_denied: 'Check that the application is active and allowed: auth.applications.resume(id), .allow(id, api).',
  too_many_requests: 'Wait as long as Retry-After says, or raise the limit under rateLimits.',
  temporarily_unavailable: 'Check that the store can be reached: await auth.health().',
}
