import { ask, judge, requireAccessToken, type Check, type CheckContext } from './check.js'
import { readClaims, readKeyId } from './drafts.js'
import { all, header, headerWith, refusal, status, that, NO_BODY, type Expectation } from './expectation.js'

const IS_KEY_SET = that('a key set', ({ json }) => listKeyIds(json).length > 0)

const SAME_OPTIONS =
  'Start the server with the baseUrl of this --config: addresses in answers come from that option, never from Host or X-Forwarded-*. No proxy may rewrite answers (nginx: sub_filter; Apache: ProxyHTMLURLMap).'
const MOUNT =
  'Route this path to the app: nginx and HAProxy need a rule for /.well-known/ besides the one for the path of baseUrl. In the app: app.use(auth.router) where the path of baseUrl arrives.'
const MOUNT_AT_ROOT =
  'Route /.well-known/ at the root of the origin to the app, and mount app.use(auth.wellKnownRouter) there (nginx: location /.well-known/ { proxy_pass http://api; }). Clients look there first (RFC 8414 3.1, RFC 9728 3.1).'
const HEADERS =
  'Let the headers of the answer through, and add none of the same name. nginx: no add_header, proxy_hide_header or expires for Cache-Control here.'

/** The documents at their places. */
const DOCUMENTS = [
  ['authorization server metadata', 'oauth-authorization-server', 'issuer'],
  ['OpenID configuration', 'openid-configuration', 'issuer'],
  ['protected resource metadata', 'oauth-protected-resource', 'resource'],
] as const

const DOCUMENT_CHECKS: readonly Check[] = DOCUMENTS.flatMap(([title, name, member]) => [
  ask({
    row: name === 'oauth-protected-resource' ? 'P6' : 'P5',
    sends: `GET for the ${title} of the API`,
    draft: ({ api }) => ({ path: `/${api.name}/.well-known/${name}` }),
    expects: ({ api }) => all(status(200), hasMember(member, api.resource)),
    fix: MOUNT,
  }),
  ask({
    row: 'P8',
    sends: `GET for the ${title} at the root of the origin`,
    draft: (context) => ({ path: toRootPath(context, name), fromRoot: true }),
    expects: ({ api }) => all(status(200), hasMember(member, api.resource)),
    fix: MOUNT_AT_ROOT,
    isOwnFix: true,
  }),
])

/** The checks of each oauth2 API. */
export const METADATA_CHECKS: readonly Check[] = [
  ...DOCUMENT_CHECKS,
  ask({
    row: 'M1',
    sends: 'GET for the authorization server metadata, for the addresses in it',
    draft: ({ api }) => ({ path: `/${api.name}/.well-known/oauth-authorization-server` }),
    expects: ({ api }) =>
      all(
        hasMember('token_endpoint', `${api.resource}/token`),
        hasMember('jwks_uri', `${api.resource}/.well-known/jwks.json`),
        hasMember('revocation_endpoint', `${api.resource}/revoke`),
        hasMember('introspection_endpoint', `${api.resource}/introspect`),
      ),
    fix: SAME_OPTIONS,
  }),
  ask({
    row: 'M7',
    sends: 'GET for the authorization server metadata, for its headers',
    draft: ({ api }) => ({ path: `/${api.name}/.well-known/oauth-authorization-server` }),
    expects: all(
      header('Content-Type', 'application/json; charset=utf-8'),
      header('Cache-Control', 'public, max-age=300'),
      header('X-Content-Type-Options', 'nosniff'),
    ),
    fix: HEADERS,
  }),
  ask({
    row: 'P5',
    sends: 'HEAD for the authorization server metadata',
    draft: ({ api }) => ({ method: 'HEAD', path: `/${api.name}/.well-known/oauth-authorization-server` }),
    expects: all(status(200), NO_BODY),
    fix: 'Let HEAD reach the app, and pass its answer on. nginx: no limit_except, proxy_method or "if ($request_method ...)"; HAProxy: no rule on "method"; Express: no app.head() before auth.router.',
  }),
  ask({
    row: 'M5',
    sends: 'GET to the authorization endpoint',
    draft: ({ api }) => ({ path: `/${api.name}/authorize` }),
    expects: refusal(400, 'unsupported_response_type'),
    fix: MOUNT,
  }),
  ask({
    row: 'P7',
    sends: 'GET for the key set of the API',
    draft: ({ api }) => ({ path: `/${api.name}/.well-known/jwks.json` }),
    expects: all(status(200), IS_KEY_SET, headerWith('Cache-Control', 'public')),
    fix: MOUNT,
  }),
  {
    row: 'M3',
    sends: 'GET for the key set that the metadata name, after a token request',
    expects: 'the key that signed the access token',
    fix: 'The key set is older than the token: let caches keep it for at most 300 seconds (nginx: no proxy_cache_valid or proxy_ignore_headers for it), and start every instance on the same store.',
    async run(context) {
      const { api, site } = context
      const token = await requireAccessToken(context)
      const answer = await site.send({ path: `/${api.name}/.well-known/jwks.json` })
      const kid = readKeyId(token)
      return judge(
        context,
        answer,
        that(`a key with the id ${String(kid)}`, () => listKeyIds(answer.json).includes(kid)),
      )
    },
  },
  {
    row: 'M6',
    sends: 'a token request, for the issuer and the audience of the token',
    expects: '"iss" and "aud" are the identifier of the API',
    fix: SAME_OPTIONS,
    async run(context) {
      const { api } = context
      const { iss, aud } = readClaims(await requireAccessToken(context))
      if (iss === api.resource && aud === api.resource) return undefined
      return { received: `"iss" ${JSON.stringify(iss)}, "aud" ${JSON.stringify(aud)}`, expects: `both ${api.resource}` }
    },
  },
  ask({
    row: 'C8',
    sends: 'GET for the protected resource metadata with X-Forwarded-Host and Forwarded of a stranger',
    draft: ({ api }) => ({
      path: `/${api.name}/.well-known/oauth-protected-resource`,
      headers: [
        ['X-Forwarded-Host', 'prove.invalid'],
        ['Forwarded', 'host=prove.invalid'],
      ],
    }),
    expects: ({ api }) =>
      all(
        hasMember('resource', api.resource),
        that('no address of the stranger', ({ body }) => !body.includes('prove.invalid')),
      ),
    fix: SAME_OPTIONS,
  }),
]

/** The checks that are made once for the platform. */
export const KEY_SET_CHECKS: readonly Check[] = [
  ask({
    row: 'P7',
    sends: 'GET for the key set of the platform',
    draft: () => ({ path: '/.well-known/jwks.json' }),
    expects: all(status(200), IS_KEY_SET),
    fix: MOUNT,
  }),
  ask({
    row: 'P7',
    sends: 'HEAD for the key set of the platform',
    draft: () => ({ method: 'HEAD', path: '/.well-known/jwks.json' }),
    expects: all(status(200), NO_BODY),
    fix: 'Let HEAD reach the app. nginx: no limit_except or "if ($request_method ...)"; HAProxy: no rule on "method".',
  }),
  ask({
    row: 'M3',
    sends: 'GET for the key set of the platform, for its age',
    draft: () => ({ path: '/.well-known/jwks.json' }),
    expects: that('kept for at most 300 seconds', ({ header }) => {
      const maxAge = Number(/max-age=(\d+)/.exec(header('cache-control') ?? '')?.[1] ?? Number.NaN)
      return maxAge <= 300 && Number(header('age') ?? 0) <= 300
    }),
    fix: 'Let the Cache-Control of the key set through, and obey it: clients and caches would not learn of a new signing key in time. nginx: no "expires", no proxy_ignore_headers Cache-Control.',
  }),
]

function hasMember(name: string, value: string): Expectation {
  return that(`"${name}": "${value}"`, ({ json }) => json?.[name] === value)
}

/** The ids of the keys in a key set. */
export function listKeyIds(json: Readonly<Record<string, unknown>> | undefined): readonly unknown[] {
  const keys = json?.['keys']
  return Array.isArray(keys) ? keys.map((key: { kid?: unknown } | null) => key?.kid) : []
}

/** RFC 8414 3.1: the well-known part comes first, then the path of the issuer. */
function toRootPath({ api, site }: CheckContext, name: string): string {
  return `/.well-known/${name}${new URL(site.baseUrl).pathname.replace(/\/$/, '')}/${api.name}`
}
