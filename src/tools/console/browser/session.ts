import { isCompleteKey } from './checksum.js'
import { readRetryAfter, type Refusal, type State, type Scheme } from './messages.js'
import { ASSERTION_TYPE } from '../../../shared/samples/private-key.js'

/** The header that a call carries, or the reason why there is none although there are credentials. */
export type Carried = { readonly header?: [name: string, value: string] } | { readonly refusal: Refusal }

/** Keeps the reader's credentials, for all APIs of the console, in the memory of the page only. */
export type Session = ReturnType<typeof createSession>

export function createSession(options: TokenRequestOptions) {
  const { now } = options
  const requestToken = createTokenRequest(options)
  const changes = new EventTarget()
  const notify = (): boolean => changes.dispatchEvent(new Event('change'))
  const tokens = new Map<string, AccessToken>()
  const requested = new Map<string, Promise<Refusal | undefined>>()
  /** The names of APIs that have answered the key with 200, and of those that have refused the current credentials. */
  const accepted = new Set<string>()
  const refused = new Set<string>()
  let credentials: Credentials | undefined
  let lastKey = ''
  /** Aborts work of credentials that are forgotten meanwhile. */
  let lifetime = new AbortController()

  function replace(next: Credentials | undefined): void {
    credentials = next
    for (const memory of [tokens, requested, accepted, refused]) memory.clear()
  }

  async function authorize(api: ApiAccess, given: Credentials, signal?: AbortSignal): Promise<Refusal | undefined> {
    lastKey = given.key
    if (api.scheme === 'oauth2') {
      const { signal: forgotten } = lifetime
      const { token, refusal } = await requestToken(api, given, signal)
      if (!token || signal?.aborted || forgotten.aborted) return refusal
      replace(given)
      tokens.set(api.name, token)
    } else {
      replace(given)
    }
    notify()
    return undefined
  }

  async function carry(api: ApiAccess): Promise<Carried> {
    if (!credentials || refused.has(api.name) || !isUsable(credentials, api)) return {}
    if (api.scheme === 'apiKey') return { header: [api.keyHeader, credentials.key] }
    const refusal = await renew(api)
    if (refusal) return { refusal }
    const token = tokens.get(api.name)
    return token ? { header: ['Authorization', `Bearer ${token.value}`] } : {}
  }

  /** Calls that start at the same time share one token request. */
  function renew(api: ApiAccess): Promise<Refusal | undefined> | undefined {
    const token = tokens.get(api.name)
    if (token && now() < token.renewsAt) return undefined
    const started = requested.get(api.name) ?? requestAgain(api).finally(() => requested.delete(api.name))
    requested.set(api.name, started)
    return started
  }

  async function requestAgain(api: ApiAccess): Promise<Refusal | undefined> {
    const used = credentials!
    const { token, refusal } = await requestToken(api, used)
    // The credentials were forgotten or replaced in the meantime: neither the token nor its refusal says anything about the new
    // ones.
    if (credentials !== used) return undefined
    if (token) tokens.set(api.name, token)
    notify()
    return refusal
  }

  /** Records an API's answer to a call with that header value. Returns whether the API has refused the credential. */
  function noteAnswer(
    api: ApiAccess,
    sent: string | undefined,
    answer: { status: number; error?: string | undefined },
  ): boolean {
    const token = tokens.get(api.name)
    const current = api.scheme === 'oauth2' ? token && `Bearer ${token.value}` : credentials?.key
    // An answer to an earlier credential says nothing about this one.
    if (sent === undefined || sent !== current) return false
    const isRefused = answer.status === 401 || (answer.status === 403 && answer.error === 'access_denied')
    if (isRefused) refuse(api, answer.status)
    else if (answer.status >= 200 && answer.status < 300) accepted.add(api.name)
    notify()
    return isRefused
  }

  /** Records a refused key. A key that one API does not know is unknown to all; each API decides about access. */
  function refuse(api: ApiAccess, status = 401): void {
    if (api.scheme === 'apiKey' && status === 401) return replace(undefined)
    tokens.delete(api.name)
    accepted.delete(api.name)
    refused.add(api.name)
  }

  return {
    authorize,
    carry,
    noteAnswer,
    drop(api: ApiAccess): void {
      refuse(api)
      notify()
    },
    forget(): void {
      lifetime.abort()
      lifetime = new AbortController()
      lastKey = ''
      replace(undefined)
      notify()
    },
    describe(api: ApiAccess): State {
      if (!credentials || refused.has(api.name) || !isUsable(credentials, api)) return 'none'
      return tokens.has(api.name) || accepted.has(api.name) ? 'authorized' : 'saved'
    },
    hasCredentials: (): boolean => credentials !== undefined,
    read: (): Credentials | undefined => credentials,
    lastKey: (): string => lastKey,
    grantedScopes: (api: ApiAccess): readonly string[] | undefined => tokens.get(api.name)?.scopes,
    subscribe(listener: () => void, signal: AbortSignal): void {
      changes.addEventListener('change', listener)
      // Not by its option `signal`: an EventTarget of jsdom refuses the signals of another realm.
      signal.addEventListener('abort', () => changes.removeEventListener('change', listener))
    },
  }
}

/** A key alone gets no access token, and the id of an application, which may be used instead of its key there, is no key. */
function isUsable({ key, secret, sign }: Credentials, { scheme, proof }: ApiAccess): boolean {
  if (scheme !== 'oauth2') return isCompleteKey(key)
  return sign ? proof !== undefined : secret !== '' && proof !== 'only'
}

export interface ApiAccess {
  readonly name: string
  readonly scheme: Scheme
  readonly tokenEndpoint: string
  readonly keyHeader: string
  readonly resource: string
  /** Whether its token endpoint takes a proof of a private key: `only` that, or `too`; undefined if it takes none. */
  readonly proof?: string | undefined
}

export interface Credentials {
  readonly key: string
  /** The secret; empty if only the key was entered. */
  readonly secret: string
  /** Signs an assertion for that issuer, with a private key in place of a secret (RFC 7523). */
  readonly sign?: ((clientId: string, issuer: string) => Promise<string>) | undefined
}

export interface AccessToken {
  readonly value: string
  readonly scopes: readonly string[] | undefined
  readonly renewsAt: number
}

export interface TokenRequestOptions {
  readonly send: (url: string, init: RequestInit) => Promise<Response>
  readonly now: () => number
  /** This URL tells a caller with the right secret whether the application is suspended. */
  readonly suspensionUrl: string
}

/** A token is renewed this long before it expires, so that it is valid when it arrives. */
const RENEWAL_MARGIN_SECONDS = 2
const DEFAULT_LIFETIME_SECONDS = 3600

/** Requests access tokens as RFC 6749 section 4.4 says, with HTTP Basic. */
function createTokenRequest({ send, now, suspensionUrl }: TokenRequestOptions) {
  /** The token endpoint answers a suspended application as it answers a wrong secret. */
  async function isSuspended({ key, secret, sign }: Credentials): Promise<boolean> {
    if (sign) return false
    try {
      const body = new URLSearchParams({ client_id: key, client_secret: secret })
      const response = await send(suspensionUrl, { method: 'POST', body, cache: 'no-store' })
      return ((await response.json()) as { suspended?: unknown }).suspended === true
    } catch {
      return false
    }
  }

  return async function requestToken(
    api: ApiAccess,
    credentials: Credentials,
    signal: AbortSignal | null = null,
  ): Promise<{ token?: AccessToken; refusal?: Refusal }> {
    const { key, secret, sign } = credentials
    const headers: HeadersInit = sign ? {} : { Authorization: `Basic ${btoa(`${key}:${secret}`)}` }
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    if (sign) {
      body.set('client_assertion_type', ASSERTION_TYPE)
      body.set('client_assertion', await sign(key, api.resource))
    }
    let response: Response
    try {
      response = await send(api.tokenEndpoint, { method: 'POST', headers, body, cache: 'no-store', signal })
    } catch (error) {
      return { refusal: { unreachable: (error as Error).message } }
    }
    const { status } = response
    const answer = (await response.json().catch(() => undefined)) as TokenAnswer | undefined
    if (typeof answer?.access_token !== 'string')
      return {
        refusal: {
          status,
          error: answer?.error,
          description: answer?.error_description,
          isProof: sign !== undefined,
          suspended: answer?.error === 'invalid_client' && (await isSuspended(credentials)),
          retryAfter: readRetryAfter(response.headers.get('Retry-After'), now()),
        },
      }
    const lifetime = (answer.expires_in ?? DEFAULT_LIFETIME_SECONDS) - RENEWAL_MARGIN_SECONDS
    return {
      token: { value: answer.access_token, scopes: answer.scope?.split(' '), renewsAt: now() + lifetime * 1000 },
    }
  }
}

interface TokenAnswer {
  readonly access_token?: unknown
  readonly expires_in?: number
  readonly scope?: string
  readonly error?: string
  readonly error_description?: string
}
