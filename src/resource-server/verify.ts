import type { ApiSettings } from '../options/settings.js'
import { OAuthError, type Denial } from '../contracts/errors.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import { toDenial } from '../http/respond.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import { describeIdentity, type AuthInfo } from './auth-info.js'
import { readBearer } from '../http/bearer.js'
import type { Identify, Identity } from './authenticate.js'
import { apiKeyRefusals, bearerRefusals, type ErrorResponses } from './error-responses.js'

/** Does outside a request what a guard does in one: for WebSockets, jobs and queues. Rejects with `OAuthError`. */
export interface Verifiers {
  accessToken(api: ApiSettings, token: string): Promise<AuthInfo>
  apiKey(api: ApiSettings, key: string): Promise<AuthInfo>
}

interface VerifiersOptions {
  readonly identify: Identify
  readonly available: () => MaybePromise<void>
  readonly requestLimits: ReadonlyMap<ApiSettings, RateLimit>
}

export function createVerifiers({ identify, available, requestLimits }: VerifiersOptions): Verifiers {
  async function verify(
    refusals: ErrorResponses,
    api: ApiSettings,
    identified: () => MaybePromise<Identity | string>,
  ): Promise<AuthInfo> {
    try {
      await available()
      const identity = await identified()
      if (typeof identity === 'string') throw asError(refusals[identity]!)
      await requestLimits.get(api)?.(identity.application.id)
      return describeIdentity(identity)
    } catch (error) {
      throw error instanceof OAuthError ? error : asError(toDenial(error), error)
    }
  }

  return {
    accessToken(api, token) {
      return verify(bearerRefusals(api, []), api, () => {
        if (!token) return 'noCredential'
        const header = `Bearer ${token}`
        return readBearer(header) === header ? identify.byAccessToken(api, token) : 'malformed'
      })
    },
    apiKey(api, key) {
      return verify(apiKeyRefusals(api), api, () => (key ? identify.byKey(api, key) : 'noCredential'))
    },
  }
}

function asError({ error, description, headers }: Denial, cause?: unknown): OAuthError {
  return new OAuthError(error, description, { headers, cause })
}
