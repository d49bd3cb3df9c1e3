import type { IncomingMessage } from 'node:http'
import { isApplicationId } from '../../shared/lib/application-id.js'
import { isLive, readKeyPrefix, type Credentials } from '../applications/credentials/credentials.js'
import type { LastUsed } from '../applications/credentials/last-used.js'
import type { Activate } from '../applications/records/status.js'
import { createDenial, OAuthError } from '../../shared/contracts/denial.js'
import { NoTurnError, StoreUnavailableError } from '../../shared/contracts/errors.js'
import { notePresentedSecrets, readOrigin } from '../http/origin.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import type { ApplicationCache } from '../applications/records/application-cache.js'
import type { ImportedCredentials } from '../../shared/contracts/imports.js'
import type { Form } from '../http/form.js'
import { readPresentedCredentials, type ClientApi, type ClientCredentials } from '../http/client-credentials.js'
import { formatFailureKey, readClientAddress } from '../../shared/lib/request.js'
import { isFromNetworks } from '../../shared/lib/networks.js'
import type { MaybePromise } from '../../shared/lib/maybe-promise.js'
import type { RateLimit } from '../rate-limits/rate-limits.js'
import {
  CLIENT_FAILED,
  createInvalidClientError,
  createRefusal,
  maySaySuspended,
  refuseOtherMethods,
  type AuthenticatedClient,
  type ComparedReading,
  type FoundClient,
  type RefusedClient,
} from './client-outcomes.js'
import type { createAssertionReader } from './private-key-jwt.js'

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

  /** What proves a private key is loaded since the start, where an API takes such proofs. */
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
    try {
      for (let i = 0; i < count; i++) await limitFailures?.(formatFailureKey(req, refused.applicationId))
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
      return { reason: 'suspended', isFromItsNetworks: isFromNetworks(req, found.application, matched) }
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
    else if (readings.length > 0 || form.get('client_secret') !== undefined)
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

/** Finds the clients that the readings of a request name, and compares the secrets, up to the first reading that passes. */
function createReadingMatcher(options: {
  readonly applicationCache: ApplicationCache
  readonly credentials: () => Credentials
  readonly importedCredentials: Omit<ImportedCredentials, 'listKeyHashes' | 'adoptKey'> | undefined
  readonly now: () => number
  /** Called for readings whose slow hashes were not computed in time. */
  readonly onNoTurn: (readings: number, req: IncomingMessage, client: RefusedClient) => Promise<void>
}) {
  const { applicationCache, credentials, importedCredentials, now, onNoTurn } = options
  /** Slow hashes are computed only where no quick comparison decides. */
  async function matchReadings(readings: readonly ClientCredentials[], req: IncomingMessage) {
    const compared: ComparedReading[] = []
    for (const { id, secret } of readings) {
      const found = await findClient(id, req)
      const application = found?.application
      // The secret of an unknown client is compared too, so that the time taken does not show which clients exist.
      const matched =
        credentials().match(secret, application?.secrets ?? [], now()) ??
        importedCredentials?.matchDigest(secret, application)
      compared.push({ id, secret, found, matched })
      if (mayPass(compared.at(-1)!)) break
    }
    await matchSlowHashes(compared, req)
    return compared
  }

  /** All readings for one application wait for one turn. An earlier reading counts before a later one of another application. */
  async function matchSlowHashes(compared: readonly ComparedReading[], req: IncomingMessage): Promise<void> {
    const passing = compared.find(mayPass)?.found?.application.id
    const open = compared.filter(({ found, matched }) => found && !matched && found.application.id !== passing)
    for (const id of new Set(open.map(({ found }) => found!.application.id))) {
      const ofApplication = open.filter(({ found }) => found!.application.id === id)
      const secrets = [...new Set(ofApplication.map(({ secret }) => secret))]
      const match = await matchSlowHash(secrets, ofApplication[0]!.found!, req)
      for (const each of ofApplication) if (each.secret === match?.secret) each.matched = match.record
    }
  }

  /** Readings that waited in vain count as failures: an address that floods an application never gets another answer. */
  async function matchSlowHash(secrets: readonly string[], { application, client }: FoundClient, req: IncomingMessage) {
    if (!importedCredentials?.hasSlowHash(application)) return undefined
    try {
      return await importedCredentials.matchSlowHash(secrets, application, readClientAddress(req))
    } catch (error) {
      if (error instanceof NoTurnError) await onNoTurn(secrets.length, req, { client, applicationId: application.id })
      throw error
    }
  }

  /** The application with that public id, whatever its status. An application without credentials counts as unknown. */
  async function findById(id: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    const application = await applicationCache.findById(id, req)
    return application && application.keys.length + application.secrets.length > 0
      ? { application, client: id }
      : undefined
  }

  async function findByKey(presented: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    const hash = credentials().hashKey(presented)
    if (hash === undefined) return undefined
    const application = await applicationCache.findByKeyHash(hash, presented, req)
    const key = application?.keys.find((record) => record.hash === hash)
    if (!application || !key) return undefined
    return { application, hash, client: key.prefix, expiredKey: isLive(key, now()) ? undefined : key }
  }

  function findClient(id: string, req: IncomingMessage): Promise<FoundClient | undefined> {
    return isApplicationId(id) ? findById(id, req) : findByKey(id, req)
  }

  return { matchReadings, findClient }
}

export function mayPass({ found, matched }: Pick<ComparedReading, 'found' | 'matched'>): boolean {
  return matched !== undefined && !found?.expiredKey && MAY_AUTHENTICATE.includes(found!.application.status)
}

/** The right secret of a pending application proves that its e-mail has arrived. */
const MAY_AUTHENTICATE: readonly ApplicationRecord['status'][] = ['active', 'pending']

/** Throws `network_not_allowed` from outside the networks of application or secret, wherever clients authenticate. */
function refuseOtherNetworks({ application, secret, client }: AuthenticatedClient, req: IncomingMessage): void {
  if (isFromNetworks(req, application, secret)) return
  const denial = createDenial('network_not_allowed', 'The client credentials may not be used from this network')
  throw createRefusal(denial, { reason: 'network_not_allowed', client, applicationId: application.id })
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

function describeExpired({ name, expiresAt }: CredentialRecord): RefusalDetails {
  return { credential: name, expiredAt: expiresAt ?? null }
}
