import { fillText } from '../../../shared/lib/fill-in.js'
import { formatRelativeTime } from '../../../shared/lib/relative-time.js'
import { callWords, language } from './words.js'

export interface Message {
  readonly text: string
  readonly contact?: boolean
  /** Whether the reader has to authorize, after which the call can be sent again. */
  readonly authorize?: boolean
}

export interface Refusal {
  readonly status?: number | undefined
  readonly error?: string | undefined
  readonly description?: string | undefined
  readonly retryAfter?: number | undefined
  /** Whether a private key was proved in place of a secret. */
  readonly isProof?: boolean
  readonly unreachable?: string | undefined
  /** The server has confirmed that the secret is right and the application is suspended. */
  readonly suspended?: boolean | undefined
}

export type Scheme = 'oauth2' | 'apiKey'

/** An API's knowledge of the credentials: nothing, nothing yet, or that they are right. */
export type State = 'none' | 'saved' | 'authorized'

export function describeState(state: State, key: string): string {
  if (state === 'none') return callWords.notAuthorized
  const shown = key.replace(/^(.*?_key_....|.{12}).+$/, '$1…')
  return fillText(state === 'authorized' ? callWords.authorizedAs : callWords.savedAs, { key: shown })
}

export function describeCalls(state: State, scheme: Scheme): string {
  const { needBoth, needKey, bothSaved, keySaved, carryToken, carryKey, authorized } = callWords
  const [need, saved, carry] = scheme === 'oauth2' ? [needBoth, bothSaved, carryToken] : [needKey, keySaved, carryKey]
  if (state === 'none') return need
  return `${state === 'authorized' ? authorized : saved} ${carry}`
}

export function describeTokenRefusal(refusal: Refusal): Message {
  const { status, error, description, suspended, unreachable, isProof } = refusal
  if (unreachable !== undefined) return { text: unreachable }
  if (suspended) return { text: callWords.suspended, contact: true }
  if (error === 'invalid_client')
    return { text: isProof && description !== undefined ? endSentence(description) : callWords.wrong }
  if (error === 'unauthorized_client')
    return { text: description === undefined ? callWords.mayNotUse : endSentence(description), contact: true }
  if (status === 403 && error === 'network_not_allowed') return { text: callWords.network, contact: true }
  if (status === 429) return { text: fillText(callWords.tooManyAttempts, { wait: describeWait(refusal) }) }
  if (status === 503) return { text: fillText(callWords.cannotCheck, { wait: describeWait(refusal) }) }
  return {
    text: description === undefined ? fillText(callWords.answered, { status: status ?? '' }) : endSentence(description),
  }
}

interface RefusedCall extends Refusal {
  readonly scheme: Scheme
  readonly authorized: boolean
  /** The scopes that the operation needs and the access token lacks. What a key has is not known: all of them. */
  readonly missingScopes: readonly string[]
}

export function describeCallRefusal(call: RefusedCall): Message | undefined {
  const { status, error, scheme, authorized, missingScopes } = call
  if (status === 401 && !authorized) return { text: callWords.noCredential, authorize: true }
  if (status === 401 && error === 'unauthorized') return { text: callWords.notArrived, contact: true }
  if (status === 403 && error === 'insufficient_scope')
    return { text: describeScopes(scheme, missingScopes), contact: true }
  if (status === 403 && error === 'access_denied') return { text: callWords.refusedApplication, contact: true }
  if (status === 429) return { text: fillText(callWords.tooManyCalls, { wait: describeWait(call) }) }
  if (status === 503 && error === 'temporarily_unavailable')
    return {
      text: fillText(scheme === 'oauth2' ? callWords.cannotCheckToken : callWords.cannotCheckKey, {
        wait: describeWait(call),
      }),
    }
  return undefined
}

/** The reason why fetch() failed. Browsers do not say whether a server is down or CORS forbids to read its answer. */
export function describeUnreachable(url: string, page: { readonly origin: string; readonly online: boolean }): string {
  if (!page.online) return callWords.offline
  const { origin } = new URL(url)
  if (origin === page.origin) return fillText(callWords.noAnswer, { origin })
  return fillText(callWords.noAnswerOrCors, { origin, page: page.origin })
}

/** `Retry-After` in seconds; it may also be a date (RFC 9110 10.2.3). */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = /^\s*\d+\s*$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : undefined
}

function describeWait({ retryAfter }: Refusal): string {
  return retryAfter === undefined
    ? callWords.later
    : fillText(callWords.tryAgain, { time: formatRelativeTime(retryAfter, language) })
}

function describeScopes(scheme: Scheme, missing: readonly string[]): string {
  const { keyLacksScope, keyLacksScopes, tokenLacksAScope, tokenLacksScope, tokenLacksScopes } = callWords
  const scopes = missing.join(', ')
  if (scheme === 'apiKey') return fillText(missing.length > 0 ? keyLacksScopes : keyLacksScope, { scopes })
  if (missing.length === 0) return tokenLacksAScope
  return fillText(missing.length === 1 ? tokenLacksScope : tokenLacksScopes, { scopes })
}

function endSentence(text: string): string {
  return text.replace(/\.?$/, '.')
}
