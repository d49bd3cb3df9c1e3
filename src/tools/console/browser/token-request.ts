import { ASSERTION_TYPE } from '../../../shared/samples/private-key.js'
import { readRetryAfter, type Refusal, type Scheme } from './messages.js'

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
export function createTokenRequest({ send, now, suspensionUrl }: TokenRequestOptions) {
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
