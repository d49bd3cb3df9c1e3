import type { IncomingMessage } from 'node:http'
import type { ApplicationCache } from '../applications/application-cache.js'
import { isLive, type Credentials } from '../applications/credentials.js'
import { findGrant } from '../applications/grants.js'
import type { LastUsed } from '../applications/last-used.js'
import { isUsableAt } from '../applications/restrictions.js'
import type { Activate } from '../applications/status.js'
import type { Api } from '../contracts/api.js'
import { readOrigin } from '../contracts/events.js'
import type { ApplicationRecord, CredentialRecord } from '../contracts/store.js'
import { formatFailureKey } from '../http/request.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import type { AccessToken, AccessTokenVerifier, Verification } from '../tokens/verify-access-token.js'
import { Identity } from './identity.js'

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
export type KeyFailureReason = 'invalidApiKey' | 'expiredApiKey' | 'suspended' | 'notAllowed' | 'restrictedKey'

/**
 * Authenticates a credential. The `recall` calls answer from memory alone, or null where the store or a signature check is
 * needed; the `by` calls then get what is missing. Both decide by `judgeToken`, `judgeTokenApplication` and `judgeKey`.
 */
export interface Authenticator {
  recallAccessToken(api: Api, accessToken: string): Identity | TokenFailureReason | null
  /** A promise while a bad key is being counted, which rejects for too many of them. */
  recallApiKey(
    api: Api,
    apiKey: string,
    req: IncomingMessage,
  ): Identity | KeyFailureReason | Promise<KeyFailureReason> | null
  /** Rejects if the store cannot answer. */
  byAccessToken(api: Api, accessToken: string): Promise<Identity | TokenFailureReason>
  /** Rejects if the store cannot answer, or for too many unknown keys. */
  byApiKey(api: Api, apiKey: string, req?: IncomingMessage): Promise<Identity | KeyFailureReason>
}

interface AuthenticatorOptions {
  readonly accessTokens: Pick<AccessTokenVerifier, 'recall' | 'verify'>
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

  /** The issuer knew of a later revocation than this process: the record here is older, or somebody else made the token. */
  async function findAgain({ applicationId }: AccessToken): Promise<ApplicationRecord | undefined> {
    applicationCache.evict(applicationId)
    return applicationCache.findById(applicationId)
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

  async function activateByKey(
    { id, keys }: ApplicationRecord,
    hash: string,
    req: IncomingMessage | undefined,
  ): Promise<void> {
    const client = keys.find((key) => key.hash === hash)?.prefix
    await activate(id, { ...(req && readOrigin(req)), client })
  }

  return {
    recallAccessToken(api, accessToken) {
      const verification = accessTokens.recall(accessToken)
      if (verification === null) return null
      const token = judgeToken(api, verification)
      if (typeof token === 'string') return token
      const isRevoked = revokedTokens.recall(token.id)
      const application = applicationCache.recallById(token.applicationId)
      if (isRevoked === null || application === null || isOlder(application, token)) return null
      return judgeTokenApplication(api, token, isRevoked, application)
    },
    async byAccessToken(api, accessToken) {
      const token = judgeToken(api, await accessTokens.verify(accessToken))
      if (typeof token === 'string') return token
      const isRevoked = await revokedTokens.isRevoked(token)
      const found = isRevoked ? undefined : await applicationCache.findById(token.applicationId)
      const application = isOlder(found, token) ? await findAgain(token) : found
      return judgeTokenApplication(api, token, isRevoked, application)
    },
    recallApiKey(api, apiKey, req) {
      const hash = credentials().hashKey(apiKey)
      if (hash === undefined) return 'invalidApiKey'
      const application = applicationCache.recallByKeyHash(hash)
      if (application === null || application?.status === 'pending') return null
      const result = judgeKey(api, application, hash, now())
      if (isBadKey(result)) return refuseKey(result, application, req)
      if (result !== 'suspended') lastUsed.note(hash)
      return result
    },
    async byApiKey(api, apiKey, req) {
      const hash = credentials().hashKey(apiKey)
      if (hash === undefined) return 'invalidApiKey'
      const application = await applicationCache.findByKeyHash(hash, apiKey, req)
      const result = judgeKey(api, application, hash, now())
      if (isBadKey(result)) return refuseKey(result, application, req)
      if (result === 'suspended') return result
      lastUsed.note(hash)
      if (application?.status === 'pending') await activateByKey(application, hash, req)
      return result
    },
  }
}

const NO_SCOPES: readonly string[] = []

/** What the token alone decides. */
function judgeToken(api: Api, token: Verification): AccessToken | TokenFailureReason {
  if (token === 'invalid') return 'invalidToken'
  if (token === 'expired') return 'expiredToken'
  return token.issuer === api.resource ? token : 'tokenOfAnotherApi'
}

/** Whether the record is older than the token. */
function isOlder(application: ApplicationRecord | undefined, token: AccessToken): boolean {
  return application !== undefined && token.tokensRevokedAt > application.tokensRevokedAt
}

function judgeTokenApplication(
  api: Api,
  token: AccessToken,
  isRevoked: boolean,
  application: ApplicationRecord | undefined,
): Identity | TokenFailureReason {
  if (isRevoked) return 'revokedToken'
  if (!application || application.status === 'deleted') return 'unknownClient'
  if (application.status === 'suspended') return 'suspended'
  const grant = findGrant(application, api)
  if (!grant) return 'notAllowed'
  if (application.status !== 'active') return 'revokedToken'
  if (token.tokensRevokedAt !== application.tokensRevokedAt) return 'revokedToken'
  const isGranted = (scope: string): boolean => grant.scopes.includes(scope)
  const scopes = token.scopes.every(isGranted) ? token.scopes : token.scopes.filter(isGranted)
  return new Identity(api, application, scopes, token)
}

function judgeKey(
  api: Api,
  application: ApplicationRecord | undefined,
  hash: string,
  now: number,
): Identity | KeyFailureReason {
  const key = application && findKey(application, hash)
  if (!key) return 'invalidApiKey'
  if (!isLive(key, now)) return 'expiredApiKey'
  // Only a caller with a valid key may learn that its application is suspended.
  if (application.status === 'suspended') return 'suspended'
  if (application.status === 'deleted') return 'invalidApiKey'
  if (!findGrant(application, api)) return 'notAllowed'
  return isUsableAt(key, api) ? new Identity(api, application, NO_SCOPES, undefined) : 'restrictedKey'
}

/** A loop: `find()` would allocate a closure for each request. */
function findKey({ keys }: ApplicationRecord, hash: string): CredentialRecord | undefined {
  for (const key of keys) if (key.hash === hash) return key
  return undefined
}

function isBadKey(result: unknown): result is 'invalidApiKey' | 'expiredApiKey' {
  return result === 'invalidApiKey' || result === 'expiredApiKey'
}
