import type { IncomingMessage } from 'node:http'
import type { Api } from '../../shared/contracts/api.js'
import { createDenialError, OAuthError, toOAuthError } from '../../shared/contracts/denial.js'
import { limitAuthenticationTime } from '../http/endpoints.js'
import { isTooLong, readBearer } from '../http/bearer.js'
import { toDenial } from '../http/respond.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import { Identity, type AccessTokenInfo, type ApiKeyInfo, type AuthInfo } from './identity.js'
import type { Authenticator } from './authenticate.js'
import { findRequest } from './auth-of.js'
import { countUnits, type RequestCounter } from './request-counter.js'
import type { GuardDecisions } from './guard-decisions.js'
import { createErrors } from './error-responses.js'
import { Failure, type Refused } from './refusal.js'
import type { VerifySettings } from './guard-arguments.js'

/** The checks of a guard outside a request, for WebSockets, jobs and queues. They reject with `OAuthError`. */
export function createVerifiers(options: {
  readonly authenticator: Authenticator
  readonly available: (api: Api) => MaybePromise<void>
  readonly requestLimits: ReadonlyMap<Api, Pick<RequestCounter, 'countForVerifier'>>
  readonly decisions: GuardDecisions
}) {
  const { authenticator, available, requestLimits, decisions } = options
  const errorsOf = new Map([...requestLimits.keys()].map((api) => [api, createErrors(api, [])]))

  async function authenticateWhenAvailable<Result>(api: Api, authenticate: () => MaybePromise<Result>) {
    await available(api)
    return authenticate()
  }

  /** `Info` is the type of the API's scheme, as `toAuthInfo()` decides. */
  async function verify<Info extends AuthInfo>(
    api: Api,
    { req, cost }: VerifySettings,
    authenticate: () => MaybePromise<Identity | Refused | 'noCredential' | 'malformed' | 'tooLong'>,
  ): Promise<Info> {
    const errors = errorsOf.get(api)!
    try {
      const result = await limitAuthenticationTime(authenticateWhenAvailable(api, authenticate))
      if (!(result instanceof Identity)) {
        const problem = result instanceof Failure ? result.problem : result
        throw typeof problem === 'string' ? toOAuthError(errors[problem]!) : problem
      }
      if (!result.isFromItsNetworks(req && findRequest(req))) throw toOAuthError(errors['networkNotAllowed']!)
      const units = countUnits(cost, req as IncomingMessage)
      await requestLimits.get(api)!.countForVerifier(result.application, units, req)
      return result.toAuthInfo() as Info
    } catch (error) {
      const denied = error instanceof OAuthError ? toOwnError(error) : toOAuthError(toDenial(error), error)
      decisions.note?.({ kind: 'notVerified', api: api.name, accepts: [], denied, hasOwnAnswer: true })
      throw denied
    }
  }

  return {
    accessToken(api: Api, accessToken: string, settings: VerifySettings): Promise<AccessTokenInfo> {
      return verify(api, settings, () => {
        if (!accessToken) return 'noCredential'
        if (typeof accessToken !== 'string') return 'malformed'
        const header = `Bearer ${accessToken}`
        if (readBearer(header) === header) return authenticator.byAccessToken(api, accessToken)
        return isTooLong(header) ? 'tooLong' : 'malformed'
      })
    },
    apiKey(api: Api, apiKey: string, settings: VerifySettings): Promise<ApiKeyInfo> {
      return verify(api, settings, () => (apiKey ? authenticator.byApiKey(api, apiKey) : 'noCredential'))
    },
  }
}

/** A limit throws one frozen refusal to many requests; the host gets an error that it may change. */
function toOwnError(error: OAuthError): OAuthError {
  return Object.isFrozen(error) ? createDenialError(error, error.cause) : error
}
