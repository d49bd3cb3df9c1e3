import type { AuthenticateClient, AuthenticatedClient, RefusedClient } from './authenticated-client.js'
import type { IncomingMessage } from 'node:http'
import { isApplicationId } from '../applications/records/application-id.js'
import { readKeyPrefix } from '../applications/credentials/credentials.js'
import type { LastUsed } from '../applications/credentials/last-used.js'
import { isUsableAt } from '../applications/records/restrictions.js'
import type { Activate } from '../applications/records/status.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { notePresentedSecrets, readOrigin } from '../http/origin.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import type { ClientCredentials } from '../http/basic.js'
import { formatFailureKey, readIpAddress } from '../../shared/lib/request.js'
import { formatChallenge } from '../http/respond.js'
import { isInNetworks } from '../../shared/lib/networks.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limit.js'
import { createReadingMatcher, mayPass, type Presented, type ReadingMatcherOptions } from './match-readings.js'
import { readPresentedCredentials } from './presented-credentials.js'

/** These facts are kept beside the errors, so that none of them can be sent. */
const refusedClients = new WeakMap<object, RefusedClient>()

/** The client whose authentication failed with that error. */
export function describeRefusedClient(error: unknown): RefusedClient | undefined {
  return refusedClients.get(Object(error) as object)
}

function withRefusedClient<Refusal extends object>(error: Refusal, refused: RefusedClient): Refusal {
  refusedClients.set(error, refused)
  return error
}

export interface ClientAuthenticationOptions extends ReadingMatcherOptions {
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
}

/** The application that authenticated; if authentication failed, the one whose key or id was presented. */
interface Attempt {
  readonly authenticated: AuthenticatedClient | undefined
  readonly known: ApplicationRecord | undefined
  /** The reason of the failure, if the application is known. */
  readonly failure: AuthenticationFailure | undefined
}

interface AuthenticationFailure {
  readonly reason: string
  readonly details?: RefusalDetails
  /** Of a right secret. */
  readonly isFromItsNetworks?: boolean
}

export function createClientAuthentication(options: ClientAuthenticationOptions): AuthenticateClient {
  const { applicationCache, credentials, activate, lastUsed, limitFailures, available, waitForLatest, readChanges } =
    options
  const matchReadings = createReadingMatcher(options, countFailures)

  async function authenticate(readings: readonly ClientCredentials[], req: IncomingMessage): Promise<Attempt> {
    const presented = await matchReadings(readings, req)
    const known = presented.find(({ found }) => found)?.found?.application
    const accepted = presented.find(mayPass)
    if (!accepted?.found || !accepted.matched) {
      if (presented.some(({ found }) => found && applicationCache.isOutdated(found.application)))
        throw new StoreUnavailableError('The store did not answer how an application has changed.')
      return { authenticated: undefined, known, failure: explain(presented, req) }
    }
    const { found, matched } = accepted
    if (found.hash !== undefined) lastUsed.note(found.hash)
    lastUsed.note(matched.hash)
    if (found.application.status === 'pending')
      await activate(found.application.id, { ...readOrigin(req), client: found.client })
    return { authenticated: { ...found, secret: matched }, known: found.application, failure: undefined }
  }

  async function countFailures(count: number, req: IncomingMessage, refused: RefusedClient): Promise<void> {
    for (let i = 0; i < count; i++) await countFailure(req, refused)
  }

  async function countFailure(req: IncomingMessage, refused: RefusedClient): Promise<void> {
    try {
      await limitFailures?.(formatFailureKey(req, refused.applicationId))
    } catch (error) {
      throw withRefusedClient(error as object, { ...refused, reason: undefined })
    }
  }

  /** The reason for operators: that of the first reading which is not just a wrong secret. */
  function explain(presented: readonly Presented[], req: IncomingMessage): AuthenticationFailure | undefined {
    const failures = presented.map((each) => describeFailure(each, req))
    return failures.find(({ reason }) => reason !== 'wrong_secret') ?? failures.at(-1)
  }

  /** It always compares with expired secrets, so that the time taken shows nothing. */
  function describeFailure({ found, secret, matched }: Presented, req: IncomingMessage): AuthenticationFailure {
    const expired = credentials().match(secret, found?.application.secrets ?? [], 0)
    if (found?.expiredKey) return { reason: 'expired_key', details: describeExpired(found.expiredKey) }
    if (found && matched)
      return { reason: 'suspended', isFromItsNetworks: isFromItsNetworks(found.application, matched, req) }
    return expired ? { reason: 'expired_secret', details: describeExpired(expired) } : { reason: 'wrong_secret' }
  }

  return async function authenticateClient(req, form, api, { tellsSuspension } = { tellsSuspension: false }) {
    await available()
    // A token issued after revokeTokens() resolved in any process is valid, so its issuer must have read that change.
    const isCurrent = await waitForLatest()
    const readings = readPresentedCredentials(req, form)
    notePresentedSecrets(
      req,
      readings.map(({ secret }) => secret),
    )
    if (readings.length === 0) throw withRefusedClient(createMissingCredentialsError(api), { reason: 'no_credential' })

    let attempt = await authenticate(readings, req)
    if (!attempt.authenticated && !isCurrent) {
      // The call is not awaited on success (latency). Credentials are never rejected on stale data: they may be new.
      if (!(await readChanges()))
        throw new StoreUnavailableError('The store did not answer whether the credentials are new.')
      attempt = await authenticate(readings, req)
    }
    if (attempt.authenticated) {
      refuseOtherNetworks(attempt.authenticated, req)
      return attempt.authenticated
    }
    // Failures are counted after the comparison: a right secret always passes, so nobody can lock out another client.
    const refused = describeAttempt(attempt, readings)
    // A right secret of a suspended application is no failed authentication if the answer tells of the suspension.
    if (!(tellsSuspension && maySaySuspended(refused))) {
      // A slow hash is computed for each reading: one request with several costs as much as several requests.
      const hasSlowHash =
        attempt.known !== undefined && options.importedCredentials?.hasSlowHash(attempt.known) === true
      await countFailures(hasSlowHash ? readings.length : 1, req, refused)
    }
    throw withRefusedClient(createInvalidClientError(api, 'Client authentication failed'), refused)
  }
}

/** Throws `unauthorized_client` if the client's secret may not be used at an API at which the application may do something. */
export function refuseRestrictedSecret(
  { application, client, secret }: AuthenticatedClient,
  api: { readonly name: string },
): void {
  if (isUsableAt(secret, api)) return
  const error = new OAuthError('unauthorized_client', 'The client secret may not be used for this API')
  const details = { credential: secret.name }
  throw withRefusedClient(error, { reason: 'restricted_secret', client, applicationId: application.id, details })
}

/**
 * Throws `network_not_allowed` for a request from outside the networks of the application or of its secret. Every endpoint that
 * authenticates clients gets this refusal: a secret that was stolen is of no use elsewhere.
 */
function refuseOtherNetworks({ application, secret, client }: AuthenticatedClient, req: IncomingMessage): void {
  if (isFromItsNetworks(application, secret, req)) return
  const error = new OAuthError('network_not_allowed', 'The client credentials may not be used from this network')
  throw withRefusedClient(error, { reason: 'network_not_allowed', client, applicationId: application.id })
}

function isFromItsNetworks(application: ApplicationRecord, secret: CredentialRecord, req: IncomingMessage): boolean {
  if (application.networks === undefined && secret.networks === undefined) return true
  const address = readIpAddress(req)
  return [application, secret].every(({ networks }) => networks === undefined || isInNetworks(address, networks))
}

/** Whether the client presented the right secret of a suspended application, from a network of both: it may learn that. */
export function maySaySuspended({ reason, isFromItsNetworks: isInside }: RefusedClient = {}): boolean {
  return reason === 'suspended' && isInside === true
}

/** Describes a refused client. A text that is neither a key nor an id may be a secret in the wrong place, so it is not shown. */
function describeAttempt({ known, failure }: Attempt, readings: readonly ClientCredentials[]): RefusedClient {
  const shown = readings.map(({ id }) => (isApplicationId(id) ? id : readKeyPrefix(id)))
  const client = shown.find((each) => each !== undefined)
  if (!known) return { reason: 'unknown_client', client }
  return { ...failure, client, applicationId: known.id }
}

function describeExpired({ name, expiresAt }: CredentialRecord): RefusalDetails {
  return { credential: name, expiredAt: expiresAt ?? null }
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
