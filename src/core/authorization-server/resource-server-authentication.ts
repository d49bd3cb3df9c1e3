import type { IncomingMessage } from 'node:http'
import { isResourceServerOf, isUsableAt } from '../applications/records/grants.js'
import type { Api } from '../../shared/contracts/api.js'
import type { ApplicationRecord, CredentialRecord } from '../../shared/contracts/application-record.js'
import type { ClientApi } from '../http/client-credentials.js'
import type { Form } from '../http/form.js'
import { CLIENT_FAILED, createInvalidClientError, type AuthenticateClient } from './client-authentication.js'

export interface ResourceServer<Each extends Api = Api> {
  readonly application: ApplicationRecord
  /** The APIs whose credentials it may check, with what it has presented. */
  readonly apis: readonly Each[]
}

/**
 * Authenticates resource servers where no API is named by the path, as clients do at the endpoints of APIs; the audience of an assertion is
 * `baseUrl`. An application that is no resource server is answered as an unknown client: 401 `invalid_client`.
 */
export function createResourceServerAuthentication<Each extends Api>(options: {
  readonly authenticateClient: AuthenticateClient
  readonly apis: ReadonlyMap<string, Each>
  readonly baseUrl: string
}) {
  const { authenticateClient, apis, baseUrl } = options
  const taken = new Set([...apis.values()].flatMap(({ clientAuthentication }) => clientAuthentication))
  const platform: ClientApi = {
    name: 'platform',
    resource: baseUrl,
    tokenEndpoint: undefined,
    // Key APIs name none.
    clientAuthentication: taken.size > 0 ? [...taken] : ['client_secret_basic', 'client_secret_post'],
  }

  return async function authenticateResourceServer(req: IncomingMessage, form: Form): Promise<ResourceServer<Each>> {
    const { application, secret, client } = await authenticateClient(req, form, platform)
    const own = [...apis.values()].filter(
      (api) => isResourceServerOf(application, api) && isUsableAt(secret, api) && takes(api, secret),
    )
    if (own.length > 0) return { application, apis: own }
    const refused = { reason: 'no_resource_server', client, applicationId: application.id }
    throw createInvalidClientError(platform.name, CLIENT_FAILED, refused)
  }
}

/** Whether clients of that API authenticate so: an API that takes private keys only has no secrets of resource servers either. */
function takes({ scheme, clientAuthentication }: Api, { keySet }: CredentialRecord): boolean {
  if (scheme === 'apiKey') return true
  return clientAuthentication.some((method) => (method === 'private_key_jwt') === (keySet !== undefined))
}
