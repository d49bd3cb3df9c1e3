import type { IncomingMessage } from 'node:http'
import type { Activate } from '../applications/status.js'
import type { Credentials } from '../applications/credentials.js'
import { isLive } from '../applications/credentials.js'
import type { ApplicationCache } from '../applications/application-cache.js'
import type { LastUsed } from '../applications/last-used.js'
import { OAuthError, StoreUnavailableError } from '../contracts/errors.js'
import { readRequestId } from '../contracts/events.js'
import { readClientAddress } from '../http/request.js'
import { isBasic, readBasic, type ClientCredentials } from '../http/basic.js'
import { challenge } from '../http/challenge.js'
import type { Form } from '../http/form.js'
import { hasDuplicateHeader } from '../http/request.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import type { ApplicationRecord } from '../contracts/store.js'

/** Who a client is (RFC 6749 2.3): resolves its application, or rejects with `OAuthError`. */
export type AuthenticateClient = (req: IncomingMessage, form: Form, api: string) => Promise<ApplicationRecord>

export interface ClientAuthenticationOptions {
  readonly applicationCache: ApplicationCache
  readonly credentials: () => Credentials
  /** Ends `pending`, for an application whose credentials have arrived. */
  readonly activate: Activate
  readonly lastUsed: Pick<LastUsed, 'note'>
  readonly failures: RateLimit | undefined
  /** Resolves true once everything is known that was committed before; false if the store can't tell. */
  readonly readChanges: () => Promise<boolean>
  readonly now: () => number
}

/** Told first whether what this process knows is current: if not, a secret that it does not know may be a new one. */
type Authenticate = (current: boolean, ...args: Parameters<AuthenticateClient>) => Promise<ApplicationRecord>

export function clientAuthentication(options: ClientAuthenticationOptions): Authenticate {
  const { applicationCache, credentials, activate, lastUsed, failures, readChanges, now } = options

  /** The application of a live key, whatever its state. */
  async function findByKey(key: string): Promise<{ application: ApplicationRecord; hash: string } | undefined> {
    const hash = credentials().hashKey(key)
    if (hash === undefined) return undefined
    const application = await applicationCache.findByKeyHash(hash)
    const live = application?.keys.some((record) => record.hash === hash && isLive(record, now()))
    return application && live ? { application, hash } : undefined
  }

  return async function authenticateClient(current, req, form, api) {
    const readings = presentedCredentials(req, form)
    if (readings.length === 0) throw missing(api)

    let known: ApplicationRecord | undefined
    for (const { id, secret } of readings) {
      const found = await findByKey(id)
      // An unknown client's secret is compared as well, with nothing: the time taken tells nobody who is known.
      const matched = credentials().match(secret, found?.application.secrets ?? [], now())
      if (found && matched && AUTHENTICATED.includes(found.application.status)) {
        lastUsed.note(found.hash)
        lastUsed.note(matched.hash)
        if (found.application.status === 'pending') await activate(found.application.id, readRequestId(req))
        return found.application
      }
      known ??= found?.application
    }
    if (!current) {
      // Too slow to wait for in every case; to refuse somebody it must be.
      if (await readChanges()) return authenticateClient(true, req, form, api)
      throw new StoreUnavailableError('Whether the credentials are new, the store did not tell.')
    }
    // Counted after the comparison: a right secret always passes, so that nobody can lock out another's application.
    await failures?.(`${readClientAddress(req)} ${known?.id ?? 'unknown'}`)
    throw invalidClient(api, 'Client authentication failed')
  }
}

/** A right secret of a pending application proves that its email has arrived. */
const AUTHENTICATED: readonly ApplicationRecord['status'][] = ['active', 'pending']

/** What the client presents, in every reading; none if there is nothing that could authenticate it. */
function presentedCredentials(req: IncomingMessage, form: Form): readonly ClientCredentials[] {
  const { authorization } = req.headers
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (hasDuplicateHeader(req, 'authorization'))
    throw new OAuthError('invalid_request', 'There are two Authorization headers')
  if (!isBasic(authorization)) return id !== undefined && secret !== undefined ? [{ id, secret }] : []

  // RFC 6749 2.3: two methods at once is an error, not a preference.
  if (secret !== undefined)
    throw new OAuthError('invalid_request', 'Client credentials came in the header and in the body; send them once')
  const readings = readBasic(authorization)
  if (!readings) throw new OAuthError('invalid_request', "The Basic credentials can't be decoded")
  if (id !== undefined && !readings.some((reading) => reading.id === id)) {
    throw new OAuthError('invalid_request', 'The client_id in the body is not the one in the header')
  }
  return readings
}

function missing(api: string): OAuthError {
  return invalidClient(
    api,
    'Client credentials are missing; send key and secret as HTTP Basic user name and password, or as client_id and client_secret in the form',
  )
}

/** RFC 6749 5.2: 401, with the scheme to use. openid-client reads the error code from the challenge alone. */
function invalidClient(api: string, description: string): OAuthError {
  const basic = challenge('Basic', [
    ['realm', api],
    ['charset', 'UTF-8'],
    ['error', 'invalid_client'],
  ])
  return new OAuthError('invalid_client', description, { headers: { 'WWW-Authenticate': basic } })
}
