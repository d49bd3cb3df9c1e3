import { toSentence } from '../../shared/contracts/errors.js'
import type { Logger } from '../../shared/contracts/logger.js'
import { LimitCause, OAuthError, OutageCause, type Denial, type ErrorCode } from '../../shared/contracts/denial.js'

/** Logs a refusal, with the name of its API; `reason` as in events. The credential is never logged. */
export type LogRefusal = (api: string, denial: Denial, cause?: unknown, reason?: string) => void

/** Logs each refusal in development, with reason and fix; an internal error everywhere, with its cause. */
export function createRefusalLog(logger: Pick<Logger, 'warn' | 'error'>, development: boolean): LogRefusal {
  return function logRefusal(api, { status, error, description }, cause, reason) {
    try {
      if (error === 'server_error') logger.error(`${api}: ${status} ${error}`, cause ?? description)
      else if (development)
        logger.warn(`${toSentence(`${api}: ${status} ${error}: ${description}`)} ${findFix(error, reason, cause)}`)
    } catch {
      // A logger that throws must not keep the refusal from being sent.
    }
  }
}

function findFix(error: string, reason: string | undefined, cause: unknown): string {
  if (cause instanceof LimitCause)
    return `Wait for the seconds in Retry-After, or raise the limit: it is set by ${cause.setBy}.`
  if (cause instanceof OutageCause) return cause.message
  // Callers of a proxy are told of an outage where the platform refuses the proxy itself.
  if (cause instanceof OAuthError && cause.error !== error)
    return `${toSentence(`The resource server itself is refused: ${cause.error}: ${cause.description}`)} ${findFix(cause.error, reason, cause.cause)}`
  const fix = FIXES_BY_REASON.get(reason)
  if (fix !== undefined) return fix
  return Object.hasOwn(FIXES, error) ? FIXES[error as keyof typeof FIXES]! : ''
}

/** Fixes for reasons that operators may know, and the answer does not say. */
const FIXES_BY_REASON: ReadonlyMap<string | undefined, string> = new Map([
  ['expired_key', 'The key has expired. Make a new one with auth.applications.rotateKey(id).'],
  ['expired_secret', 'The secret has expired. Make a new one with auth.applications.rotateSecret(id).'],
  ['expired_key_set', 'The key set has expired. Add a new one with auth.applications.addKeySet(id, ...).'],
  [
    'wrong_assertion',
    'Compare the keys of auth.applications.get(id) with the one that signed, and aud with the issuer.',
  ],
  ['replayed_assertion', 'Each assertion needs a jti of its own, and is used once.'],
  ['other_method', "Add the method to the API's option clientAuthentication."],
  ['method_not_allowed', "Name the method, or '*', in the guard's scopes."],
  ['undocumented_path', 'Paths of the document are relative to where the guard is mounted, and compared exactly.'],
  ['undocumented_method', 'Describe the method in the document; for OPTIONS put cors() before the guard.'],
  ['refused_by_host', "The guard's own allow answered that."],
])

const FIXES: Record<Exclude<ErrorCode, 'server_error'>, string> & { server_error?: never } = {
  invalid_request: 'The HTTP reference (docs/http.md) has the form of every request.',
  unsupported_grant_type: 'Send grant_type=client_credentials.',
  unsupported_response_type: 'Use the token endpoint: there is no authorization by redirect.',
  unauthorized_client: 'Grant access with auth.applications.allow(id, api).',
  invalid_scope: 'Request scopes that the API has, and grant them with auth.applications.allow(id, api, { scopes }).',
  invalid_target:
    "Omit `resource`, or send this API's identifier. A resource server names one of its own APIs: auth.applications.get(id).",
  unauthorized: 'Send the credential that WWW-Authenticate names, in its header.',
  invalid_client: 'Check the key and the secret, and that the application is active: auth.applications.get(id).',
  invalid_token:
    "Get a new access token from this API's token endpoint, and check that the application is active and allowed.",
  invalid_api_key: 'Check that the key is complete and was not rotated, and that its application was not deleted.',
  insufficient_scope:
    'Grant the scope with auth.applications.allow(id, api, { scopes }) and get a new access token. A key has it at once.',
  access_denied: 'Check that the application is active and allowed: auth.applications.resume(id), .allow(id, api).',
  network_not_allowed:
    "Correct the list with auth.applications.update(id, { networks }), or Express's `trust proxy` if the address is a proxy's.",
  too_many_requests: 'Wait for the seconds in Retry-After.',
  cost_above_limit:
    'Raise the limit of the plan to the cost at least, or give the application another plan: auth.plans.set(id, plan).',
  quota_exceeded:
    'Wait for the seconds in Retry-After, or give the application another plan: auth.plans.set(id, plan).',
  temporarily_unavailable: 'Find the cause: await auth.health().',
}
