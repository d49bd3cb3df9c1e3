import type { IncomingMessage } from 'node:http'
import type { ApiSettings } from '../options/settings.js'
import { OAuthError } from '../contracts/errors.js'
import { readForm, refuseInQuery } from '../http/form.js'
import type { AccessToken } from '../tokens/verify-access-token.js'
import type { AuthenticateClient } from './client-authentication.js'

/**
 * The access token that a revocation or introspection request is about, if it is good and the client's own; rejects with
 * `OAuthError` for a request that is not in order (RFC 7009 2.1, RFC 7662 2.1).
 */
export type ReadOwnToken = (req: IncomingMessage, api: ApiSettings) => Promise<AccessToken | undefined>

interface OwnTokenOptions {
  readonly authenticateClient: AuthenticateClient
  /** The token, if it is one that this endpoint is for. */
  readonly verify: (api: ApiSettings, token: string) => Promise<AccessToken | undefined>
}

export function ownTokenReader({ authenticateClient, verify }: OwnTokenOptions): ReadOwnToken {
  return async function readOwnToken(req, api) {
    const form = await readForm(req, PARAMETERS)
    const presented = form.get('token')
    if (presented === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing')
    refuseInQuery(req, CREDENTIALS)
    const application = await authenticateClient(req, form, api.name)
    const token = await verify(api, presented)
    return token?.applicationId === application.id ? token : undefined
  }
}

const PARAMETERS = ['token', 'token_type_hint', 'client_id', 'client_secret']
const CREDENTIALS = ['token', 'client_id', 'client_secret']
