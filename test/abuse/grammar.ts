import { createHostileCredentials, type HostileCredentials } from './hostile-credentials.js'
import { encodeUtf8, type Draft, type Route } from './draft.js'
import { BODY_MUTATIONS, HEADER_MUTATIONS, TARGET_MUTATIONS } from './mutations.js'
import type { KnownCredentials, GoodClient } from './platform-process.js'
import type { Random } from './random.js'

/** Creates the next request, mostly a hostile one, sometimes an honest one. */
export type Grammar = (random: Random) => Draft

/** An honest request without its credential, which `present` adds. */
interface Kind {
  readonly kind: string
  readonly weight: number
  readonly draft: (random: Random, good: GoodClient) => Partial<Draft> & Pick<Draft, 'route' | 'target'>
  readonly present?: (draft: Draft, good: GoodClient, random: Random) => void
  readonly attack?: (hostile: HostileCredentials, draft: Draft, random: Random) => void
}

const GRANT = 'grant_type=client_credentials'
const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded']
const formatBasic = ({ clientId, clientSecret }: GoodClient): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

function clientRequest(
  kind: string,
  route: Route,
  weight: number,
  rest: (random: Random, good: GoodClient) => string,
): Kind {
  return {
    kind,
    weight,
    draft: (random, good) => ({
      route,
      target: `/orders/${route}`,
      method: 'POST',
      headers: [FORM],
      body: rest(random, good),
    }),
    present(draft, good, random) {
      if (random.chance(0.5)) draft.headers.push(['Authorization', formatBasic(good)])
      else draft.body += `&client_id=${good.clientId}&client_secret=${good.clientSecret}`
    },
    attack: (hostile, draft, random) => hostile.client(draft, random, draft.body ?? ''),
  }
}

const bearer: Pick<Kind, 'present' | 'attack'> = {
  present: (draft, { token }) => void draft.headers.push(['Authorization', `Bearer ${token}`]),
  attack: (hostile, draft, random) => hostile.bearer(draft, random),
}
const apiKey: Pick<Kind, 'present' | 'attack'> = {
  present: (draft, { clientId }) => void draft.headers.push(['X-Api-Key', clientId]),
  attack: (hostile, draft, random) => hostile.apiKey(draft, random),
}

const KINDS: readonly Kind[] = [
  clientRequest('token', 'token', 14, () => GRANT),
  clientRequest('introspect', 'introspect', 6, (_random, good) => `token=${good.token}`),
  // Random tokens, so that no honest token is revoked.
  clientRequest('revoke', 'revoke', 4, (random) => `token=${random.text(40)}`),
  {
    kind: 'bearer',
    weight: 26,
    draft: (random) => ({
      route: 'bearer',
      target: random.pick(['/orders/items', '/orders/items?page=2', '/orders/items/7']),
    }),
    ...bearer,
  },
  { kind: 'optional', weight: 4, draft: () => ({ route: 'optional', target: '/orders/maybe' }), ...bearer },
  { kind: 'apiKey', weight: 20, draft: () => ({ route: 'apiKey', target: '/catalog/items' }), ...apiKey },
  {
    kind: 'metadata',
    weight: 4,
    draft: (random) => ({
      route: 'metadata',
      target: random.pick([
        '/.well-known/jwks.json',
        '/orders/.well-known/jwks.json',
        '/orders/.well-known/oauth-authorization-server',
        '/orders/.well-known/openid-configuration',
        '/orders/.well-known/oauth-protected-resource',
        '/.well-known/oauth-authorization-server/orders',
      ]),
    }),
  },
  {
    kind: 'authorize',
    weight: 1,
    draft: () => ({ route: 'authorize', target: '/orders/authorize?response_type=code' }),
  },
  {
    kind: 'registration',
    weight: 4,
    draft: (random) => ({
      route: 'registration',
      target: '/developers/register',
      method: 'POST',
      headers: [FORM],
      body: `name=${random.pick(['App', '%C3%A9', 'a'.repeat(200), '%00', '%F0%9F%98%80', '<script>', '%0d%0aBcc:x'])}&contact=${random.text(6)}%40${random.pick(['customer.example', 'x', '', '%0d%0a.example', 'y'.repeat(300)])}&apis=${random.pick(['catalog', 'orders', 'catalog&apis=orders', '__proto__', 'toString', ''])}`,
    }),
  },
  {
    kind: 'claim',
    weight: 4,
    draft: (random) => ({
      route: 'claim',
      target: '/developers/register/claim',
      method: 'POST',
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({
        token: random.pick<unknown>([
          random.text(43),
          '',
          null,
          1,
          ['x'],
          { a: 1 },
          encodeUtf8('\u{1f600}'),
          '__proto__',
          random.text(9000),
        ]),
      }),
    }),
  },
  {
    kind: 'console',
    weight: 1,
    draft: (random) => ({
      route: 'console',
      target: random.pick([
        '/developers/',
        '/developers',
        '/developers/apis/orders/',
        '/developers/register',
        '/developers/register/claim',
        '/developers/../../etc/passwd',
        '/developers/assets/%2e%2e/%2e%2e/package.json',
      ]),
    }),
  },
]
const PLAIN_200: readonly string[] = ['metadata']

const TOTAL = KINDS.reduce((sum, { weight }) => sum + weight, 0)
const MUTATIONS = [TARGET_MUTATIONS, HEADER_MUTATIONS, BODY_MUTATIONS].map((each) => Object.entries(each))

export function createGrammar(known: KnownCredentials): Grammar {
  const hostile = createHostileCredentials(known)

  return function nextRequest(random) {
    const kind = pickKind(random)
    const good = random.pick(known.good)
    const draft: Draft = {
      kind: kind.kind,
      method: 'GET',
      version: 'HTTP/1.1',
      headers: [],
      body: undefined,
      owner: undefined,
      honest: false,
      framing: 'clear',
      mutations: [],
      ...kind.draft(random, good),
    }
    draft.headers = [['Host', 'localhost'], ['X-Forwarded-For', pickAddress(random)], ...draft.headers]

    const fate = random.below(100)
    if (kind.present && (fate < 12 || fate >= 92)) {
      kind.present(draft, good, random)
      draft.owner = good.id
    } else if (kind.attack) {
      kind.attack(hostile, draft, random)
      draft.mutations.push('credential')
    }
    // An honest request is not mutated.
    if (fate < 12) {
      draft.honest = draft.owner !== undefined || PLAIN_200.includes(draft.kind)
      return draft
    }
    const changes = kind.attack && fate < 45 ? 0 : 1 + random.below(2)
    for (let i = 0; i < changes; i++) mutate(draft, random)
    // Several mutations together may exceed Node's limits of a header section.
    if (headLength(draft) > 15_000 || draft.headers.length > 800) draft.framing = 'unclear'
    return draft
  }
}

function pickKind(random: Random): Kind {
  let left = random.below(TOTAL)
  return KINDS.find(({ weight }) => (left -= weight) < 0)!
}

function mutate(draft: Draft, random: Random): void {
  const which = random.below(100)
  const group = MUTATIONS[which < 40 ? 0 : which < 65 || draft.body === undefined ? 1 : 2]!
  const [name, mutation] = random.pick(group)
  // A mutation that makes the connection unusable costs a new connection: a quarter of them is enough.
  if (COSTLY.has(name) && random.chance(0.75)) return mutate(draft, random)
  mutation(draft, random)
  draft.mutations.push(name)
}

const COSTLY = new Set([
  'badMethod',
  'badTarget',
  'version',
  'tooMany',
  'huge',
  'malformed',
  'host',
  'expectation',
  'connection',
  'longer',
  'shorter',
  'chunked',
  'badChunks',
  'bomb',
  'large',
  'many',
])

function headLength({ target, headers }: Draft): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length)
}

/** One of many addresses behind a proxy, so that only some reach a limit. */
function pickAddress(random: Random): string {
  return `10.0.${random.below(4)}.${random.below(40)}`
}
