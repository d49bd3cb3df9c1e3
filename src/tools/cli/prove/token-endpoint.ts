import { ask, requireAccessToken, type Check } from './check.js'
import { BODY_TOO_LARGE, METHOD_BLOCKED } from './diagnosis.js'
import { basicRequest, formCredentials, GRANT, postForm, requireMethod, tokenRequest, withHeader } from './drafts.js'
import { all, challenge, header, isActive, NO_BODY, refusal, status, that, TOKEN } from './expectation.js'

const REACH_APP =
  'Let POST /{api}/token reach the app as it is sent, and its answer come back as it is: no rule of proxy or WAF about this path, no rewriting of bodies.'
const ROUTE_ALL =
  'Route POST {baseUrl}/{api}/introspect and /revoke to the app as the token endpoint is: rules of the proxy name /token only, or a WAF blocks long forms.'

export const TOKEN_CHECKS: readonly Check[] = [
  ask({
    row: 'T19',
    sends: 'a token request with the credentials in the form',
    draft({ api, site }) {
      requireMethod(api, 'client_secret_post')
      return tokenRequest(api, site.caller)
    },
    expects: TOKEN,
    fix: `${REACH_APP} The server must run with this --config: the same store, secret and APIs.`,
  }),
  ask({
    row: 'T19',
    sends: 'a token request with the credentials in HTTP Basic',
    draft: ({ api, site }) => basicRequest(api, site.caller),
    expects: TOKEN,
    fix: 'Pass the Authorization header on. nginx: no proxy_set_header Authorization "", no auth_basic; HAProxy: no "del-header Authorization"; Apache: CGIPassAuth On; a CDN: forward the header.',
  }),
  ask({
    row: 'T9',
    sends: 'a token request without credentials',
    draft: ({ api }) => postForm(api, 'token', GRANT),
    expects: ({ api }) =>
      all(
        refusal(401, 'invalid_client'),
        challenge(`Basic realm="${api.name}", charset="UTF-8", error="invalid_client"`),
      ),
    fix: REACH_APP,
  }),
]

const SPELLINGS: readonly (readonly [name: string, spell: (api: string) => string])[] = [
  ['a double slash before it', (api) => `//${api}/token`],
  ['a double slash in it', (api) => `/${api}//token`],
  ['a slash at its end', (api) => `/${api}/token/`],
  ['an encoded letter', (api) => `/${api}/%74oken`],
  ['a dot segment', (api) => `/${api}/./token`],
  ['capital letters', (api) => `/${api}/TOKEN`],
]

const PATH_CHECKS: readonly Check[] = SPELLINGS.map(([name, spell]) =>
  ask({
    row: 'P12',
    sends: `a token request to its path with ${name}`,
    draft: ({ api }) => ({ ...postForm(api, 'token', GRANT), path: spell(api.name) }),
    // Any other answer may come: the host's app decides.
    expects: that(
      'no answer of the token endpoint',
      ({ status, json }) => status > 0 && !['invalid_client', 'invalid_request'].includes(String(json?.['error'])),
    ),
    fix: 'Pass the path on exactly as it is sent: rules of the proxy that look at paths are bypassed by other spellings of them otherwise. nginx: proxy_pass http://api; without a path, or merge_slashes off; HAProxy: no normalize-uri; Express: auth.router compares exactly by itself.',
  }),
)

export const TOKEN_REQUEST_CHECKS: readonly Check[] = [
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) =>
    ask({
      row: 'T1',
      sends: `${method} to the token endpoint`,
      draft: ({ api }) => ({ method, path: `/${api.name}/token` }),
      expects: all(refusal(405, 'invalid_request'), header('Allow', 'POST')),
      fix: METHOD_BLOCKED,
    }),
  ),
  ask({
    row: 'T7',
    sends: 'a token request with client_id in the query string',
    // The credential is invented, because access logs keep it.
    draft: ({ api, site }) => ({ ...tokenRequest(api, site.caller), path: `/${api.name}/token?client_id=prove` }),
    expects: refusal(400, 'invalid_request'),
    fix: 'Let the query string through as it is. nginx: end what a rewrite or a proxy_pass with variables names with $is_args$args; HAProxy: replace-pathq for paths with their query.',
  }),
  ask({
    row: 'T4',
    sends: 'a token request of 15 KiB',
    draft: ({ api, site }) => tokenRequest(api, site.caller, [['padding', 'x'.repeat(15_000)]]),
    expects: TOKEN,
    fix: BODY_TOO_LARGE,
  }),
  ask({
    row: 'T19',
    sends: 'a token request in chunks, without Content-Length',
    draft: ({ api, site }) => ({ ...tokenRequest(api, site.caller), chunked: true }),
    expects: TOKEN,
    fix: 'Let bodies with Transfer-Encoding: chunked through. nginx: proxy_http_version 1.1; HAProxy: no rule on Content-Length.',
  }),
  ask({
    row: 'T19',
    sends: 'a token request with Expect: 100-continue, as curl and .NET send',
    draft: ({ api, site }) => withHeader(tokenRequest(api, site.caller), 'Expect', '100-continue'),
    expects: TOKEN,
    fix: 'Let requests with Expect: 100-continue through: answer 100 at the proxy, or pass it on.',
  }),
  // The other two endpoints of an API, which a rule for the path of the token endpoint leaves out.
  ask({
    row: 'I6',
    sends: "introspection of the application's own access token",
    async draft(context) {
      const token = await requireAccessToken(context)
      return postForm(context.api, 'introspect', [['token', token], ...formCredentials(context.site.caller)])
    },
    expects: isActive(true),
    fix: ROUTE_ALL,
  }),
  ask({
    row: 'I9',
    sends: 'revocation of something that is no access token',
    draft: ({ api, site }) => postForm(api, 'revoke', [['token', 'prove'], ...formCredentials(site.caller)]),
    expects: all(status(200), NO_BODY),
    fix: ROUTE_ALL,
  }),
  ...PATH_CHECKS,
]
