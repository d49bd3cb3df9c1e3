import type { IncomingMessage } from 'node:http'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { RefusalDetails } from '../../shared/contracts/usage.js'
import type { Form } from '../http/form.js'

export type AuthenticateClient = (
  req: IncomingMessage,
  form: Form,
  api: string,
  options?: {
    /** The answer tells a client with the right secret of a suspended application that it is suspended, which is no failure. */
    readonly tellsSuspension: boolean
  },
) => Promise<AuthenticatedClient>

export interface AuthenticatedClient {
  readonly application: ApplicationRecord
  /** The client's secret, which may be restricted. */
  readonly secret: CredentialRecord
  /** The identifier that the client presented, for events: its public id, or the first characters of its key. */
  readonly client: string
}

/** Facts about a refused client that operators may know, and the client may not. */
export interface RefusedClient {
  /** `no_credential`, `unknown_client`, `wrong_secret`, `expired_key`, `expired_secret`, `restricted_secret`, `network_not_allowed` or `suspended`; undefined if the error says it. */
  readonly reason?: string | undefined
  readonly client?: string | undefined
  /** The application that the client presented, if there is one. */
  readonly applicationId?: string | undefined
  /** Details for the list of refusals. */
  readonly details?: RefusalDetails | undefined
  /** Of a right secret of a suspended application: whether the networks of both have the address of the request. */
  readonly isFromItsNetworks?: boolean
}
