import type { Express } from 'express'
import type { IssuedCredentials } from '../../src/index.js'
import { request, type Test } from './request.js'

/** The requests of a client: it gets access tokens and calls APIs. */
export interface Caller {
  token(api: string, credentials: Partial<IssuedCredentials>, more?: Readonly<Record<string, string>>): Test
  /** Rejects if the token endpoint refuses. */
  accessToken(
    api: string,
    credentials: Partial<IssuedCredentials>,
    more?: Readonly<Record<string, string>>,
  ): Promise<string>
  bearer(path: string, accessToken: string): Test
  key(path: string, key: string): Test
  revoke(api: string, credentials: Partial<IssuedCredentials>, accessToken: string): Test
  introspect(api: string, credentials: Partial<IssuedCredentials>, accessToken: string): Test
}

/**
 * Creates the requests of a client to an app or to a URL, below the path where the platform is mounted. `host.app` is read
 * at each request, so that it may be set later.
 */
export function createCaller(host: { readonly app: Express | string }, mount = ''): Caller {
  function form(path: string, { clientId = '', clientSecret = '' }: Partial<IssuedCredentials>, more: object): Test {
    return request(host.app)
      .post(mount + path)
      .type('form')
      .send({ client_id: clientId, client_secret: clientSecret, ...more })
  }

  function token(api: string, credentials: Partial<IssuedCredentials>, more = {}): Test {
    return form(`/${api}/token`, credentials, { grant_type: 'client_credentials', ...more })
  }

  return {
    token,
    async accessToken(...args) {
      const { status, body } = await token(...args)
      const { access_token: accessToken } = body as { access_token?: string }
      if (accessToken === undefined) throw new Error(`The token endpoint answered ${status}: ${JSON.stringify(body)}`)
      return accessToken
    },
    bearer: (path, accessToken) =>
      request(host.app)
        .get(mount + path)
        .set('Authorization', `Bearer ${accessToken}`),
    key: (path, key) =>
      request(host.app)
        .get(mount + path)
        .set('X-Api-Key', key),
    revoke: (api, credentials, accessToken) => form(`/${api}/revoke`, credentials, { token: accessToken }),
    introspect: (api, credentials, accessToken) => form(`/${api}/introspect`, credentials, { token: accessToken }),
  }
}
