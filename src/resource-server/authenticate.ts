import type { IncomingMessage } from 'node:http'
import type { ApiSettings } from '../options/settings.js'
import { findGrant } from '../applications/grants.js'
import { isLive, type Credentials } from '../applications/credentials.js'
import type { Activate } from '../applications/status.js'
import type { ApplicationCache } from '../applications/application-cache.js'
import type { LastUsed } from '../applications/last-used.js'
import { readRequestId } from '../contracts/events.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { ApplicationRecord } from '../contracts/store.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { AccessToken, AccessTokenVerifier, Verification } from '../tokens/verify-access-token.js'

/** Who calls, and what it may do at this API. */
export interface Identity {
  readonly api: ApiSettings
  readonly application: ApplicationRecord
  /** The token's scopes that are still granted; none at a key API. */
  readonly scopes: readonly string[]
  readonly token: AccessToken | undefined
}

/** Why an access token establishes nobody. */
export type TokenFailureReason = 'invalidToken' | 'expiredToken' | 'tokenOfAnotherApi' | 'endedToken'
/** Why an API key establishes nobody. */
export type KeyFailureReason = 'invalidKey' | 'keyNotAllowed'

/** From memory in the common case, and then at once. Rejects only when the store can't answer. */
export interface Identify {
  byAccessToken(api: ApiSettings, token: string): MaybePromise<Identity | TokenFailureReason>
  byKey(api: ApiSettings, key: string, req?: IncomingMessage): MaybePromise<Identity | KeyFailureReason>
}

interface IdentifyOptions {
  readonly accessTokens: Pick<AccessTokenVerifier, 'verify'>
  readonly revokedTokens: RevokedTokens
  readonly applicationCache: ApplicationCache
  readonly credentials: () => Credentials
  /** Ends `pending`, for an application whose key has arrived. */
  readonly activate: Activate
  readonly lastUsed: Pick<LastUsed, 'note'>
  readonly now: () => number
}

export function createIdentify(options: IdentifyOptions): Identify {
  const { accessTokens, revokedTokens, applicationCache, credentials, activate, lastUsed, now } = options

  // Functions are made where something has to be waited for, and nowhere else: every request comes by here.
  function ofToken(api: ApiSettings, token: Verification): MaybePromise<Identity | TokenFailureReason> {
    if (token === 'invalid') return 'invalidToken'
    if (token === 'expired') return 'expiredToken'
    if (token.issuer !== api.resource) return 'tokenOfAnotherApi'
    const revoked = revokedTokens.isRevoked(token.id)
    return revoked instanceof Promise
      ? revoked.then((ended) => ofCaller(api, token, ended))
      : ofCaller(api, token, revoked)
  }

  function ofCaller(
    api: ApiSettings,
    token: AccessToken,
    revoked: boolean,
  ): MaybePromise<Identity | TokenFailureReason> {
    if (revoked) return 'endedToken'
    const application = applicationCache.findById(token.applicationId)
    return application instanceof Promise
      ? application.then((found) => identityOf(api, found, token))
      : identityOf(api, application, token)
  }

  function ofKey(
    api: ApiSettings,
    application: ApplicationRecord | undefined,
    hash: string,
    req: IncomingMessage | undefined,
  ): MaybePromise<Identity | KeyFailureReason> {
    if (!application || !hasLiveKey(application, hash)) return 'invalidKey'
    // Whoever holds a good key may know what is wrong with its application; nobody else may.
    if (application.status === 'suspended') return 'keyNotAllowed'
    if (application.status === 'deleted') return 'invalidKey'
    lastUsed.note(hash)
    const access = findGrant(application, api)
    const identity = access ? { api, application, scopes: NONE, token: undefined } : 'keyNotAllowed'
    return application.status === 'pending' ? onceActive(identity, application, req) : identity
  }

  function onceActive<Result>(result: Result, { id }: ApplicationRecord, req?: IncomingMessage): Promise<Result> {
    return activate(id, req && readRequestId(req)).then(() => result)
  }

  function hasLiveKey({ keys }: ApplicationRecord, hash: string): boolean {
    for (const key of keys) if (key.hash === hash) return isLive(key, now())
    return false
  }

  return {
    byAccessToken(api, presented) {
      const token = accessTokens.verify(presented)
      return token instanceof Promise ? token.then((verified) => ofToken(api, verified)) : ofToken(api, token)
    },
    byKey(api, key, req) {
      const hash = credentials().hashKey(key)
      if (hash === undefined) return 'invalidKey'
      const application = applicationCache.findByKeyHash(hash)
      return application instanceof Promise
        ? application.then((found) => ofKey(api, found, hash, req))
        : ofKey(api, application, hash, req)
    },
  }
}

const NONE: readonly string[] = []

function identityOf(
  api: ApiSettings,
  application: ApplicationRecord | undefined,
  token: AccessToken,
): Identity | TokenFailureReason {
  const access = application && findGrant(application, api)
  if (!application || !access || application.status !== 'active') return 'endedToken'
  if (token.tokensRevokedAt < application.tokensRevokedAt) return 'endedToken'
  const granted = (scope: string): boolean => access.scopes.includes(scope)
  const scopes = token.scopes.every(granted) ? token.scopes : token.scopes.filter(granted)
  return { api, application, scopes, token }
}
