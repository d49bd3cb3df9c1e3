import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiName, ApisOptions, PlatformAuth, Scheme, ScopeOf } from '../index.js'

/**
 * An access token for an API, requested from its token endpoint by a new application that has the given scopes (all by
 * default). Rejects with the token endpoint's error if none is issued.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { accessTokenFor } from 'express-platform-auth/testing'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost', apis: { orders: { scheme: 'oauth2' } } })
 * const headers = { Authorization: `Bearer ${await accessTokenFor(auth, 'orders')}` }
 * ```
 */
export async function accessTokenFor<const Apis extends ApisOptions, Name extends ApiName<Apis, 'oauth2'>>(
  auth: PlatformAuth<Apis>,
  api: Name,
  options: { readonly scopes?: readonly ScopeOf<Apis, Name>[] } = {},
): Promise<string> {
  const { clientId, clientSecret = '' } = await createCredentials(auth, api, 'oauth2', options)
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  })
  const server = createServer((req, res) => auth.router(req, res, () => res.writeHead(404).end('{}')))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/${api}/token`, { method: 'POST', body: form })
    const answer = (await response.json()) as { access_token?: string; error?: string; error_description?: string }
    if (answer.access_token !== undefined) return answer.access_token
    throw new Error(`${api}/token answered ${response.status} ${answer.error}: ${answer.error_description}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/**
 * An API key that an API accepts: the key of a new application. It is sent in the API's header, `X-Api-Key` unless the option
 * `apis.x.header` names another.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { apiKeyFor } from 'express-platform-auth/testing'
 *
 * const auth = createPlatformAuth({ baseUrl: 'http://localhost', apis: { catalog: { scheme: 'apiKey' } } })
 * const headers = { 'X-Api-Key': await apiKeyFor(auth, 'catalog') }
 * ```
 */
export async function apiKeyFor<const Apis extends ApisOptions, Name extends ApiName<Apis, 'apiKey'>>(
  auth: PlatformAuth<Apis>,
  api: Name,
): Promise<string> {
  return (await createCredentials(auth, api, 'apiKey', {})).clientId
}

async function createCredentials(
  auth: Pick<PlatformAuth, 'apis' | 'applications'>,
  name: string,
  scheme: Scheme,
  grant: { readonly scopes?: readonly string[] },
): Promise<{ clientId: string; clientSecret?: string }> {
  const api = auth.apis.find((each) => each.name === name)
  if (api?.scheme !== scheme) {
    throw new Error(
      api
        ? `The API "${name}" has the scheme "${api.scheme}". This helper needs an API with the scheme "${scheme}".`
        : `The platform has no API "${name}".`,
    )
  }
  const { credentials } = await auth.applications.create({ name: `Test of ${name}`, apis: { [name]: grant } })
  return credentials
}
