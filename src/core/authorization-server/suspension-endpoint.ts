import { OAuthError } from '../../shared/contracts/denial.js'
import { limitAuthenticationTime } from '../http/endpoints.js'
import { readForm, refuseInQuery } from '../http/form.js'
import type { ClientApi } from '../http/client-credentials.js'
import type { Endpoint } from '../http/middleware.js'
import { sendJson } from '../http/respond.js'
import type { AuthenticateClient } from './client-authentication.js'
import { describeRefusedClient, maySaySuspended } from './client-outcomes.js'

/** Only a caller with the right secret learns of the suspension: the answer is the same for all others, known or not. */
export function createSuspensionEndpoint(authenticateClient: AuthenticateClient): Endpoint {
  return async function answerSuspensionRequest(req, res) {
    const form = await readForm(req, PARAMETERS)
    refuseInQuery(req, PARAMETERS)
    const suspended = await limitAuthenticationTime(
      isRefusedAsSuspended(authenticateClient(req, form, PLATFORM, { tellsSuspension: true })),
    )
    sendJson(res, 200, { suspended }, { 'Cache-Control': 'no-store' })
  }
}

const PARAMETERS = ['client_id', 'client_secret']
/** Whatever API the application may use: its secret alone is asked for here. */
const PLATFORM: ClientApi = {
  name: 'platform',
  resource: '',
  tokenEndpoint: undefined,
  clientAuthentication: ['client_secret_basic', 'client_secret_post'],
}

/** Rejects with every refusal that does not judge the credentials, such as 429 and 503. */
async function isRefusedAsSuspended(authentication: Promise<unknown>): Promise<boolean> {
  try {
    await authentication
    return false
  } catch (error) {
    // Credentials that work, but not from here, say no more than others.
    if (error instanceof OAuthError && error.error === 'network_not_allowed') return false
    if (error instanceof OAuthError && error.error === 'invalid_client')
      return maySaySuspended(describeRefusedClient(error))
    throw error
  }
}
