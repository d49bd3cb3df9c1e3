import type { IncomingMessage } from 'node:http'
import type { ApplicationCache } from '../applications/records/application-cache.js'
import { isLive, type Credentials } from '../applications/credentials/credentials.js'
import { findGrant, isUsableAt, listKeyScopes } from '../applications/records/grants.js'
import type { LastUsed } from '../applications/credentials/last-used.js'
import { isEnded, type Activate } from '../applications/records/status.js'
import type { Api } from '../../shared/contracts/api.js'
import type { OAuthError } from '../../shared/contracts/denial.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { readOrigin } from '../http/origin.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import { formatFailureKey } from '../../shared/lib/request.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limits.js'
import type { RevokedTokens } from '../tokens/revoked-tokens.js'
import {
  ExpiredAccessToken,
  type AccessToken,
  type AccessTokenVerifier,
  type Verification,
} from '../tokens/verify-access-token.js'
import { Failure, type Refused } from './refusal.js'
import { Identity } from './identity.js'

export type Authenticator = ReturnType<typeof createAuthenticator>

/** The `recall` calls answer from memory, or null; the `by` calls then get what is missing. Both judge alike. */
export function createAuthenticator(
  options: {
    readonly accessTokens: Pick<AccessTokenVerifier, 'recall' | 'verify'>
    readonly revokedTokens: RevokedTokens
    readonly applicationCache: ApplicationCache
    readonly credentials: () => Credentials
    readonly activate: Activate
    readonly lastUsed: Pick<LastUsed, 'note'>
    readonly now: () => number
  },
  limitFailures: RateLimit | undefined,
) {
  const { accessTokens, revokedTokens, applicationCache, credentials, activate, lastUsed, now } = options
  function hasEnded(application: ApplicationRecord | undefined): boolean {
    return application?.endsAt !== undefined && isEnded(application, now())
  }

  /** The issuer knew of a later revocation than this process: the record here is older, or somebody else made the token. */
  async function findAgain({ applicationId }: AccessToken): Promise<ApplicationRecord | undefined> {
    applicationCache.evict(applicationId)
    return applicationCache.findById(applicationId)
  }

  /** Whether a refusal follows from a record that has changed: the store must tell how. */
  function isUnproven(result: Identity | Refused, application: ApplicationRecord | undefined): boolean {
    return !(result instanceof Identity) && application !== undefined && applicationCache.isOutdated(application)
  }

  /** Failures are counted after the look-up: a good key always passes, whatever else its address sends. */
  function refuseKey(refused: Refused, application: ApplicationRecord | undefined, req: IncomingMessage | undefined) {
    if (!limitFailures || !req) return refused
    // Every key that gets the answer of an unknown one is counted with unknown keys: another limit would tell them apart.
    const owner = refused instanceof Failure ? application?.id : undefined
    const orTooMany = (tooMany: OAuthError | undefined): Refused =>
      tooMany && refused instanceof Failure ? new Failure(tooMany, refused.caller) : (tooMany ?? refused)
    const counted = limitFailures.findRefusal(formatFailureKey(req, owner))
    return counted instanceof Promise ? counted.then(orTooMany) : orTooMany(counted)
  }

  async function activateByKey({ id, keys }: ApplicationRecord, hash: string, req: IncomingMessage | undefined) {
    const client = keys.find((key) => key.hash === hash)?.prefix
    await activate(id, { ...(req && readOrigin(req)), client })
  }

  return {
    recallAccessToken(api: Api, accessToken: string): Identity | Refused | null {
      const verification = accessTokens.recall(accessToken)
      if (verification === null) return null
      const token = judgeToken(api, verification)
      if (isRefused(token)) return token
      const isRevoked = revokedTokens.recall(token.id)
      const application = applicationCache.recallById(token.applicationId)
      if (isRevoked === null || application === null || isOlder(application, token)) return null
      const result = judgeTokenApplication(api, token, isRevoked || hasEnded(application), application)
      return isUnproven(result, application) ? null : result
    },
    /** Rejects if the store cannot answer. */
    async byAccessToken(api: Api, accessToken: string): Promise<Identity | Refused> {
      const token = judgeToken(api, await accessTokens.verify(accessToken))
      if (isRefused(token)) return token
      const isRevoked = await revokedTokens.isRevoked(token)
      const found = isRevoked ? undefined : await applicationCache.findById(token.applicationId)
      const application = isOlder(found, token) ? await findAgain(token) : found
      const result = judgeTokenApplication(api, token, isRevoked || hasEnded(application), application)
      if (isUnproven(result, application)) throw createUnprovenError()
      return result
    },
    /** The result is a promise while a bad key is being counted. */
    recallApiKey(api: Api, apiKey: string, req: IncomingMessage): Identity | Refused | Promise<Refused> | null {
      const hash = credentials().hashKey(apiKey)
      if (hash === undefined) return 'invalidApiKey'
      const application = applicationCache.recallByKeyHash(hash)
      if (application === null || application?.status === 'pending') return null
      const result = judgeKey(api, application, hash, now())
      if (isUnproven(result, application)) return null
      if (isBadKey(result)) return refuseKey(result, application, req)
      if (!isSuspended(result)) lastUsed.note(hash)
      return result
    },
    /** Whether it is a key of any application. Rejects if the store cannot answer. */
    isKnownKey(text: string, req: IncomingMessage): MaybePromise<boolean> {
      const hash = credentials().hashKey(text)
      const known = hash === undefined ? undefined : applicationCache.recallByKeyHash(hash)
      if (known !== null) return known !== undefined
      return Promise.resolve(applicationCache.findByKeyHash(hash!, text, req)).then((found) => found !== undefined)
    },
    /** Rejects if the store cannot answer. */
    async byApiKey(api: Api, apiKey: string, req?: IncomingMessage): Promise<Identity | Refused> {
      const hash = credentials().hashKey(apiKey)
      if (hash === undefined) return 'invalidApiKey'
      const application = await applicationCache.findByKeyHash(hash, apiKey, req)
      const result = judgeKey(api, application, hash, now())
      if (isUnproven(result, application)) throw createUnprovenError()
      if (isBadKey(result)) return refuseKey(result, application, req)
      if (isSuspended(result)) return result
      lastUsed.note(hash)
      if (application?.status === 'pending') await activateByKey(application, hash, req)
      return result
    },
  }
}

function createUnprovenError(): StoreUnavailableError {
  return new StoreUnavailableError('It could not be read how an application has changed.')
}

function judgeToken(api: Api, token: Verification): AccessToken | Refused {
  if (token === 'invalid') return 'invalidToken'
  if (token instanceof ExpiredAccessToken) {
    const { applicationId, exp } = token.token
    return new Failure('expiredToken', applicationId, { expiredAt: exp * 1000 })
  }
  const { issuer } = token
  if (issuer === api.resource) return token
  // Every issuer is `{baseUrl}/{API_NAME}`.
  const name = issuer.slice(issuer.lastIndexOf('/') + 1)
  return new Failure('tokenOfAnotherApi', token.applicationId, { api: name })
}

function isRefused(token: AccessToken | Refused): token is Refused {
  return typeof token === 'string' || token instanceof Failure
}

function isOlder(application: ApplicationRecord | undefined, token: AccessToken): boolean {
  return application !== undefined && token.tokensRevokedAt > application.tokensRevokedAt
}

function judgeTokenApplication(
  api: Api,
  token: AccessToken,
  isRevoked: boolean,
  application: ApplicationRecord | undefined,
): Identity | Refused {
  if (isRevoked) return new Failure('revokedToken', token.applicationId)
  if (!application || application.status === 'deleted') return 'unknownClient'
  if (application.status === 'suspended') return new Failure('suspended', application.id)
  const grant = findGrant(application, api)
  if (!grant) return new Failure('notAllowed', application.id)
  if (application.status !== 'active') return new Failure('revokedToken', application.id)
  if (token.tokensRevokedAt !== application.tokensRevokedAt) return new Failure('revokedToken', application.id)
  const isGranted = (scope: string): boolean => grant.scopes.includes(scope)
  const scopes = token.scopes.every(isGranted) ? token.scopes : token.scopes.filter(isGranted)
  if (token.credentialId === undefined) return new Identity(api, application, scopes, token, undefined)
  const secret = application.secrets.find(({ id }) => id === token.credentialId)
  // The client gets a new access token with another secret, if that may be used where it is.
  if (!secret) return new Failure('revokedToken', application.id)
  return new Identity(api, application, scopes, token, secret.networks)
}

function judgeKey(api: Api, application: ApplicationRecord | undefined, hash: string, now: number): Identity | Refused {
  const key = application && findKey(application, hash)
  // An imported client id is restricted to no API. It may be easy to guess, so it gets what an unknown text gets.
  if (!key || isForNoApi(key)) return 'invalidApiKey'
  if (!isLive(key, now))
    return new Failure('expiredApiKey', application.id, { credential: key.name, expiredAt: key.expiresAt ?? null })
  if (application.status === 'deleted') return 'invalidApiKey'
  const grant = findGrant(application, api)
  if (!grant) return new Failure('notAllowed', application.id)
  // Only a caller with a valid key may learn that its application is suspended.
  if (application.status === 'suspended') return new Failure('suspended', application.id)
  if (isUsableAt(key, api))
    return new Identity(api, application, listKeyScopes(api, key, grant.scopes), undefined, key.networks)
  return new Failure('restrictedKey', application.id, { credential: key.name })
}

/** A loop is used: `find()` would allocate a closure for each request. */
function findKey({ keys }: ApplicationRecord, hash: string): CredentialRecord | undefined {
  for (const key of keys) if (key.hash === hash) return key
  return undefined
}

function isForNoApi({ apis }: CredentialRecord): boolean {
  if (apis === undefined) return false
  for (const api in apis) if (Object.hasOwn(apis, api)) return false
  return true
}

function isBadKey(result: Identity | Refused): result is Refused {
  return result === 'invalidApiKey' || (result instanceof Failure && result.problem === 'expiredApiKey')
}

function isSuspended(result: Identity | Refused): result is Failure {
  return result instanceof Failure && result.problem === 'suspended'
}
