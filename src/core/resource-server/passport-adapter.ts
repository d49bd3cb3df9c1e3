import type { IncomingMessage, ServerResponse } from 'node:http'
import { Passport, type Strategy as PassportStrategy } from 'passport'
import { Strategy as BearerStrategy, type VerifyFunctionWithRequest } from 'passport-http-bearer'
import type { Api } from '../../shared/contracts/api.js'
import { limitAuthenticationTime } from '../http/endpoints.js'
import { handOnFailure } from '../http/middleware.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import type { Authenticator } from './authenticate.js'
import type { Refused } from './refusal.js'
import { Identity } from './identity.js'

/**
 * The request that a strategy sees. Passport writes to its request, and passport-http-bearer also reads tokens from the query
 * and the body. With this object neither happens, and the host's Passport is not affected.
 *
 * It is a class, and holds all later state, for the memory of a request (docs/architecture.md, "Why it is fast").
 */
export class PassportRequest {
  readonly api: Api
  readonly headers: Readonly<Record<string, string>>
  // passport-http-bearer reads both. Own properties, so that a polluted Object.prototype cannot provide them.
  readonly body = undefined
  readonly query = undefined
  /** The member in which Passport puts the strategy's result. */
  readonly identity: Identity | undefined = undefined
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly next: (error?: unknown) => void
  /** The start of the request's wait for the platform, on the monotonic clock; undefined if it did not wait. */
  readonly waitsSince: number | undefined

  constructor(
    api: Api,
    headers: PassportRequest['headers'],
    request: IncomingMessage,
    response: ServerResponse,
    next: PassportRequest['next'],
    waitsSince: number | undefined,
  ) {
    this.api = api
    this.headers = headers
    this.request = request
    this.response = response
    this.next = next
    this.waitsSince = waitsSince
  }
}

/** Runs a strategy. Calls `callback` once: with the identity, the refusal's reason, or the thrown error. */
export type AuthenticateRequest = (passportRequest: PassportRequest, callback: AuthenticationCallback) => void

type AuthenticationCallback = (passportRequest: PassportRequest, problem: unknown, identity?: Identity) => void

/** passport-http-bearer (RFC 6750 2.1). */
export function createBearerAuthentication(authenticator: Authenticator): AuthenticateRequest {
  const verify: Verify = ({ api }, accessToken) => authenticator.byAccessToken(api, accessToken)
  const strategy = new BearerStrategy<VerifyFunctionWithRequest>(
    { passReqToCallback: true },
    function verifyAccessToken(req, accessToken, done) {
      callVerify(verify, req as unknown as PassportRequest, accessToken, done)
    },
  )
  return createPrivatePassport(strategy)
}

/** passport-headerapikey. A platform without key APIs does not load it: with lodash it takes more memory than the core. */
export function createApiKeyAuthentication(authenticator: Authenticator): AuthenticateRequest {
  let loaded: AuthenticateRequest | undefined
  return function authenticate(passportRequest, callback) {
    if (loaded) return loaded(passportRequest, callback)
    const authenticated = loadApiKeyAuthentication(authenticator).then(
      (authenticateLater) => (loaded = authenticateLater)(passportRequest, callback),
      (error: unknown) => callback(passportRequest, error),
    )
    handOnFailure(authenticated, passportRequest.response, passportRequest.next)
  }
}

export async function loadApiKeyStrategy(apis: readonly Pick<Api, 'scheme'>[]): Promise<unknown> {
  return apis.some(({ scheme }) => scheme === 'apiKey') ? import('passport-headerapikey') : undefined
}

async function loadApiKeyAuthentication(authenticator: Authenticator): Promise<AuthenticateRequest> {
  const { HeaderAPIKeyStrategy } = await import('passport-headerapikey')
  const verify: Verify = ({ api, request }, apiKey) => authenticator.byApiKey(api, apiKey, request)
  const strategy = new HeaderAPIKeyStrategy(
    { header: 'x-api-key', prefix: '' },
    true,
    function verifyApiKey(apiKey, done, req) {
      callVerify(verify, req as unknown as PassportRequest, apiKey, done)
    },
  )
  return createPrivatePassport(strategy)
}

/** A Passport instance for one strategy, by name: requests would share a strategy passed to authenticate(). */
function createPrivatePassport(strategy: object): AuthenticateRequest {
  const passport = new Passport()
  passport.use('guard', strategy as PassportStrategy)
  // Passport reads many options, such as `successRedirect`, at each request.
  const options = ownMembers({ session: false, authInfo: false, assignProperty: 'identity', failWithError: true })
  const middleware = passport.authenticate('guard', options) as (
    req: PassportRequest,
    res: object,
    next: (problem?: unknown) => void,
  ) => void

  return function authenticate(passportRequest, callback) {
    // A strategy that fails or passes after the guard accepted the header must not let the request through.
    middleware(passportRequest, UNUSED_RESPONSE, (problem) => {
      const { identity } = passportRequest
      callback(passportRequest, problem ?? (identity ? undefined : new Error('The strategy passed.')), identity)
    })
  }
}

/** Passport sets headers of its own refusal here. They are never sent. */
const UNUSED_RESPONSE = { setHeader() {} }

type Verify = (passportRequest: PassportRequest, credential: string) => Promise<Identity | Refused>

type Done = (problem: Error | null, identity?: Identity) => void

function callVerify(verify: Verify, passportRequest: PassportRequest, credential: string, done: Done): void {
  const verified = verify(passportRequest, credential)
  const settled = limitAuthenticationTime(verified, passportRequest.waitsSince).then(
    (result) => (result instanceof Identity ? done(null, result) : done(result as unknown as Error)),
    done,
  )
  handOnFailure(settled, passportRequest.response, passportRequest.next)
}
