import type { Api } from '../contracts/api.js'
import { OAuthError, toOAuthError } from '../contracts/denial.js'
import { limitAuthenticationTime } from '../http/authentication-timeout.js'
import { readBearer } from '../http/bearer.js'
import { toDenial } from '../http/respond.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { AccessTokenInfo, ApiKeyInfo, AuthInfo } from './auth-info.js'
import type { Authenticator } from './authenticate.js'
import { createApiKeyErrors, createBearerErrors, type ErrorResponses } from './error-responses.js'
import { Failure, type Refused } from './failure.js'
import { Identity } from './identity.js'

/** The checks of a guard outside a request, for WebSockets, jobs and queues. They reject with `OAuthError`. */
export interface Verifiers {
  accessToken(api: Api, accessToken: string): Promise<AccessTokenInfo>
  apiKey(api: Api, apiKey: string): Promise<ApiKeyInfo>
}

interface VerifiersOptions {
  readonly authenticator: Authenticator
  readonly available: () => MaybePromise<void>
  readonly requestLimits: ReadonlyMap<Api, RateLimit>
}

export function createVerifiers({ authenticator, available, requestLimits }: VerifiersOptions): Verifiers {
  async function authenticateWhenAvailable<Result>(authenticate: () => MaybePromise<Result>): Promise<Result> {
    await available()
    return authenticate()
  }

  /** `Info` is that of the API's scheme, as `toAuthInfo()` decides. */
  async function verify<Info extends AuthInfo>(
    errors: ErrorResponses,
    api: Api,
    authenticate: () => MaybePromise<Identity | Refused | 'noCredential' | 'malformed'>,
  ): Promise<Info> {
    try {
      const result = await limitAuthenticationTime(authenticateWhenAvailable(authenticate))
      if (!(result instanceof Identity)) {
        const problem = result instanceof Failure ? result.problem : result
        throw typeof problem === 'string' ? toOAuthError(errors[problem]!) : problem
      }
      await requestLimits.get(api)?.(result.application.id)
      return result.toAuthInfo() as Info
    } catch (error) {
      throw error instanceof OAuthError ? error : toOAuthError(toDenial(error), error)
    }
  }

  return {
    accessToken(api, accessToken) {
      return verify(createBearerErrors(api, []), api, () => {
        if (!accessToken) return 'noCredential'
        if (typeof accessToken !== 'string') return 'malformed'
        const header = `Bearer ${accessToken}`
        return readBearer(header) === header ? authenticator.byAccessToken(api, accessToken) : 'malformed'
      })
    },
    apiKey(api, apiKey) {
      return verify(createApiKeyErrors(api), api, () => (apiKey ? authenticator.byApiKey(api, apiKey) : 'noCredential'))
    },
  }
}
