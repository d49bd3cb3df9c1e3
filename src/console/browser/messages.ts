import { formatWait } from '../../lib/format-wait.js'

/** A message for the reader. `contact`: whether the platform's support can help. */
export interface Message {
  readonly text: string
  readonly contact?: boolean
}

/** The failure of a token request or of a call. */
export interface Refusal {
  /** The status; undefined if there was no answer. */
  readonly status?: number | undefined
  /** The code in `error`. */
  readonly error?: string | undefined
  readonly description?: string | undefined
  /** `Retry-After` in seconds. */
  readonly retryAfter?: number | undefined
  /** The reason why there was no answer. */
  readonly unreachable?: string | undefined
  /** The server has confirmed that the secret is right and the application is suspended. */
  readonly suspended?: boolean | undefined
}

export type Scheme = 'oauth2' | 'apiKey'

/** An API's knowledge of the credentials: nothing, nothing yet, or that they are right. */
export type State = 'none' | 'saved' | 'authorized'

/** The state in a few words, for the bar of the page. It shows the beginning of a key only. */
export function describeState(state: State, key: string): string {
  if (state === 'none') return 'Not authorized'
  const shown = key.replace(/^(.*?_key_....|.{12}).+$/, '$1…')
  return state === 'authorized' ? `Authorized as ${shown}` : `${shown} saved, not checked yet`
}

/** What the calls need, or carry. */
export function describeCalls(state: State, scheme: Scheme): string {
  const credential = scheme === 'oauth2' ? 'access token' : 'key'
  if (state === 'none') return `Calls need ${scheme === 'oauth2' ? 'key and secret' : 'the key'} of your application.`
  const words = scheme === 'oauth2' ? 'Key and secret' : 'Key'
  const known = state === 'authorized' ? 'Authorized.' : `${words} saved, not checked yet.`
  return `${known} Calls carry the ${credential} until you leave the console.`
}

/** The reason why there is no access token, and the fix. */
export function describeTokenRefusal(refusal: Refusal): Message {
  const { status, error, description, suspended, unreachable } = refusal
  if (unreachable !== undefined) return { text: unreachable }
  if (suspended) return { text: 'This application is suspended.', contact: true }
  if (error === 'invalid_client') return { text: 'Key or secret is wrong.' }
  if (error === 'unauthorized_client')
    return { text: endSentence(description ?? 'The application may not use this API'), contact: true }
  if (status === 403 && error === 'network_not_allowed')
    return { text: 'The credential may not be used from the network of this browser.', contact: true }
  if (status === 429) return { text: `Too many attempts. ${describeWait(refusal)}` }
  if (status === 503) return { text: `The platform cannot check credentials at the moment. ${describeWait(refusal)}` }
  return { text: endSentence(description ?? `The token endpoint answered ${status}`) }
}

interface RefusedCall extends Refusal {
  readonly scheme: Scheme
  /** Whether the call carried a credential. */
  readonly authorized: boolean
  /** The scopes that the operation needs and the access token lacks. What a key has is not known: all of them. */
  readonly missingScopes: readonly string[]
}

/** The fix for a refused call; undefined if only the API can know it. */
export function describeCallRefusal(call: RefusedCall): Message | undefined {
  const { status, error, scheme, authorized, missingScopes } = call
  if (status === 401 && !authorized)
    return { text: 'The call carried no credential. Choose Authorize, then send it again.' }
  if (status === 401 && error === 'unauthorized')
    return { text: 'The credential did not arrive at the API.', contact: true }
  if (status === 403 && error === 'insufficient_scope')
    return { text: describeScopes(scheme, missingScopes), contact: true }
  if (status === 403 && error === 'access_denied') return { text: REFUSED_APPLICATION, contact: true }
  if (status === 429) return { text: `Too many calls. ${describeWait(call)}` }
  if (status === 503 && error === 'temporarily_unavailable')
    return {
      text: `The API cannot check the ${scheme === 'oauth2' ? 'access token' : 'key'} at the moment. ${describeWait(call)}`,
    }
  return undefined
}

export const REFUSED_TOKEN =
  'The API refuses the access token: it expired or was revoked, or the application is suspended or may no longer use this API.'
export const REFUSED_KEY = 'The API refuses the key: it is unknown, or was replaced by a newer one.'
export const REFUSED_APPLICATION = 'The key is known, but its application is suspended or may not use this API.'
export const INCOMPLETE_KEY = 'This is not a complete key: characters are missing or wrong. Copy the whole key again.'

/** The reason why fetch() failed. Browsers do not say whether a server is down or CORS forbids to read its answer. */
export function describeUnreachable(url: string, page: { readonly origin: string; readonly online: boolean }): string {
  if (!page.online) return 'You are offline. Connect to a network, then try again.'
  const { origin } = new URL(url)
  if (origin === page.origin) return `${origin} does not answer.`
  return `${origin} does not answer, or does not allow this page to call it. It must allow the origin ${page.origin} (CORS).`
}

/** `Retry-After` in seconds; it may also be a date (RFC 9110 10.2.3). */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : undefined
}

function describeWait({ retryAfter }: Refusal): string {
  return retryAfter === undefined ? 'Try again later.' : `Try again in ${formatWait(retryAfter)}.`
}

function describeScopes(scheme: Scheme, missing: readonly string[]): string {
  if (scheme === 'apiKey')
    return `The key lacks a scope that this operation needs${missing.length > 0 ? `: ${missing.join(', ')}` : ''}. Ask for it, then send the call again.`
  if (missing.length === 0)
    return 'The access token lacks a scope that this operation needs. Ask for it, then authorize again.'
  const [what, them] = missing.length === 1 ? ['scope', 'it'] : ['scopes', 'them']
  return `The access token lacks the ${what} ${missing.join(', ')}. Ask for ${them}, then authorize again.`
}

function endSentence(text: string): string {
  return text.replace(/\.?$/, '.')
}
