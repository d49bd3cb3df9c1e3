import { FORM_WITHOUT_CREDENTIALS } from './clients.mjs'

/**
 * The comparisons. The first entry of a group is the base of its ratios. `lines` names the requests that the server has
 * prepared; entries with equal `server` share one process.
 */
const bare = { name: 'bare Express', server: { contender: 'bare' }, traffic: { path: '/items' } }
const bearer = { path: '/items', vary: 'Authorization', before: 'Bearer ' }
const apiKey = { path: '/items', vary: 'X-Api-Key' }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const tokenForm = (path) => ({ method: 'POST', path, headers: FORM, vary: 'body' })
const tokenBasic = (path) => ({
  ...tokenForm(path),
  vary: 'Authorization',
  before: 'Basic ',
  body: FORM_WITHOUT_CREDENTIALS,
})

const ours = (options) => ({ contender: 'ours', options })
const VERIFIED = { tokens: 10_000 }
// More than twice the size of any cache: a token has been evicted before it comes again.
const UNSEEN = { tokens: 50_000 }
const BEARER = { guard: 'bearer', applications: 100, tokens: 10_000 }

const service = (options) => ({ contender: 'ours-service', options })
const COUNTED_BEARER = { ...BEARER, counted: true }
const COUNTED_KEY = { guard: 'apiKey', counted: true }

function oursTokens(algorithm, store) {
  const server = ours({ algorithm, store })
  const name = `ours, ${algorithm}, ${store}`
  return [
    { name: `${name}, form`, server, traffic: tokenForm('/orders/token'), lines: 'forms' },
    { name: `${name}, Basic`, server, traffic: tokenBasic('/orders/token'), lines: 'basics' },
  ]
}

function peerTokens(name, contender, options = {}) {
  const server = { contender, options: { clients: 1000, ...options } }
  return [
    { name: `${name}, form`, server, traffic: tokenForm('/token'), lines: 'forms' },
    { name: `${name}, Basic`, server, traffic: tokenBasic('/token'), lines: 'basics' },
  ]
}

function peer(contender, name = contender) {
  return { name, server: { contender, options: VERIFIED }, traffic: bearer, lines: 'tokens' }
}

function headerReader(options, traffic, lines) {
  return { name: 'a middleware that reads the header', server: { contender: 'header-reader', options }, traffic, lines }
}

function byHand(name, options, traffic, lines) {
  return { name, server: { contender: 'by-hand', options }, traffic, lines }
}

function scaled(size, applications, hot) {
  const server = { contender: 'ours-scaled', options: { applications, hot } }
  const startsWith = `${size} applications`
  return [
    { name: `ours, bearer, ${size}`, server, traffic: { ...bearer, path: '/orders/items' }, lines: 'tokens' },
    { name: `ours, API key, ${size}`, server, traffic: { ...apiKey, path: '/catalog/items' }, lines: 'keys' },
  ].map((entry) => ({ ...entry, startsWith, base: entry.name.replace(size, '1,000') }))
}

function refusal(what, server, lines, traffic = bearer) {
  return { name: what, server, traffic, lines, statuses: [401] }
}

/** With the package's default limits, which most of these requests exceed. */
function limited(what, options, lines, traffic) {
  return { ...refusal(what, ours({ ...options, defaults: true }), lines, traffic), statuses: [401, 429] }
}

export const GROUPS = [
  {
    name: 'bearer',
    title: 'access token, seen before',
    entries: [
      bare,
      headerReader({ header: 'authorization', ...VERIFIED }, bearer, 'tokens'),
      byHand('by hand, SHA-256 and a Map', { header: 'authorization', ...VERIFIED }, bearer, 'tokens'),
      { name: 'ours, memory', server: ours(BEARER), traffic: bearer, lines: 'tokens' },
      {
        name: 'ours, memory, EdDSA',
        server: ours({ ...BEARER, algorithm: 'EdDSA' }),
        traffic: bearer,
        lines: 'tokens',
      },
      { name: 'ours, sqlite', server: ours({ ...BEARER, store: 'sqlite' }), traffic: bearer, lines: 'tokens' },
      peer('express-oauth2-jwt-bearer'),
      peer('express-jwt'),
      peer('passport-jwt'),
      peer('passport-http-bearer', 'passport-http-bearer + jose'),
      peer('fast-jwt', 'fast-jwt, cache of 20,000'),
      peer('mcp-sdk', 'MCP SDK requireBearerAuth + jose'),
    ],
  },
  {
    name: 'starts',
    title: 'ten process starts',
    lives: 10,
    entries: [
      bare,
      { name: 'ours, access token', server: ours(BEARER), traffic: bearer, lines: 'tokens' },
      { name: 'ours, API key', server: ours({ guard: 'apiKey' }), traffic: apiKey, lines: 'keys' },
      peer('fast-jwt', 'fast-jwt, cache of 20,000'),
    ],
  },
  {
    name: 'unseen',
    title: 'access token, new',
    entries: [
      { name: 'bare Express + jose', server: { contender: 'jose', options: UNSEEN }, traffic: bearer, lines: 'tokens' },
      { name: 'ours, memory', server: ours({ ...BEARER, ...UNSEEN }), traffic: bearer, lines: 'tokens' },
      { ...peer('fast-jwt', 'fast-jwt, cache of 20,000'), server: { contender: 'fast-jwt', options: UNSEEN } },
    ],
  },
  {
    name: 'api-key',
    title: 'API key',
    entries: [
      bare,
      headerReader({ header: 'x-api-key' }, apiKey, 'keys'),
      byHand('by hand, SHA-256 and a Map', { header: 'x-api-key' }, apiKey, 'keys'),
      byHand('by hand, with Vary and Cache-Control', { header: 'x-api-key', cacheHeaders: true }, apiKey, 'keys'),
      { name: 'ours, memory', server: ours({ guard: 'apiKey' }), traffic: apiKey, lines: 'keys' },
      { name: 'ours, sqlite', server: ours({ guard: 'apiKey', store: 'sqlite' }), traffic: apiKey, lines: 'keys' },
      {
        name: 'passport-headerapikey, a Map',
        server: { contender: 'passport-headerapikey' },
        traffic: apiKey,
        lines: 'keys',
      },
      {
        name: 'better-auth, in-memory adapter',
        server: { contender: 'better-auth' },
        traffic: apiKey,
        lines: 'keys',
      },
      {
        name: 'better-auth, secondary storage in a Map',
        server: { contender: 'better-auth', options: { secondary: true } },
        traffic: apiKey,
        lines: 'keys',
      },
    ],
  },
  {
    name: 'plan',
    title: 'key with scopes and a plan',
    entries: [
      bare,
      { name: 'ours, API key alone', server: ours({ guard: 'apiKey' }), traffic: apiKey, lines: 'keys' },
      { name: 'ours, one window', server: ours({ guard: 'plan', windows: 1 }), traffic: apiKey, lines: 'keys' },
      { name: 'ours, three windows', server: ours({ guard: 'plan', windows: 3 }), traffic: apiKey, lines: 'keys' },
      {
        name: 'passport-headerapikey + rate-limiter-flexible, one window',
        server: { contender: 'passport-headerapikey-limits', options: { windows: 1 } },
        traffic: apiKey,
        lines: 'keys',
      },
      {
        name: 'passport-headerapikey + rate-limiter-flexible, three windows',
        server: { contender: 'passport-headerapikey-limits' },
        traffic: apiKey,
        lines: 'keys',
      },
    ],
  },
  {
    name: 'service',
    title: 'in a service without a database',
    entries: [
      { name: 'the platform, access token', server: ours(COUNTED_BEARER), traffic: bearer, lines: 'tokens' },
      { name: 'a service, access token', server: service(COUNTED_BEARER), traffic: bearer, lines: 'tokens' },
      ...[
        { name: 'the platform, API key', server: ours(COUNTED_KEY), traffic: apiKey, lines: 'keys' },
        { name: 'a service, API key', server: service(COUNTED_KEY), traffic: apiKey, lines: 'keys' },
      ].map((entry) => ({ ...entry, base: 'the platform, API key' })),
    ],
  },
  {
    name: 'refusals',
    title: 'refusal',
    entries: [
      bare,
      refusal('ours, garbage', ours(BEARER), 'garbage'),
      refusal('ours, expired', ours(BEARER), 'expired'),
      refusal('ours, signed by a foreign key', ours(BEARER), 'foreign'),
      refusal('ours, signed by a foreign key, new', ours({ ...BEARER, forgeries: 25_000 }), 'foreign'),
      refusal('ours, unknown kid', ours(BEARER), 'unknownKid'),
      refusal('ours, unknown API key', ours({ guard: 'apiKey' }), 'unknownKeys', apiKey),
      limited('ours, unknown API key, default limits', { guard: 'apiKey' }, 'unknownKeys', apiKey),
      limited('ours, foreign key, new, default limits', { ...BEARER, forgeries: 25_000 }, 'foreign'),
      refusal('ours, malformed API key', ours({ guard: 'apiKey' }), 'malformedKeys', apiKey),
      ...['express-oauth2-jwt-bearer', 'express-jwt', 'passport-jwt'].flatMap((contender) => [
        refusal(`${contender}, garbage`, { contender, options: VERIFIED }, 'garbage'),
        refusal(`${contender}, expired`, { contender, options: VERIFIED }, 'expired'),
      ]),
    ],
  },
  {
    name: 'token',
    title: 'token request',
    entries: [
      { ...bare, server: { contender: 'bare-token' }, traffic: { method: 'POST', path: '/token' } },
      ...oursTokens('ES256', 'memory'),
      ...oursTokens('ES256', 'sqlite'),
      ...oursTokens('EdDSA', 'memory'),
      ...oursTokens('EdDSA', 'sqlite'),
      ...peerTokens('@node-oauth, opaque', 'node-oauth'),
      ...peerTokens('@node-oauth + jose, ES256', 'node-oauth', { jwt: true }),
      peerTokens('oidc-provider, ES256', 'oidc-provider', { method: 'client_secret_post' })[0],
      peerTokens('oidc-provider, ES256', 'oidc-provider', { method: 'client_secret_basic' })[1],
    ],
  },
  {
    name: 'scale',
    title: '1,000,000 applications',
    lives: 1,
    entries: [...scaled('1,000', 1000, 1000), ...scaled('1,000,000', 1_000_000, 10_000)],
  },
]

/** Printed below the table. */
export const LEGEND = `
CPU time (user and system) of the server's process for each request it served; ratio and added are medians over rounds of
what a contender used against the group's first line in the same round. Latencies are those of 16 connections that ask as
fast as they are answered; p99 ratio is the median over rounds of a contender's p99 by that of the first line. The
slowest start is the CPU time of the process that took most by that of the median process. Scavenges, collections of the young
generation, are those of 1,000 requests. Memory is the server's after the last round and a garbage collection. Every server has
one core.

- Guards stand in front of the same route with the same JSON answer. Access tokens are ES256, RFC 9068, some 680 characters:
  10,000 in turn, or, as new ones, 50,000 in turn, more than anybody keeps. API keys are those of 1,000 applications.
  Refusals are relative to the route's 200.
- a middleware that reads the header: what any guard costs, before it does anything.
- by hand: a Map by the SHA-256 of the credential, and the expiry of a token, with jose for those not in the Map. Nothing is
  revoked, suspended, limited or counted.
- ours: NODE_ENV=production, guard with a scope; the application's state, scopes and revocations are judged at each request.
- express-oauth2-jwt-bearer: issuer, audience, key set by \`jwksUri\`, \`requiredScopes()\`. express-jwt and passport-jwt: PEM
  public key, issuer, audience. passport-http-bearer and MCP SDK: jose with an imported key in the callback they ask for.
  None keeps what it has verified. fast-jwt: \`cache: 20000\`, issuer, audience, the least middleware.
- passport-headerapikey: plain keys in a Map. better-auth: \`verifyApiKey()\`, hashed keys, its rate limit off.
- key with scopes and a plan: a scope is required, and limits that are not reached are counted in memory: per second, then per day and
  month too, which ours writes to its store. By hand: the scopes of the key, and a RateLimiterMemory for each window.
- in a service without a database: requests and routes are counted, and reported to the platform, which is a process of its own. Relative
  to the same guard at a platform that counts them.
- Token requests come from 1,000 clients in turn and are relative to a POST route that answers as many bytes as ours and reads
  no body. ours: listeners on token.issued and token.refused. @node-oauth: clients in a Map, opaque tokens kept in a Map, or
  JWTs by jose. oidc-provider: clients in its configuration, JWTs by resource indicators.
- 1,000,000 applications: SQLite, 10,000 of them calling, relative to 1,000 that all call.
`
