import { ask, judge, requireAccessToken, skip, type Check, type CheckContext } from './check.js'
import { basic, bearer, forge, get } from './drafts.js'
import type { RequestDraft } from './exchange.js'
import { ALLOWED, all, challenge, refusal, status, that, NO_BODY, type Expectation } from './expectation.js'

export const NOT_GUARDED =
  'Put the guard in front of the route: app.use(path, auth.requireBearer(api)) or requireApiKey before it. A guard with optional: true, or one that only reports, lets such requests pass; and so does a cache that keeps answers of others (nginx: no proxy_ignore_headers, proxy_cache_bypass $http_authorization).'
const AUTHORIZATION =
  'Pass the Authorization header on as it is sent. nginx: no proxy_set_header Authorization, no auth_basic; HAProxy: no del-header Authorization; Apache: CGIPassAuth On; a CDN: forward the header.'
const CHALLENGES =
  'Let WWW-Authenticate through: clients learn from it what to send. nginx: no proxy_hide_header WWW-Authenticate, proxy_intercept_errors off; HAProxy: no "http-response del-header WWW-Authenticate".'
const REFUSALS =
  'Let refusals of the app through as they are: status, headers and body. nginx: proxy_intercept_errors off; HAProxy: no http-error for it. If the guard has an onDenied of its own, name another route.'
const LONG_HEADERS =
  'Let header lines of 8 KiB and header sections of 16 KiB through: access tokens are long. nginx: large_client_header_buffers 4 16k; HAProxy: tune.bufsize 32768; Node: --max-http-header-size; a WAF: no limit for Authorization.'
const SAME_PLATFORM =
  'Start every instance on the same store, with the same secret and baseUrl, and with this --config. Clocks must agree: see NTP.'

/** RFC 9728 5.1. */
function formatMetadata({ api }: CheckContext): string {
  return `resource_metadata="${api.resource}/.well-known/oauth-protected-resource"`
}

/** A check of a request with an access token, which the draft may change. */
function askWithToken(
  row: string,
  sends: string,
  draft: (context: CheckContext, token: string) => RequestDraft,
  expects: Expectation,
  fix: string,
): Check {
  return ask({
    row,
    sends,
    draft: async (context) => draft(context, await requireAccessToken(context)),
    expects,
    fix,
  })
}

const INVALID_TOKEN: Expectation = all(
  refusal(401, 'invalid_token'),
  challenge('Bearer realm='),
  that('error="invalid_token"', ({ header }) => (header('www-authenticate') ?? '').includes('error="invalid_token"')),
)

const NO_CREDENTIAL_CHECKS: readonly Check[] = [
  ask({
    row: 'G2',
    sends: 'a request without a credential',
    draft: (context) => get(context),
    expects: refusal(401, 'unauthorized'),
    fix: NOT_GUARDED,
  }),
  ask({
    row: 'G2',
    sends: 'a request without a credential, for its challenge',
    draft: (context) => get(context),
    expects: (context) =>
      all(
        challenge(`Bearer realm="${context.api.name}"`),
        that(formatMetadata(context), ({ header }) =>
          (header('www-authenticate') ?? '').includes(formatMetadata(context)),
        ),
      ),
    fix: CHALLENGES,
  }),
  ask({
    row: 'G2',
    sends: 'a request with HTTP Basic',
    draft: (context) => get(context, basic('prove', 'prove')),
    expects: refusal(401, 'unauthorized'),
    fix: REFUSALS,
  }),
  ask({
    row: 'G2',
    sends: 'HEAD without a credential',
    draft: (context) => ({ ...get(context), method: 'HEAD' }),
    expects: all(status(401), challenge('Bearer realm='), NO_BODY),
    fix: 'Let HEAD reach the app, and pass its answer on. nginx: no limit_except or "if ($request_method ...)"; HAProxy: no rule on "method"; Express: no app.head() before the guard.',
  }),
  ask({
    row: 'X4',
    sends: 'OPTIONS without a credential',
    draft: (context) => ({ ...get(context), method: 'OPTIONS' }),
    // Express answers OPTIONS by itself for a route of one method; a guard of a document refuses the method with JSON.
    expects: that(
      "401, or the app's own answer",
      ({ status, json }) => [200, 204, 401, 404].includes(status) || json?.['error'] === 'method_not_allowed',
    ),
    fix: 'Let OPTIONS reach the app: browsers ask with it before they call. nginx: no limit_except or "if ($request_method ...)". Put cors() before the guard.',
  }),
]

const FORM_CHECKS: readonly Check[] = [
  askWithToken(
    'G1',
    'a request with two Authorization headers',
    (context, token) => get(context, bearer(token), bearer(token)),
    // A proxy may refuse it by itself, as nginx does.
    status(400),
    AUTHORIZATION,
  ),
  ...(
    [
      ['nothing after Bearer', 'Bearer'],
      ['two words after Bearer', 'Bearer one two'],
      ['a character that no token has', 'Bearer {prove}'],
    ] as const
  ).map(([name, value]) =>
    ask({
      row: 'G3',
      sends: `a request with ${name}`,
      draft: (context) => get(context, ['Authorization', value]),
      expects: refusal(400, 'invalid_request'),
      fix: AUTHORIZATION,
    }),
  ),
]

const TOKEN_CHECKS: readonly Check[] = [
  askWithToken(
    'G16',
    'a request with an access token',
    (context, token) => get(context, bearer(token)),
    ALLOWED,
    `${AUTHORIZATION} ${SAME_PLATFORM}`,
  ),
  askWithToken(
    'G16',
    'a request whose header is called "authorization" and whose scheme is "bearer"',
    (context, token) => get(context, ['authorization', `bearer ${token}`]),
    ALLOWED,
    'Compare names of headers and schemes without regard to case (RFC 9110 5.1, 11.1) in rules of proxy and WAF.',
  ),
  askWithToken(
    'G16',
    'a request with an access token and 4 KiB of other headers, such as cookies',
    (context, token) => get(context, bearer(token), ['X-Prove', 'x'.repeat(4096)]),
    ALLOWED,
    LONG_HEADERS,
  ),
  askWithToken(
    'G4',
    'a request with an access token of 7 KiB whose signature is wrong',
    (context, token) => get(context, bearer(forge(token, { claims: { prove: 'x'.repeat(4300) } }))),
    INVALID_TOKEN,
    LONG_HEADERS,
  ),
  askWithToken(
    'G4',
    'a request with an access token whose claims were changed',
    (context, token) => get(context, bearer(forge(token, { claims: { scope: 'admin' } }))),
    INVALID_TOKEN,
    REFUSALS,
  ),
  askWithToken(
    'G4',
    'a request with an access token of the algorithm "none"',
    (context, token) => get(context, bearer(forge(token, { header: { alg: 'none' } }).replace(/[^.]*$/, ''))),
    that('401 or 400', ({ status }) => status === 401 || status === 400),
    REFUSALS,
  ),
  askWithToken(
    'G4',
    'a request with an access token whose end was changed',
    (context, token) => get(context, bearer(forge(token, { claims: { exp: 1 } }))),
    INVALID_TOKEN,
    REFUSALS,
  ),
]

const OTHER_CREDENTIAL_CHECKS: readonly Check[] = [
  {
    row: 'G6',
    sends: "a request with another API's access token",
    expects: '401 "invalid_token", which says that it was issued for another API',
    fix: 'Name the API of the route in its guard: requireBearer(api). If the error says something else, the baseUrl of the server is not the one of this --config.',
    async run(context) {
      const { api, site } = context
      const another = site.platform.apis.find(({ name, scheme }) => scheme === 'oauth2' && name !== api.name)
      const token = await requireAccessToken({ site, api: another ?? skip('there is only one oauth2 API') })
      const saysSo = that('"The access token was issued for another API"', ({ body }) => body.includes('another API'))
      return judge(context, await site.send(get(context, bearer(token))), all(INVALID_TOKEN, saysSo))
    },
  },
  {
    row: 'G8',
    sends: 'a request with an access token without any scope',
    expects: '403 "insufficient_scope", with the scopes in the challenge',
    fix: CHALLENGES,
    async run(context) {
      const { site } = context
      const unguarded = await site.send(get(context))
      if (!/Bearer [^\n]*\bscope="/.test(unguarded.header('www-authenticate') ?? '')) skip('the route needs no scope')
      const token = await requireAccessToken(context, site.other)
      const insufficient = all(refusal(403, 'insufficient_scope'), challenge('Bearer realm='))
      return judge(context, await site.send(get(context, bearer(token))), insufficient)
    },
  },
  ask({
    row: 'G2',
    sends: 'a request with the API key of the application, in X-Api-Key',
    draft: (context) => get(context, ['X-Api-Key', context.site.caller.clientId]),
    expects: status(401),
    fix: NOT_GUARDED,
  }),
]

/** The checks of each oauth2 API with a guarded route. */
export const BEARER_GUARD_CHECKS: readonly Check[] = [
  ...NO_CREDENTIAL_CHECKS,
  ...FORM_CHECKS,
  ...TOKEN_CHECKS,
  ...OTHER_CREDENTIAL_CHECKS,
]
