import type { IncomingMessage } from 'node:http'
import type { ApplicationCache } from '../applications/application-cache.js'
import { isLive, type Credentials } from '../applications/credentials.js'
import { findGrant } from '../applications/grants.js'
import type { LastUsed } from '../applications/last-used.js'
import type { Activate } from '../applications/status.js'
import type { Api } from '../contracts/api.js'
import { readOrigin } from '../contracts/events.js'
import type { ApplicationRecord } from '../contracts/store.js'
import { formatFailureKey } from '../http/request.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { AccessToken, AccessTokenVerifier, Verification } from '../tokens/verify-access-token.js'

/** An authenticated application, and what it may do at one API. */
export interface Identity {
  readonly api: Api
  readonly application: ApplicationRecord
  /** The scopes of the access token that are still granted; empty at an API with API keys. */
  readonly scopes: readonly string[]
  readonly token: AccessToken | undefined
}

/** Why an access token is refused. */
export type TokenFailureReason =
  | 'invalidToken'
  | 'expiredToken'
  | 'tokenOfAnotherApi'
  | 'revokedToken'
  | 'unknownClient'
  | 'suspended'
  | 'notAllowed'
/** Why an API key is refused. */
export type KeyFailureReason = 'invalidApiKey' | 'expiredApiKey' | 'suspended' | 'notAllowed'

/**
 * Answers synchronously when everything is cached, which is the common case. Rejects if the store cannot answer, or for too
 * many unknown keys.
 */
export interface Authenticator {
  byAccessToken(api: Api, accessToken: string): MaybePromise<Identity | TokenFailureReason>
  byApiKey(api: Api, apiKey: string, req?: IncomingMessage): MaybePromise<Identity | KeyFailureReason>
}

interface AuthenticatorOptions {
  readonly accessTokens: Pick<AccessTokenVerifier, 'verify'>
  readonly revokedTokens: RevokedTokens
  readonly applicationCache: ApplicationCache
  readonly credentials: () => Credentials
  /** Makes a pending application active: its key has arrived. */
  readonly activate: Activate
  readonly lastUsed: Pick<LastUsed, 'note'>
  readonly limitFailures: RateLimit | undefined
  readonly now: () => number
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { accessTokens, revokedTokens, applicationCache, credentials, activate, lastUsed, limitFailures, now } = options

  // Every guarded request runs this code, so closures are created only in the asynchronous cases. test/hot-paths.integration.test.ts
  // counts the memory of a request.
  function checkToken(api: Api, token: Verification): MaybePromise<Identity | TokenFailureReason> {
    if (token === 'invalid') return 'invalidToken'
    if (token === 'expired') return 'expiredToken'
    if (token.issuer !== api.resource) return 'tokenOfAnotherApi'
    const isRevoked = revokedTokens.isRevoked(token)
    return isRevoked instanceof Promise
      ? isRevoked.then((revoked) => findTokenApplication(api, token, revoked))
      : findTokenApplication(api, token, isRevoked)
  }

  function findTokenApplication(
    api: Api,
    token: AccessToken,
    isRevoked: boolean,
  ): MaybePromise<Identity | TokenFailureReason> {
    if (isRevoked) return 'revokedToken'
    const application = applicationCache.findById(token.applicationId)
    return application instanceof Promise
      ? application.then((found) => checkRevocation(api, found, token))
      : checkRevocation(api, application, token)
  }

  function checkRevocation(
    api: Api,
    application: ApplicationRecord | undefined,
    token: AccessToken,
  ): MaybePromise<Identity | TokenFailureReason> {
    const isAhead = application !== undefined && token.tokensRevokedAt > application.tokensRevokedAt
    return isAhead ? checkAgain(api, token) : checkTokenApplication(api, application, token)
  }

  /** The issuer knew of a later revocation than this process: the record here is older, or somebody else made the token. */
  async function checkAgain(api: Api, token: AccessToken): Promise<Identity | TokenFailureReason> {
    applicationCache.evict(token.applicationId)
    return checkTokenApplication(api, await applicationCache.findById(token.applicationId), token)
  }

  function checkKeyApplication(
    api: Api,
    application: ApplicationRecord | undefined,
    hash: string,
    req: IncomingMessage | undefined,
  ): MaybePromise<Identity | KeyFailureReason> {
    if (!application) return refuseKey('invalidApiKey', application, req)
    if (!hasLiveKey(application, hash)) return refuseKey(describeKey(application, hash), application, req)
    // Only a caller with a valid key may learn that its application is suspended.
    if (application.status === 'suspended') return 'suspended'
    if (application.status === 'deleted') return refuseKey('invalidApiKey', application, req)
    lastUsed.note(hash)
    const grant = findGrant(application, api)
    const result = grant ? { api, application, scopes: NO_SCOPES, token: undefined } : 'notAllowed'
    return application.status === 'pending' ? activateFirst(result, application, hash, req) : result
  }

  /** Counted after the look-up: a good key always passes, whatever else its address sends. */
  function refuseKey(
    reason: KeyFailureReason,
    application: ApplicationRecord | undefined,
    req: IncomingMessage | undefined,
  ): MaybePromise<KeyFailureReason> {
    if (!limitFailures || !req) return reason
    return limitFailures(formatFailureKey(req, application?.id)).then(() => reason)
  }

  function hasLiveKey({ keys }: ApplicationRecord, hash: string): boolean {
    for (const key of keys) if (key.hash === hash) return isLive(key, now())
    return false
  }

  function activateFirst<Result>(
    result: Result,
    { id, keys }: ApplicationRecord,
    hash: string,
    req: IncomingMessage | undefined,
  ): Promise<Result> {
    const client = keys.find((key) => key.hash === hash)?.prefix
    return activate(id, { ...(req && readOrigin(req)), client }).then(() => result)
  }

  return {
    byAccessToken(api, accessToken) {
      const token = accessTokens.verify(accessToken)
      return token instanceof Promise ? token.then((verified) => checkToken(api, verified)) : checkToken(api, token)
    },
    byApiKey(api, apiKey, req) {
      const hash = credentials().hashKey(apiKey)
      if (hash === undefined) return 'invalidApiKey'
      const application = applicationCache.findByKeyHash(hash, req)
      return application instanceof Promise
        ? application.then((found) => checkKeyApplication(api, found, hash, req))
        : checkKeyApplication(api, application, hash, req)
    },
  }
}

const NO_SCOPES: readonly string[] = []

/** Why a key that is not live is refused: it has expired, or is no longer the application's. */
function describeKey({ keys }: ApplicationRecord, hash: string): KeyFailureReason {
  return keys.some((key) => key.hash === hash) ? 'expiredApiKey' : 'invalidApiKey'
}

function checkTokenApplication(
  api: Api,
  application: ApplicationRecord | undefined,
  token: AccessToken,
): Identity | TokenFailureReason {
  if (!application || application.status === 'deleted') return 'unknownClient'
  if (application.status === 'suspended') return 'suspended'
  const grant = findGrant(application, api)
  if (!grant) return 'notAllowed'
  if (application.status !== 'active') return 'revokedToken'
  if (token.tokensRevokedAt !== application.tokensRevokedAt) return 'revokedToken'
  const isGranted = (scope: string): boolean => grant.scopes.includes(scope)
  const scopes = token.scopes.every(isGranted) ? token.scopes : token.scopes.filter(isGranted)
  return { api, application, scopes, token }
}
