import type { IncomingMessage } from 'node:http'
import { isUsableAt } from '../applications/records/grants.js'
import { createDenial, createDenialError, OAuthError, type Denial } from '../../shared/contracts/denial.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { isBasic, type ClientApi, type ClientCredentials } from '../http/client-credentials.js'
import { formatChallenge } from '../http/respond.js'
import { readHeader } from '../../shared/lib/request.js'

/** The application whose id or key was presented, whatever its status. */
export interface FoundClient {
  readonly application: ApplicationRecord
  /** The identifier that the client presented, for events: its public id, or the first characters of its key. */
  readonly client: string
  /** The hash of the key that was presented; undefined if it was the application's id. */
  readonly hash?: string
  readonly expiredKey?: CredentialRecord | undefined
}

export interface ComparedReading {
  readonly id: string
  readonly secret: string
  readonly found: FoundClient | undefined
  matched: CredentialRecord | undefined
}

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

export function createRefusal(denial: Denial, refused: RefusedClient, cause?: unknown): ClientRefusal {
  return Object.assign(createDenialError(denial), { refused: ownMembers(refused), cause })
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

/** Whether the client presented the right secret of a suspended application, from a network of both: it may learn that. */
export function maySaySuspended(refused: RefusedClient | undefined): boolean {
  return refused?.reason === 'suspended' && refused.isFromItsNetworks === true
}

/** The parameters of a form with which clients authenticate (RFC 6749 2.3.1, RFC 7521 4.2). */
export const CLIENT_PARAMETERS = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']

export const CLIENT_FAILED = 'Client authentication failed'

/** RFC 6749 5.2: 401 with a challenge. It has the error code because openid-client reads the code from the challenge only. */
export function createInvalidClientError(api: string, description: string, refused: RefusedClient): ClientRefusal {
  const basic = formatChallenge('Basic', [
    ['realm', api],
    ['charset', 'UTF-8'],
    ['error', 'invalid_client'],
  ])
  return createRefusal(createDenial('invalid_client', description, { 'WWW-Authenticate': basic }), refused)
}

/** Throws `invalid_client` for a request without credentials, and for credentials of a kind that this API does not take. */
export function refuseOtherMethods(req: IncomingMessage, readings: readonly ClientCredentials[], api: ClientApi): void {
  const method = isBasic(readHeader(req, 'authorization')) ? 'client_secret_basic' : 'client_secret_post'
  const methods = api.clientAuthentication
  if (readings.length > 0 && methods.includes(method)) return
  const takesSecrets = methods.some((each) => each !== 'private_key_jwt')
  if (readings.length === 0 && takesSecrets)
    throw createInvalidClientError(api.name, MISSING_CREDENTIALS, { reason: 'no_credential' })
  const reason = readings.length === 0 ? 'no_credential' : 'other_method'
  throw createInvalidClientError(api.name, `Clients authenticate here with ${methods.join(' or ')}`, { reason })
}

const MISSING_CREDENTIALS =
  'Client credentials are missing; send key (or application id) and secret as HTTP Basic user name and password, or as client_id and client_secret in the form'
