import type { IncomingMessage } from 'node:http'
import type { ApplicationCache } from '../applications/application-cache.js'
import { isApplicationId } from '../applications/application-id.js'
import { isLive, type Credentials } from '../applications/credentials.js'
import type { LastUsed } from '../applications/last-used.js'
import type { Activate } from '../applications/status.js'
import { OAuthError, StoreUnavailableError } from '../contracts/errors.js'
import { readRequestId } from '../contracts/events.js'
import type { ApplicationRecord } from '../contracts/store.js'
import { isBasic, readBasic, type ClientCredentials } from '../http/basic.js'
import type { Form } from '../http/form.js'
import { formatFailureKey, hasDuplicateHeader } from '../http/request.js'
import { formatChallenge } from '../http/respond.js'
import type { MaybePromise } from '../lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'

/** Client authentication (RFC 6749 2.3): resolves the client's application, or rejects with `OAuthError`. */
export type AuthenticateClient = (req: IncomingMessage, form: Form, api: string) => Promise<ApplicationRecord>

export interface ClientAuthenticationOptions {
  readonly applicationCache: ApplicationCache
  readonly credentials: () => Credentials
  /** Makes a pending application active: its credentials have arrived. */
  readonly activate: Activate
  readonly lastUsed: Pick<LastUsed, 'note'>
  readonly limitFailures: RateLimit | undefined
  /** Rejects while the platform cannot answer. */
  readonly available: () => MaybePromise<void>
  /** Resolves whether this process has read every change that was committed before; gives up early if the store is slow. */
  readonly waitForLatest: () => Promise<boolean>
  /** The same, without giving up early. */
  readonly readChanges: () => Promise<boolean>
  readonly now: () => number
}

/** The application that authenticated; or the one whose key or id was presented, if its authentication failed. */
interface Attempt {
  readonly authenticated?: ApplicationRecord
  readonly known?: ApplicationRecord | undefined
}

interface FoundClient {
  readonly application: ApplicationRecord
  /** The hash of the key that was presented; undefined if it was the application's id. */
  readonly hash?: string
}

export function createClientAuthentication(options: ClientAuthenticationOptions): AuthenticateClient {
  const { applicationCache, credentials, activate, lastUsed, limitFailures } = options
  const { available, waitForLatest, readChanges, now } = options

  async function authenticate(readings: readonly ClientCredentials[], req: IncomingMessage): Promise<Attempt> {
    let known: ApplicationRecord | undefined
    for (const { id, secret } of readings) {
      const found = isApplicationId(id) ? await findById(id, req) : await findByKey(id, req)
      // The secret of an unknown client is compared too, so that the time taken does not show which clients exist.
      const matched = credentials().match(secret, found?.application.secrets ?? [], now())
      if (found && matched && MAY_AUTHENTICATE.includes(found.application.status)) {
        if (found.hash !== undefined) lastUsed.note(found.hash)
        lastUsed.note(matched.hash)
        if (found.application.status === 'pending') await activate(found.application.id, readRequestId(req))
        return { authenticated: found.application }
      }
      known ??= found?.application
    }
    return { known }
  }

  /** The application with that public id, whatever its status. As with keys, one that has no live key is unknown. */
  async function findById(id: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    const application = await applicationCache.findById(id, req)
    return application?.keys.some((record) => isLive(record, now())) ? { application } : undefined
  }

  /** The application that a live key belongs to, whatever its status. */
  async function findByKey(key: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    const hash = credentials().hashKey(key)
    if (hash === undefined) return undefined
    const application = await applicationCache.findByKeyHash(hash, req)
    const isKeyLive = application?.keys.some((record) => record.hash === hash && isLive(record, now()))
    return application && isKeyLive ? { application, hash } : undefined
  }

  return async function authenticateClient(req, form, api) {
    await available()
    // A token issued after revokeTokens() resolved in any process is valid, so its issuer must have read that change.
    const isCurrent = await waitForLatest()
    const readings = readPresentedCredentials(req, form)
    if (readings.length === 0) throw createMissingCredentialsError(api)

    let attempt = await authenticate(readings, req)
    if (!attempt.authenticated && !isCurrent) {
      // Not awaited on success (latency). Credentials are never rejected on stale data: they may be new.
      if (!(await readChanges()))
        throw new StoreUnavailableError('The store did not answer whether the credentials are new.')
      attempt = await authenticate(readings, req)
    }
    if (attempt.authenticated) return attempt.authenticated
    // Counted after the comparison: a right secret always passes, so nobody can lock out another client.
    await limitFailures?.(formatFailureKey(req, attempt.known?.id))
    throw createInvalidClientError(api, 'Client authentication failed')
  }
}

/** The right secret of a pending application proves that its e-mail has arrived. */
const MAY_AUTHENTICATE: readonly ApplicationRecord['status'][] = ['active', 'pending']

/** The credentials that the client presents, in each reading of the header. Empty if there are none. */
function readPresentedCredentials(req: IncomingMessage, form: Form): readonly ClientCredentials[] {
  const { authorization } = req.headers
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (hasDuplicateHeader(req, 'authorization'))
    throw new OAuthError('invalid_request', 'There are two Authorization headers')
  if (!isBasic(authorization)) return id !== undefined && secret !== undefined ? [{ id, secret }] : []

  // RFC 6749 2.3: a client must not use more than one authentication method in a request.
  if (secret !== undefined)
    throw new OAuthError('invalid_request', 'Client credentials came in the header and in the body; send them once')
  const readings = readBasic(authorization)
  if (!readings) throw new OAuthError('invalid_request', "The Basic credentials can't be decoded")
  if (id !== undefined && !readings.some((reading) => reading.id === id)) {
    throw new OAuthError('invalid_request', 'The client_id in the body is not the one in the header')
  }
  return readings
}

function createMissingCredentialsError(api: string): OAuthError {
  return createInvalidClientError(
    api,
    'Client credentials are missing; send key (or application id) and secret as HTTP Basic user name and password, or as client_id and client_secret in the form',
  )
}

/** RFC 6749 5.2: 401 with a challenge. It has the error code because openid-client reads the code from the challenge only. */
function createInvalidClientError(api: string, description: string): OAuthError {
  const basic = formatChallenge('Basic', [
    ['realm', api],
    ['charset', 'UTF-8'],
    ['error', 'invalid_client'],
  ])
  return new OAuthError('invalid_client', description, { headers: { 'WWW-Authenticate': basic } })
}
