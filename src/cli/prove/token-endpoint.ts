import { ask, skip, type Check } from './check.js'
import { basic, basicTokenRequest, formCredentials, GRANT, postForm, tokenRequest } from './drafts.js'
import { all, header, refusal, status, that, TOKEN, NO_BODY } from './expectation.js'

const REACH_APP =
  'Let POST /{api}/token reach the app as it is sent, and its answer come back as it is: no rule of proxy or WAF about this path, no rewriting of bodies.'
const METHODS =
  'Let every method reach the app. nginx: no limit_except; HAProxy: no rule on "method"; Express: no middleware that answers methods before auth.router.'

/** The checks of every oauth2 API. */
export const TOKEN_BASICS: readonly Check[] = [
  ask({
    row: 'T19',
    sends: 'a token request with the credentials in the form',
    draft: tokenRequest,
    expects: TOKEN,
    fix: `${REACH_APP} The server must run with this --config: the same store, secret and APIs.`,
  }),
  ask({
    row: 'T19',
    sends: 'a token request with the credentials in HTTP Basic',
    draft: basicTokenRequest,
    expects: TOKEN,
    fix: 'Pass the Authorization header on. nginx: no proxy_set_header Authorization "", no auth_basic; HAProxy: no "del-header Authorization"; Apache: CGIPassAuth On; a CDN: forward the header.',
  }),
  createMethodCheck('GET'),
  ask({
    row: 'T9',
    sends: 'a token request without credentials',
    draft: (context) => postForm(context, 'token', GRANT),
    expects: refusal(401, 'invalid_client'),
    fix: REACH_APP,
  }),
]

const HEAD_CHECK = ask({
  row: 'T1',
  sends: 'HEAD to the token endpoint',
  draft: ({ api }) => ({ method: 'HEAD', path: `/${api.name}/token` }),
  expects: all(status(405), header('Allow', 'POST'), NO_BODY),
  fix: METHODS,
})

const GRANT_CHECKS: readonly Check[] = [
  ...['password', 'authorization_code', 'refresh_token'].map((grantType) =>
    ask({
      row: 'T12',
      sends: `a token request with grant_type=${grantType}`,
      draft: (context) => tokenRequest(context, [['grant_type', grantType]]),
      expects: refusal(400, 'unsupported_grant_type'),
      fix: REACH_APP,
    }),
  ),
  ask({
    row: 'T14',
    sends: 'a token request for a scope that the API does not have',
    draft: (context) => tokenRequest(context, [...GRANT, ['scope', 'prove:unknown']]),
    expects: refusal(400, 'invalid_scope'),
    fix: REACH_APP,
  }),
  ask({
    row: 'T14',
    sends: 'a token request for a scope that the application does not have',
    draft: ({ api, site }) => {
      const [scope] = Object.keys(api.scopes)
      if (scope === undefined) return skip('the API has no scopes')
      return postForm({ api }, 'token', [...GRANT, ['scope', scope], ...formCredentials(site.other)])
    },
    expects: refusal(400, 'invalid_scope'),
    fix: 'Run the server with this --config: its store is another one, or its APIs have other scopes.',
  }),
  ask({
    row: 'T15',
    sends: 'a token request for another resource',
    draft: (context) => tokenRequest(context, [...GRANT, ['resource', 'https://prove.invalid/']]),
    expects: refusal(400, 'invalid_target'),
    fix: REACH_APP,
  }),
  ask({
    row: 'T15',
    sends: "a token request for this API's own identifier",
    draft: (context) => tokenRequest(context, [...GRANT, ['resource', context.api.resource]]),
    expects: TOKEN,
    fix: 'Run the server with the baseUrl of this --config: it has another one.',
  }),
  ask({
    row: 'T20',
    sends: 'a token request for all scopes of the API',
    draft: (context) => {
      const scopes = Object.keys(context.api.scopes)
      return scopes.length === 0
        ? skip('the API has no scopes')
        : tokenRequest(context, [...GRANT, ['scope', scopes.join(' ')]])
    },
    expects: ({ api }) => {
      const scopes = Object.keys(api.scopes).join(' ')
      return all(
        TOKEN,
        that(`scope "${scopes}"`, ({ json }) => json?.['scope'] === scopes),
      )
    },
    fix: 'Run the server with the scopes of this --config: its options differ.',
  }),
  ask({
    row: 'T21',
    sends: 'a token request with an unknown parameter and an empty scope',
    draft: (context) => tokenRequest(context, [...GRANT, ['audience', 'x'], ['scope', '']]),
    expects: TOKEN,
    fix: REACH_APP,
  }),
]

const ENCODING_CHECKS: readonly Check[] = [
  ask({
    row: 'T19',
    sends: 'a token request whose form is percent-encoded throughout',
    draft: (context) => {
      const { clientId, clientSecret } = context.site.caller
      const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
      const body = Object.entries(fields).map(([name, value]) => `${name}=${encodeAll(value)}`)
      return { ...tokenRequest(context), body: body.join('&') }
    },
    expects: TOKEN,
    fix: 'Let percent-encoded forms through: a WAF rule takes them for an attack.',
  }),
  ask({
    row: 'T19',
    sends: 'a token request with HTTP Basic, both parts percent-encoded (RFC 6749 2.3.1)',
    draft: (context) => {
      const { clientId, clientSecret } = context.site.caller
      return postForm(context, 'token', GRANT, [basic(encodeAll(clientId), encodeAll(clientSecret))])
    },
    expects: TOKEN,
    fix: 'Pass the Authorization header on as it is.',
  }),
]

/** The whole table, for one oauth2 API. */
export const TOKEN_ENDPOINT_CHECKS: readonly Check[] = [
  ...['PUT', 'PATCH', 'DELETE'].map(createMethodCheck),
  HEAD_CHECK,
  ...GRANT_CHECKS,
  ...ENCODING_CHECKS,
]

function createMethodCheck(method: string): Check {
  return ask({
    row: 'T1',
    sends: `${method} to the token endpoint`,
    draft: ({ api }) => ({ method, path: `/${api.name}/token` }),
    expects: all(refusal(405, 'invalid_request'), header('Allow', 'POST')),
    fix: METHODS,
  })
}

function encodeAll(text: string): string {
  return text.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)
}
