import { gzipSync } from 'node:zlib'
import { ask, skip, type Check } from './check.js'
import { basic, basicTokenRequest, FORM, formCredentials, GRANT, postForm, tokenRequest } from './drafts.js'
import { all, header, refusal, status, that, type Expectation } from './expectation.js'

/** A token answer (T19). */
export const TOKEN: Expectation = {
  text: '200 with an access token',
  isMet: ({ status, json }) =>
    status === 200 &&
    typeof json?.['access_token'] === 'string' &&
    json['token_type'] === 'bearer' &&
    typeof json['expires_in'] === 'number',
}

const REACH_APP =
  'Let POST /{api}/token reach the app as it is sent, and its answer come back as it is: no rule of proxy or WAF about this path, no rewriting of bodies.'
const PARSERS =
  'Put app.use(auth.router) before body parsers and upload middleware (multer, busboy), and let the proxy pass the body on as it is.'
const METHODS =
  'Let every method reach the app. nginx: no limit_except; HAProxy: no rule on "method"; Express: no middleware that answers methods before auth.router.'
const CONTENT_TYPES =
  'Let Content-Type and Content-Encoding through as they are: no middleware or proxy rule that sets, removes or interprets them.'

/** What every oauth2 API is asked. */
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
  ask({
    row: 'T1',
    sends: 'GET to the token endpoint',
    draft: ({ api }) => ({ path: `/${api.name}/token` }),
    expects: all(refusal(405, 'invalid_request'), header('Allow', 'POST')),
    fix: METHODS,
  }),
  ask({
    row: 'T9',
    sends: 'a token request without credentials',
    draft: (context) => postForm(context, 'token', GRANT),
    expects: refusal(401, 'invalid_client'),
    fix: REACH_APP,
  }),
]

const METHOD_CHECKS: readonly Check[] = ['PUT', 'PATCH', 'DELETE'].map((method) =>
  ask({
    row: 'T1',
    sends: `${method} to the token endpoint`,
    draft: ({ api }) => ({ method, path: `/${api.name}/token` }),
    expects: all(refusal(405, 'invalid_request'), header('Allow', 'POST')),
    fix: METHODS,
  }),
)

const HEAD_CHECK = ask({
  row: 'T1',
  sends: 'HEAD to the token endpoint',
  draft: ({ api }) => ({ method: 'HEAD', path: `/${api.name}/token` }),
  expects: all(
    status(405),
    header('Allow', 'POST'),
    that('no body', ({ body }) => body === ''),
  ),
  fix: METHODS,
})

const MEDIA_TYPE_CHECKS: readonly Check[] = (
  [
    ['plain text', 'text/plain'],
    ['multipart/form-data', 'multipart/form-data; boundary=prove'],
    ['a form in ISO 8859-1', 'application/x-www-form-urlencoded; charset=iso-8859-1'],
  ] as const
).map(([name, type]) =>
  ask({
    row: 'T2',
    sends: `a token request whose Content-Type is ${name}`,
    draft: (context) => ({ ...tokenRequest(context), headers: [['Content-Type', type]] }),
    expects: refusal(400, 'invalid_request'),
    fix: CONTENT_TYPES,
  }),
)

/** Forms that clients send. */
const FORM_CHECKS: readonly Check[] = (
  [
    ['with charset=UTF-8 in its Content-Type', 'application/x-www-form-urlencoded; charset=UTF-8'],
    ['whose Content-Type is in capital letters', 'APPLICATION/X-WWW-FORM-URLENCODED'],
  ] as const
).map(([name, type]) =>
  ask({
    row: 'T2',
    sends: `a token request ${name}`,
    draft: (context) => ({ ...tokenRequest(context), headers: [['Content-Type', type]] }),
    expects: TOKEN,
    fix: CONTENT_TYPES,
  }),
)

const PADDING = 'x'.repeat(17 * 1024)
const SIZES =
  'Let bodies of up to 64 KiB reach the app, which refuses larger ones itself. nginx: client_max_body_size 1m, proxy_request_buffering on; HAProxy: no rule on req.body_size; Express: no smaller "limit" of a parser before auth.router.'

const BODY_CHECKS: readonly Check[] = [
  ask({
    row: 'T2',
    sends: 'a token request as JSON',
    draft: (context) => ({
      ...tokenRequest(context),
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ grant_type: 'client_credentials' }),
    }),
    expects: refusal(400, 'invalid_request'),
    fix: CONTENT_TYPES,
  }),
  ask({
    row: 'T3',
    sends: 'a token request with Content-Encoding: gzip',
    draft: (context) => {
      const draft = tokenRequest(context)
      return { ...draft, headers: [FORM, ['Content-Encoding', 'gzip']], body: gzipSync(draft.body!) }
    },
    expects: refusal(415, 'invalid_request'),
    fix: CONTENT_TYPES,
  }),
  ask({
    row: 'T4',
    sends: 'a token request of 17 KiB',
    draft: (context) => postForm(context, 'token', [...GRANT, ['padding', PADDING]]),
    expects: refusal(413, 'invalid_request'),
    fix: SIZES,
  }),
  ask({
    row: 'T4',
    sends: 'a token request of 15 KiB',
    draft: (context) => tokenRequest(context, [...GRANT, ['padding', PADDING.slice(0, 15_000)]]),
    expects: TOKEN,
    fix: SIZES,
  }),
  ask({
    row: 'T19',
    sends: 'a token request in chunks, without Content-Length',
    draft: (context) => ({ ...tokenRequest(context), chunked: true }),
    expects: TOKEN,
    fix: 'Let bodies with Transfer-Encoding: chunked through. nginx: proxy_http_version 1.1; HAProxy: no rule on Content-Length.',
  }),
  ask({
    row: 'T19',
    sends: 'a token request with Expect: 100-continue, as curl and .NET send',
    draft: (context) => ({ ...tokenRequest(context), headers: [FORM, ['Expect', '100-continue']] }),
    expects: TOKEN,
    fix: 'Let requests with Expect: 100-continue through: answer 100 at the proxy, or pass it on.',
  }),
  ask({
    row: 'T5',
    sends: 'a token request that is not valid percent-encoding',
    draft: (context) => ({ ...tokenRequest(context), body: 'grant_type=client_credentials&client_id=%E4%zz' }),
    // Where a body parser of the app has read it, the text is a key that nobody has.
    expects: that(
      '400 or 401 with a JSON error',
      ({ status, json }) => (status === 400 || status === 401) && typeof json?.['error'] === 'string',
    ),
    fix: PARSERS,
  }),
  ask({
    row: 'T6',
    sends: 'a token request with an empty body',
    draft: (context) => postForm(context, 'token', []),
    expects: refusal(400, 'invalid_request'),
    fix: PARSERS,
  }),
  ask({
    row: 'T6',
    sends: 'a token request without grant_type',
    draft: (context) => tokenRequest(context, []),
    expects: refusal(400, 'invalid_request'),
    fix: PARSERS,
  }),
  ...['grant_type', 'client_id', 'client_secret', 'scope'].map((name) =>
    ask({
      row: 'T5',
      sends: `a token request with ${name} twice`,
      draft: (context) => tokenRequest(context, [...GRANT, [name, 'a'], [name, 'b']]),
      expects: refusal(400, 'invalid_request'),
      fix: PARSERS,
    }),
  ),
]

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
  ...METHOD_CHECKS,
  HEAD_CHECK,
  ...MEDIA_TYPE_CHECKS,
  ...FORM_CHECKS,
  ...BODY_CHECKS,
  ...GRANT_CHECKS,
  ...ENCODING_CHECKS,
]

function encodeAll(text: string): string {
  return text.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)
}
