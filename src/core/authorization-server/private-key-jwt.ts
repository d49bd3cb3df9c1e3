import { generateKeyPairSync, hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ApplicationRecord, CredentialRecord, PublicJwk } from '../../shared/contracts/application-record.js'
import { createDenial, createDenialError, OAuthError, retryAfter } from '../../shared/contracts/denial.js'
import type { StoreWith } from '../../shared/contracts/store.js'
import { readJwtPart } from '../../shared/lib/jwt.js'
import { isLive } from '../applications/credentials/credentials.js'
import type { ClientApi } from '../http/client-credentials.js'
import type { Form } from '../http/form.js'
import { createKeySetOutages } from '../applications/credentials/key-set-outages.js'
import { createKeySetFetcher } from '../key-sets/fetch-key-set.js'
import { createKeySetCache } from '../key-sets/key-set-cache.js'
import { toVerificationKeys, type VerificationKey } from '../key-sets/public-key-set.js'
import { isCanonical, verifyAssertion } from '../tokens/verify-access-token.js'
import type { ComparedReading, FoundClient } from './client-outcomes.js'
import { hasOwnMember } from '../../shared/lib/own-members.js'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Seconds that an assertion may be valid for. */
const MAX_LIFETIME = 300
const MAX_ASSERTION_LENGTH = 8192
const MAX_ID_LENGTH = 255
/** Keys with which one assertion is tried: an application may have 200, and anybody may send assertions in its name. */
const MAX_TRIED = 20
/** Each is kept `MAX_LIFETIME` longer than it counts: a process whose clock is ahead must not delete it before. */
const MAX_USED = 5000

/** The claims of an assertion whose form and times are right. Its signature is not verified yet. */
interface Claims {
  readonly clientId: string
  readonly algorithm: string
  readonly kid: string | undefined
  readonly jti: string
  /** Seconds since 1970. */
  readonly exp: number
}

export interface AssertionAttempt {
  readonly found: FoundClient | undefined
  /** The identifier in the assertion, which may be no client's. */
  readonly clientId: string | undefined
  /** The key set that verifies it; undefined if none does. */
  readonly matched: CredentialRecord | undefined
  /** Why it does not authenticate the client, for operators; undefined if it does. */
  readonly reason: 'wrong_assertion' | 'expired_key_set' | 'replayed_assertion' | undefined
  /** What is wrong with an assertion that no client can have made for this API. */
  readonly problem: string | undefined
}

/** Authenticates clients that prove a private key (RFC 7523 3, OpenID Connect Core 9, draft-ietf-oauth-rfc7523bis). */
export function createAssertionReader(
  options: {
    readonly findClient: (id: string, req: IncomingMessage) => Promise<FoundClient | undefined>
    /** Given, because this file is loaded later, and would split what every program loads into more files. */
    readonly mayPass: (compared: Pick<ComparedReading, 'found' | 'matched'>) => boolean
    readonly store: Pick<StoreWith, 'assertions'>
    /** Hosts of key sets that may have any address. */
    readonly allow: readonly string[]
    readonly ca?: string | undefined
    readonly tokenEndpointAudience: boolean
    /** Seconds. */
    readonly clockTolerance: number
    readonly now: () => number
  } & Parameters<typeof createKeySetOutages>[0],
) {
  const { findClient, mayPass, store, allow, ca, tokenEndpointAudience, clockTolerance, now, ...toTell } = options
  const outages = createKeySetOutages({ ...toTell, now })
  const keySets = createKeySetCache({ fetchKeySet: createKeySetFetcher({ allow, ca }), now })
  /** Imported once for each record: records are immutable. */
  const imported = new WeakMap<object, readonly VerificationKey[]>()
  let strangers: ReturnType<typeof createStrangers> | undefined

  function readClaims(assertion: string, api: ClientApi): Claims | string {
    const isSigned = isSignedJwt(assertion)
    const header = isSigned ? readJwtPart(assertion, 'header') : undefined
    const payload = header && readJwtPart(assertion, 'claims')
    if (!header || !payload) return 'is no signed JWT (RFC 7519)'
    const { alg, kid, typ = 'JWT' } = header
    if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string'))
      return 'has no alg, or a kid that is no text'
    if (typeof typ !== 'string' || !TYPES.includes(typ.toLowerCase()))
      return 'has another typ than JWT or client-authentication+jwt'
    const { iss, sub, aud, jti, exp, iat, nbf } = payload
    if (typeof iss !== 'string' || iss !== sub) return 'needs iss and sub, both of which are the client_id'
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH)
      return `needs a jti of 1 to ${MAX_ID_LENGTH} characters`
    const audience: unknown = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
    if (audience !== api.resource && !(tokenEndpointAudience && audience === api.tokenEndpoint))
      return `needs the audience (aud) "${api.resource}", and no other`
    return findTimeProblem({ exp, iat, nbf }) ?? { clientId: iss, algorithm: alg, kid, jti, exp: exp as number }
  }

  function findTimeProblem({ exp, iat, nbf }: Readonly<Record<'exp' | 'iat' | 'nbf', unknown>>): string | undefined {
    const at = now() / 1000
    if (!isTime(exp)) return 'needs a time at which it expires (exp)'
    if (exp + clockTolerance <= at) return 'has expired'
    if (exp > at + MAX_LIFETIME + clockTolerance) return `expires later than ${MAX_LIFETIME} seconds from now`
    for (const [name, time] of Object.entries({ iat, nbf })) {
      if (time === undefined) continue
      if (!isTime(time)) return `has an ${name} that is no time`
      if (time > at + clockTolerance) return `has an ${name} in the future`
    }
    return undefined
  }

  async function listKeys(application: ApplicationRecord, record: CredentialRecord, kid: string | undefined) {
    const keySet = record.keySet!
    if (!hasOwnMember(keySet, 'keys')) {
      try {
        return await keySets.find(keySet, { application: application.id, kid })
      } finally {
        await outages.note(application, record, keySets.describe(keySet))
      }
    }
    const known = imported.get(keySet) ?? toVerificationKeys(keySet.keys)
    imported.set(keySet, known)
    return known
  }

  /** An address that does not answer counts only if no other key set has the key. */
  async function findKeySet(application: ApplicationRecord | undefined, assertion: string, { kid, algorithm }: Claims) {
    let outage: unknown
    let tried = 0
    for (const record of application?.secrets ?? []) {
      // An address is not read for a key set that has expired.
      if (!record.keySet || !(hasOwnMember(record.keySet, 'keys') || isLive(record, now()))) continue
      try {
        for (const key of await listKeys(application!, record, kid)) {
          if (kid !== undefined && key.kid !== undefined && key.kid !== kid) continue
          if (!key.algorithms.includes(algorithm) || tried === MAX_TRIED) continue
          tried += 1
          if (await verifyAssertion(assertion, key)) return record
        }
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error
        outage = error
      }
    }
    if (outage !== undefined) throw outage
    // So that the time taken does not show which clients exist, and which have such a key.
    if (tried === 0) await verifyAssertion(assertion, (strangers ??= createStrangers())(algorithm))
    return undefined
  }

  /** Refuses a second use, in every process. Throws 429 when the application has used too many. */
  async function useOnce({ id }: ApplicationRecord, { jti, exp }: Claims): Promise<boolean> {
    const assertion = {
      applicationId: id,
      hash: hash('sha256', jti, 'base64url'),
      // exp may have a fraction (RFC 7519 2), and databases keep whole milliseconds.
      expiresAt: Math.ceil((exp + clockTolerance + MAX_LIFETIME) * 1000),
    }
    const added = await toTell.limitChanges(id, () => store.assertions.add(assertion, { now: now(), most: MAX_USED }))
    if (added !== 'full') return added === 'added'
    const description = `The client has used ${MAX_USED} assertions in the last minutes; keep access tokens until they expire`
    throw createDenialError(createDenial('too_many_requests', description, retryAfter(60)))
  }

  return async function readAssertion(req: IncomingMessage, form: Form, api: ClientApi): Promise<AssertionAttempt> {
    const assertion = form.get('client_assertion') ?? ''
    if (form.get('client_assertion_type') !== ASSERTION_TYPE)
      throw new OAuthError('invalid_request', `client_assertion_type must be ${ASSERTION_TYPE}`)
    const claims = readClaims(assertion, api)
    if (typeof claims === 'string') return { ...NOBODY, problem: claims }
    const { clientId } = claims
    const named = form.get('client_id')
    if (named !== undefined && named !== clientId)
      throw new OAuthError('invalid_request', 'The client_id is not the one of the assertion')
    const found = await findClient(clientId, req)
    const matched = await findKeySet(found?.application, assertion, claims)
    const attempt = { found, clientId, matched: undefined, problem: undefined }
    if (!found || !matched) return { ...attempt, reason: 'wrong_assertion' }
    if (!isLive(matched, now())) return { ...attempt, reason: 'expired_key_set' }
    const verified = { ...attempt, matched, reason: undefined }
    // What does not pass uses nothing up: this process may not know yet that the application was resumed, and then reads the assertion again.
    if (!mayPass(verified) || (await useOnce(found.application, claims))) return verified
    return { ...attempt, reason: 'replayed_assertion' }
  }
}

/** Keys that have signed nothing, one for each kind. */
function createStrangers(): (algorithm: string) => VerificationKey {
  const pairs = [
    ...['P-256', 'P-384'].map((namedCurve) => generateKeyPairSync('ec', { namedCurve })),
    generateKeyPairSync('ed25519'),
  ]
  const made = pairs.map(({ publicKey }) => publicKey.export({ format: 'jwk' }) as PublicJwk)
  // Any odd number takes as long as a modulus, and is there at once.
  const n = Buffer.alloc(256, 0xc5).toString('base64url')
  const keys = toVerificationKeys([...made, { kty: 'RSA', n, e: 'AQAB' }])
  return (algorithm) => keys.find(({ algorithms }) => algorithms.includes(algorithm)) ?? keys[0]!
}

const NOBODY = { found: undefined, clientId: undefined, matched: undefined, reason: 'wrong_assertion' } as const

const TYPES = ['jwt', 'client-authentication+jwt']

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isSignedJwt(text: string): boolean {
  return text.length <= MAX_ASSERTION_LENGTH && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text) && isCanonical(text)
}
