/**
 * What is compared with what. A group's first entry is what its others are relative to. `lines` names the lines that the
 * server has made for its load; `server` is shared by entries that are equal in it.
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
  body: 'grant_type=client_credentials',
})

const ours = (options) => ({ contender: 'ours', options })
const BEARER = { guard: 'bearer', applications: 100, tokens: 10_000 }

function oursTokens(algorithm, store) {
  const server = ours({ algorithm, store })
  const name = `ours, ${algorithm}, ${store}`
  return [
    { name: `${name}, form`, server, traffic: tokenForm('/orders/token'), lines: 'forms' },
    { name: `${name}, Basic`, server, traffic: tokenBasic('/orders/token'), lines: 'basics' },
  ]
}

function refusal(what, server, lines, traffic = bearer) {
  return { name: what, server, traffic, lines, status: 401 }
}

export const GROUPS = [
  {
    name: 'bearer',
    title: 'access token seen before (10,000 in turn)',
    entries: [
      bare,
      { name: 'ours, memory', server: ours(BEARER), traffic: bearer, lines: 'tokens' },
      { name: 'ours, sqlite', server: ours({ ...BEARER, store: 'sqlite' }), traffic: bearer, lines: 'tokens' },
    ],
  },
  {
    name: 'api-key',
    title: 'API key (1,000 in turn)',
    entries: [
      bare,
      { name: 'ours, memory', server: ours({ guard: 'apiKey' }), traffic: apiKey, lines: 'keys' },
      { name: 'ours, sqlite', server: ours({ guard: 'apiKey', store: 'sqlite' }), traffic: apiKey, lines: 'keys' },
    ],
  },
  {
    name: 'refusals',
    title: 'refusals (relative to the 200)',
    entries: [
      bare,
      refusal('ours, garbage', ours(BEARER), 'garbage'),
      refusal('ours, expired', ours(BEARER), 'expired'),
      refusal('ours, signed by a foreign key', ours(BEARER), 'foreign'),
      refusal('ours, unknown kid', ours(BEARER), 'unknownKid'),
      refusal('ours, unknown API key', ours({ guard: 'apiKey' }), 'unknownKeys', apiKey),
      refusal('ours, malformed API key', ours({ guard: 'apiKey' }), 'malformedKeys', apiKey),
    ],
  },
  {
    name: 'token',
    title: 'token request (1,000 clients in turn)',
    entries: [
      { ...bare, server: { contender: 'bare-token' }, traffic: { method: 'POST', path: '/token' } },
      ...oursTokens('ES256', 'memory'),
      ...oursTokens('ES256', 'sqlite'),
      ...oursTokens('EdDSA', 'memory'),
      ...oursTokens('EdDSA', 'sqlite'),
    ],
  },
]
