import { ask, judge, requireAccessToken, type Check } from './check.js'
import { METHOD_BLOCKED } from './diagnosis.js'
import { readJwtPart } from '../../../shared/lib/jwt.js'
import { all, NO_BODY, status, that, type Expectation } from './expectation.js'

const MOUNT =
  'Route this path to the app: nginx and HAProxy need a rule for /.well-known/ besides the one for the path of baseUrl. In the app: app.use(auth.router) where the path of baseUrl arrives.'
const MOUNT_AT_ROOT =
  'Route /.well-known/ at the root of the origin to the app, and mount app.use(auth.wellKnownRouter) there (nginx: location /.well-known/ { proxy_pass http://api; }). Clients look there first (RFC 8414 3.1, RFC 9728 3.1).'

const DOCUMENT_CHECKS: readonly Check[] = (
  [
    ['P5', 'authorization server metadata', 'oauth-authorization-server', 'issuer'],
    ['P5', 'OpenID configuration', 'openid-configuration', 'issuer'],
    ['P6', 'protected resource metadata', 'oauth-protected-resource', 'resource'],
  ] as const
).flatMap(([row, title, name, member]) => [
  ask({
    row,
    sends: `GET for the ${title} of the API`,
    draft: ({ api }) => ({ path: `/${api.name}/.well-known/${name}` }),
    expects: ({ api }) => all(status(200), hasMember(member, api.resource)),
    fix: MOUNT,
  }),
  ask({
    row: 'P8',
    sends: `GET for the ${title} at the root of the origin`,
    // RFC 8414 3.1: the well-known part comes first, then the path of the issuer.
    draft: ({ api }) => ({ path: `/.well-known/${name}${new URL(api.resource).pathname}`, fromRoot: true }),
    expects: ({ api }) => all(status(200), hasMember(member, api.resource)),
    fix: MOUNT_AT_ROOT,
    isOwnFix: true,
  }),
])

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
    fix: 'Start the server with the baseUrl of this --config: addresses in answers come from that option, never from Host or X-Forwarded-*. No proxy may rewrite answers (nginx: sub_filter; Apache: ProxyHTMLURLMap).',
  }),
  ask({
    row: 'P5',
    sends: 'HEAD for the authorization server metadata',
    draft: ({ api }) => ({ method: 'HEAD', path: `/${api.name}/.well-known/oauth-authorization-server` }),
    expects: all(status(200), NO_BODY),
    fix: METHOD_BLOCKED,
  }),
  {
    row: 'M3',
    sends: 'GET for the key set of the API, after a token request',
    expects: 'the key that signed the access token',
    fix: `${MOUNT} If the key set is older than the token: let caches keep it for at most 300 seconds (nginx: no proxy_cache_valid or proxy_ignore_headers for it), and start every instance on the same store.`,
    async run(context) {
      const kid = readJwtPart(await requireAccessToken(context), 'header')?.['kid']
      const answer = await context.site.send({ path: `/${context.api.name}/.well-known/jwks.json` })
      const isSigner = that(`a key with the id ${String(kid)}`, ({ json }) => listKeyIds(json).includes(kid))
      return judge(context, answer, isSigner)
    },
  },
]

export const KEY_SET_CHECKS: readonly Check[] = [
  ask({
    row: 'M3',
    sends: 'GET for the key set of the platform',
    draft: () => ({ path: '/.well-known/jwks.json' }),
    expects: that('200 with a key set that is kept for at most 300 seconds', ({ status, json, header }) => {
      const maxAge = Number(/max-age=(\d+)/.exec(header('cache-control') ?? '')?.[1] ?? Number.NaN)
      return status === 200 && listKeyIds(json).length > 0 && maxAge <= 300 && Number(header('age') ?? 0) <= 300
    }),
    fix: `${MOUNT} Let the Cache-Control of the key set through, and obey it: clients and caches would not learn of a new signing key in time. nginx: no "expires", no proxy_ignore_headers Cache-Control.`,
  }),
]

function hasMember(name: string, value: string): Expectation {
  return that(`"${name}": "${value}"`, ({ json }) => json?.[name] === value)
}

export function listKeyIds(json: Readonly<Record<string, unknown>> | undefined): readonly unknown[] {
  const keys = json?.['keys']
  return Array.isArray(keys) ? keys.map((key: { kid?: unknown } | null) => key?.kid) : []
}
