import type { IncomingMessage } from 'node:http'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { readKeyPrefix } from '../applications/credentials/credentials.js'
import type { LastUsed } from '../applications/credentials/last-used.js'
import { isUsableAt } from '../applications/records/grants.js'
import type { Activate } from '../applications/records/status.js'
import { createDenial, createDenialError, OAuthError, type Denial } from '../../shared/contracts/denial.js'
import { StoreUnavailableError } from '../../shared/contracts/errors.js'
import { notePresentedSecrets, readOrigin } from '../http/origin.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import type { Credentials } from '../applications/credentials/credentials.js'
import type { ApplicationCache } from '../applications/records/application-cache.js'
import type { ImportedCredentials } from '../../shared/contracts/imports.js'
import type { Form } from '../http/form.js'
import {
  isBasic,
  readPresentedCredentials,
  type ClientApi,
  type ClientCredentials,
} from '../http/client-credentials.js'
import { formatFailureKey, readHeader, readIpAddress } from '../../shared/lib/request.js'
import { formatChallenge } from '../http/respond.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { isInNetworks } from '../../shared/lib/networks.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limits.js'
import { createReadingMatcher, mayPass, type FoundClient, type ComparedReading } from './match-readings.js'
import type { createAssertionReader } from './private-key-jwt.js'

/** The secret may be restricted. */
export type AuthenticatedClient = Pick<FoundClient, 'application' | 'client'> & { readonly secret: CredentialRecord }

export interface RefusedClient {
  /** `no_credential`, `unknown_client`, `wrong_secret`, `expired_key`, `expired_secret`, `restricted_secret`, `network_not_allowed`, `no_resource_server` or `suspended`; undefined if the error says it. */
  readonly reason?: string | undefined
  readonly client?: string | undefined
  readonly applicationId?: string | undefined
  readonly details?: RefusalDetails | undefined
  /** Of a right secret of a suspended application: whether the networks of both have the address of the request. */
  readonly isFromItsNetworks?: boolean
}

/** The refusal of a client, with what operators may know of it. Only the members of a `Denial` are sent. */
interface ClientRefusal extends OAuthError {
  readonly refused: RefusedClient
}

export function describeRefusedClient(error: unknown): RefusedClient | undefined {
  return error instanceof OAuthError && Object.hasOwn(error, 'refused') ? (error as ClientRefusal).refused : undefined
}

function createRefusal(denial: Denial, refused: RefusedClient, cause?: unknown): ClientRefusal {
  return Object.assign(createDenialError(denial), { refused: ownMembers(refused), cause })
}

/** The application that authenticated; if authentication failed, the one whose key or id was presented. */
interface Attempt {
  readonly authenticated: AuthenticatedClient | undefined
  readonly known: ApplicationRecord | undefined
  readonly failure: AuthenticationFailure | undefined
  /** The identifier that was presented, if it is no secret in the wrong place. */
  readonly shown: string | undefined
  readonly problem: string | undefined
}

interface AuthenticationFailure {
  readonly reason: string
  readonly details?: RefusalDetails
  readonly isFromItsNetworks?: boolean
}

export type AuthenticateClient = ReturnType<typeof createClientAuthentication>

export function createClientAuthentication(
  options: {
    readonly applicationCache: ApplicationCache
    readonly credentials: () => Credentials
    /** Undefined without the feature that recognizes credentials of another system. */
    readonly importedCredentials: Omit<ImportedCredentials, 'listKeyHashes' | 'adoptKey'> | undefined
    readonly activate: Activate
    readonly lastUsed: Pick<LastUsed, 'note'>
    readonly available: () => MaybePromise<void>
    /** Resolves whether this process has read every change that was committed before; gives up early if the store is slow. */
    readonly waitForLatest: () => Promise<boolean>
    /** The same, without giving up early. */
    readonly readChanges: () => Promise<boolean>
    readonly now: () => number
  },
  limitFailures: RateLimit | undefined,
  assertions?: Omit<Parameters<typeof createAssertionReader>[0], 'findClient' | 'mayPass' | 'now'>,
) {
  const { applicationCache, credentials, importedCredentials, activate, lastUsed } = options
  const { available, waitForLatest, readChanges, now } = options
  const { matchReadings, findClient } = createReadingMatcher({
    applicationCache,
    credentials,
    importedCredentials,
    now,
    onNoTurn: countFailures,
  })

  let assertionReader: Promise<ReturnType<typeof createAssertionReader>> | undefined

  /** What proves a private key is loaded with the first assertion. */
  async function authenticateByAssertion(req: IncomingMessage, form: Form, api: ClientApi): Promise<Attempt> {
    assertionReader ??= import('./private-key-jwt.js').then((loaded) =>
      loaded.createAssertionReader({ ...assertions!, findClient, mayPass, now }),
    )
    const { found, clientId, matched, reason, problem } = await (await assertionReader)(req, form, api)
    const shown = clientId === undefined ? undefined : describeClientId(clientId)
    if (found && matched && mayPass({ found, matched })) return accept(found, matched, req)
    if (found && applicationCache.isOutdated(found.application))
      throw new StoreUnavailableError('The store did not answer how an application has changed.')
    const failure = { reason: reason ?? (found?.expiredKey ? 'expired_key' : 'suspended') }
    return { authenticated: undefined, known: found?.application, failure, shown, problem }
  }

  async function accept(found: FoundClient, matched: CredentialRecord, req: IncomingMessage): Promise<Attempt> {
    if (found.hash !== undefined) lastUsed.note(found.hash)
    lastUsed.note(matched.hash)
    if (found.application.status === 'pending')
      await activate(found.application.id, { ...readOrigin(req), client: found.client })
    const authenticated = { ...found, secret: matched }
    return { authenticated, known: found.application, failure: undefined, shown: found.client, problem: undefined }
  }

  async function authenticate(readings: readonly ClientCredentials[], req: IncomingMessage): Promise<Attempt> {
    const compared = await matchReadings(readings, req)
    const known = compared.find(({ found }) => found)?.found?.application
    const accepted = compared.find(mayPass)
    if (!accepted?.found || !accepted.matched) {
      if (compared.some(({ found }) => found && applicationCache.isOutdated(found.application)))
        throw new StoreUnavailableError('The store did not answer how an application has changed.')
      const shown = compared.map(({ id }) => describeClientId(id)).find((each) => each !== undefined)
      return { authenticated: undefined, known, failure: explain(compared, req), shown, problem: undefined }
    }
    return accept(accepted.found, accepted.matched, req)
  }

  async function countFailures(count: number, req: IncomingMessage, refused: RefusedClient): Promise<void> {
    for (let i = 0; i < count; i++) await countFailure(req, refused)
  }

  async function countFailure(req: IncomingMessage, refused: RefusedClient): Promise<void> {
    try {
      await limitFailures?.(formatFailureKey(req, refused.applicationId))
    } catch (error) {
      throw error instanceof OAuthError ? createRefusal(error, { ...refused, reason: undefined }, error.cause) : error
    }
  }

  /** The reason for operators: that of the first reading which is not just a wrong secret. */
  function explain(compared: readonly ComparedReading[], req: IncomingMessage): AuthenticationFailure | undefined {
    const failures = compared.map((each) => describeFailure(each, req))
    return failures.find(({ reason }) => reason !== 'wrong_secret') ?? failures.at(-1)
  }

  /** It always compares with expired secrets, so that the time taken shows nothing. */
  function describeFailure({ found, secret, matched }: ComparedReading, req: IncomingMessage): AuthenticationFailure {
    const expired = credentials().match(secret, found?.application.secrets ?? [], 0)
    if (found?.expiredKey) return { reason: 'expired_key', details: describeExpired(found.expiredKey) }
    if (found && matched)
      return { reason: 'suspended', isFromItsNetworks: isFromItsNetworks(found.application, matched, req) }
    return expired ? { reason: 'expired_secret', details: describeExpired(expired) } : { reason: 'wrong_secret' }
  }

  return async function authenticateClient(
    req: IncomingMessage,
    form: Form,
    api: ClientApi,
    /** The answer tells a client with the right secret of a suspended application that it is suspended, which is no failure. */
    { tellsSuspension }: { readonly tellsSuspension: boolean } = { tellsSuspension: false },
  ): Promise<AuthenticatedClient> {
    await available()
    // A token issued after revokeTokens() resolved in any process is valid, so its issuer must have read that change.
    const isCurrent = await waitForLatest()
    const assertion = api.clientAuthentication.includes('private_key_jwt') ? form.get('client_assertion') : undefined
    const readings = readPresentedCredentials(req, form)
    notePresentedSecrets(req, [
      ...readings.map(({ secret }) => secret),
      ...(assertion === undefined ? [] : [assertion]),
    ])
    if (assertion === undefined) refuseOtherMethods(req, readings, api)
    else if (readings.length > 0)
      throw new OAuthError(
        'invalid_request',
        'Client credentials came as an assertion and as a secret; send one of them',
      )

    const attemptOnce = (): Promise<Attempt> =>
      assertion === undefined ? authenticate(readings, req) : authenticateByAssertion(req, form, api)
    let attempt = await attemptOnce()
    if (!attempt.authenticated && !isCurrent) {
      // The call is not awaited on success (latency). Credentials are never rejected on stale data: they may be new.
      if (!(await readChanges()))
        throw new StoreUnavailableError('The store did not answer whether the credentials are new.')
      attempt = await attemptOnce()
    }
    if (attempt.authenticated) {
      refuseOtherNetworks(attempt.authenticated, req)
      return attempt.authenticated
    }
    // Failures are counted after the comparison: a right secret always passes, so nobody can lock out another client.
    const refused = describeAttempt(attempt)
    // A right secret of a suspended application is no failed authentication if the answer tells of the suspension.
    if (!(tellsSuspension && maySaySuspended(refused))) {
      // A slow hash is computed for each reading: one request with several costs as much as several requests.
      const hasSlowHash = attempt.known !== undefined && importedCredentials?.hasSlowHash(attempt.known) === true
      await countFailures(hasSlowHash && assertion === undefined ? readings.length : 1, req, refused)
    }
    const { problem } = attempt
    const description = problem === undefined ? CLIENT_FAILED : `The client assertion ${problem}`
    throw createInvalidClientError(api.name, description, refused)
  }
}

/** Throws `unauthorized_client` if the client's secret may not be used at an API at which the application may do something. */
export function refuseRestrictedSecret(
  { application, client, secret }: AuthenticatedClient,
  api: { readonly name: string },
): void {
  if (isUsableAt(secret, api)) return
  const denial = createDenial('unauthorized_client', 'The client secret may not be used for this API')
  const details = { credential: secret.name }
  throw createRefusal(denial, { reason: 'restricted_secret', client, applicationId: application.id, details })
}

/** Throws `network_not_allowed` from outside the networks of application or secret, wherever clients authenticate. */
function refuseOtherNetworks({ application, secret, client }: AuthenticatedClient, req: IncomingMessage): void {
  if (isFromItsNetworks(application, secret, req)) return
  const denial = createDenial('network_not_allowed', 'The client credentials may not be used from this network')
  throw createRefusal(denial, { reason: 'network_not_allowed', client, applicationId: application.id })
}

function isFromItsNetworks(application: ApplicationRecord, secret: CredentialRecord, req: IncomingMessage): boolean {
  if (application.networks === undefined && secret.networks === undefined) return true
  const address = readIpAddress(req)
  return [application, secret].every(({ networks }) => networks === undefined || isInNetworks(address, networks))
}

/** Whether the client presented the right secret of a suspended application, from a network of both: it may learn that. */
export function maySaySuspended(refused: RefusedClient | undefined): boolean {
  return refused?.reason === 'suspended' && refused.isFromItsNetworks === true
}

function describeAttempt({ known, failure, shown }: Attempt): RefusedClient {
  if (!known)
    return { reason: failure?.reason === 'wrong_assertion' ? 'wrong_assertion' : 'unknown_client', client: shown }
  return { ...failure, client: shown, applicationId: known.id }
}

/** A text that is neither a key nor an id may be a secret in the wrong place, so it is not shown. */
function describeClientId(id: string): string | undefined {
  return isApplicationId(id) ? id : readKeyPrefix(id)
}

/** Throws `invalid_client` for a request without credentials, and for credentials of a kind that this API does not take. */
function refuseOtherMethods(req: IncomingMessage, readings: readonly ClientCredentials[], api: ClientApi): void {
  const method = isBasic(readHeader(req, 'authorization')) ? 'client_secret_basic' : 'client_secret_post'
  const methods = api.clientAuthentication
  if (readings.length > 0 && methods.includes(method)) return
  const takesSecrets = methods.some((each) => each !== 'private_key_jwt')
  if (readings.length === 0 && takesSecrets)
    throw createInvalidClientError(api.name, MISSING_CREDENTIALS, { reason: 'no_credential' })
  const reason = readings.length === 0 ? 'no_credential' : 'other_method'
  throw createInvalidClientError(api.name, `Clients authenticate here with ${methods.join(' or ')}`, { reason })
}

function describeExpired({ name, expiresAt }: CredentialRecord): RefusalDetails {
  return { credential: name, expiredAt: expiresAt ?? null }
}

/** The parameters of a form with which clients authenticate (RFC 6749 2.3.1, RFC 7521 4.2). */
export const CLIENT_PARAMETERS = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']

export const CLIENT_FAILED = 'Client authentication failed'

const MISSING_CREDENTIALS =
  'Client credentials are missing; send key (or application id) and secret as HTTP Basic user name and password, or as client_id and client_secret in the form'

/** RFC 6749 5.2: 401 with a challenge. It has the error code because openid-client reads the code from the challenge only. */
export function createInvalidClientError(api: string, description: string, refused: RefusedClient): ClientRefusal {
  const basic = formatChallenge('Basic', [
    ['realm', api],
    ['charset', 'UTF-8'],
    ['error', 'invalid_client'],
  ])
  return createRefusal(createDenial('invalid_client', description, { 'WWW-Authenticate': basic }), refused)
}
