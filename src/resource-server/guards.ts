import type { IncomingMessage, ServerResponse } from 'node:http'
import { isApplicationId } from '../applications/application-id.js'
import { readKeyPrefix } from '../applications/credentials.js'
import type { Api } from '../contracts/api.js'
import type { EventDetails } from '../contracts/events.js'
import { readBearer } from '../http/bearer.js'
import { hasDuplicateHeader, readHeader } from '../http/request.js'
import { isObject } from '../lib/is-object.js'
import type { OnDenied } from '../options/options.js'
import type { Authenticator } from './authenticate.js'
import { createApiKeyErrors, createBearerErrors } from './error-responses.js'
import {
  createGuardFactory,
  DUPLICATE_CREDENTIAL,
  MALFORMED_CREDENTIAL,
  NO_CREDENTIAL,
  type Guard,
  type GuardFactoryOptions,
} from './guard.js'
import { createApiKeyAuthentication, createBearerAuthentication } from './passport-adapter.js'

/** The options of every guard. */
export interface GuardOptions {
  /** Lets a request without a credential pass. A bad credential is still refused. */
  readonly optional?: boolean
  /** Replaces this guard's refusals; the platform's `onDenied` if left out. */
  readonly onDenied?: OnDenied
}

/** The options of a bearer guard. */
export interface BearerGuardOptions<Scope extends string = string> extends GuardOptions {
  /** The access token needs all of these scopes; none if left out. */
  readonly scopes?: readonly Scope[]
}

/** Makes the guards of one platform. */
export interface Guards {
  bearer(api: Api, options: BearerGuardOptions): Guard
  apiKey(api: Api, options: GuardOptions): Guard
}

interface GuardsOptions extends GuardFactoryOptions {
  readonly authenticator: Authenticator
  readonly onDenied: OnDenied | undefined
}

export function createGuards({ authenticator, onDenied: platformOnDenied, ...options }: GuardsOptions): Guards {
  const createGuard = createGuardFactory(options)
  const authenticateBearer = createBearerAuthentication(authenticator)
  const authenticateApiKey = createApiKeyAuthentication(authenticator)

  return {
    bearer(api, { scopes = [], optional = false, onDenied = platformOnDenied }) {
      return createGuard({
        api,
        scopes,
        optional,
        onDenied,
        errors: createBearerErrors(api, scopes),
        header: 'authorization',
        recall: (authorization) => authenticator.recallAccessToken(api, authorization.slice('Bearer '.length)),
        authenticate: authenticateBearer,
        readClient: readTokenClient,
        readCredential(req) {
          if (hasDuplicateHeader(req, 'authorization')) return DUPLICATE_CREDENTIAL
          const authorization = readBearer(readHeader(req, 'authorization'))
          if (authorization === undefined) return NO_CREDENTIAL
          return authorization === false ? MALFORMED_CREDENTIAL : authorization
        },
        prepareResponse: undefined,
      })
    },
    apiKey(api, { optional = false, onDenied = platformOnDenied }) {
      const readKeyHeader = createKeyHeaderReader(api.keyHeaders)
      return createGuard({
        api,
        scopes: [],
        optional,
        onDenied,
        errors: createApiKeyErrors(api),
        // Whatever header the API reads: the strategy has one, and the object that it gets has no other.
        header: 'x-api-key',
        recall: (apiKey) => authenticator.recallApiKey(api, apiKey),
        authenticate: authenticateApiKey,
        readClient(req) {
          const key = readKeyHeader(req)
          return key ? readKeyPrefix(key) : undefined
        },
        readCredential(req) {
          const apiKey = readKeyHeader(req)
          return apiKey === false ? DUPLICATE_CREDENTIAL : (apiKey ?? NO_CREDENTIAL)
        },
        prepareResponse: createCacheProtection(api.keyHeaders.join(', ')),
      })
    },
  }
}

/** The `client_id` of the access token, which is not verified here. */
function readTokenClient(req: IncomingMessage, { applicationId }: EventDetails): string | undefined {
  if (applicationId !== undefined) return applicationId
  const { authorization = '' } = req.headers
  if (authorization.length > MAX_TOKEN_HEADER_LENGTH) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString())
    const client = isObject(claims) && Object.hasOwn(claims, 'client_id') ? claims['client_id'] : undefined
    return typeof client === 'string' && isApplicationId(client) ? client : undefined
  } catch {
    return undefined
  }
}

const MAX_TOKEN_HEADER_LENGTH = 8 * 1024 + 'Bearer '.length

/** Reads the key from the one header of a request that has it; false if there are two. */
function createKeyHeaderReader(
  keyHeaders: readonly string[],
): (req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>) => string | false | undefined {
  const [name = '', otherName] = keyHeaders.map((header) => header.toLowerCase())

  return function readKeyHeader(req) {
    if (hasDuplicateHeader(req, name)) return false
    let apiKey = readHeader(req, name)
    if (otherName !== undefined) {
      const other = readHeader(req, otherName)
      if (other !== undefined && (apiKey !== undefined || hasDuplicateHeader(req, otherName))) return false
      apiKey ??= other
    }
    return typeof apiKey === 'string' && apiKey !== '' ? apiKey : undefined
  }
}

/** Shared caches do not store answers to `Authorization` (RFC 9111 3.5), but they do not know the headers of keys. */
function createCacheProtection(keyHeaders: string): (res: ServerResponse) => void {
  return function forbidSharedCaching(res) {
    const vary = res.getHeader('Vary')
    res.setHeader('Vary', vary === undefined ? keyHeaders : `${String(vary)}, ${keyHeaders}`)
    if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'private')
  }
}
