import { hostileCredentials, type HostileCredentials } from './hostile-credentials.js'
import { utf8, type Draft, type Route } from './draft.js'
import { BODIES, HEADERS, WAYS } from './mutations.js'
import type { Cast, Good } from './platform-process.js'
import type { Random } from './random.js'

/** Makes the next request: mostly a hostile one, sometimes an honest one. */
export type Grammar = (random: Random) => Draft

/** An honest request of a kind, without its credential; `present` adds that. */
interface Kind {
  readonly kind: string
  readonly weight: number
  readonly draft: (random: Random, good: Good) => Partial<Draft> & Pick<Draft, 'route' | 'target'>
  readonly present?: (draft: Draft, good: Good, random: Random) => void
  readonly attack?: (hostile: HostileCredentials, draft: Draft, random: Random) => void
}

const GRANT = 'grant_type=client_credentials'
const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded']
const basicOf = ({ clientId, clientSecret }: Good): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

function clientRequest(kind: string, route: Route, weight: number, rest: (random: Random, good: Good) => string): Kind {
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
      if (random.chance(0.5)) draft.headers.push(['Authorization', basicOf(good)])
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
  // What is revoked here is nobody's, so that the honest tokens must go on.
  clientRequest('revoke', 'revoke', 4, (random) => `token=${random.text(40)}`),
  { kind: 'bearer', weight: 26, draft: (random) => ({ route: 'bearer', target: random.pick(['/orders/items', '/orders/items?page=2', '/orders/items/7']) }), ...bearer },
  { kind: 'optional', weight: 4, draft: () => ({ route: 'optional', target: '/orders/maybe' }), ...bearer },
  { kind: 'apiKey', weight: 20, draft: () => ({ route: 'apiKey', target: '/catalog/items' }), ...apiKey },
  {
    kind: 'metadata', weight: 4,
    draft: (random) => ({
      route: 'metadata',
      target: random.pick(['/.well-known/jwks.json', '/orders/.well-known/oauth-authorization-server', '/orders/.well-known/openid-configuration', '/orders/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server/orders']),
    }),
  },
  { kind: 'authorize', weight: 1, draft: () => ({ route: 'authorize', target: '/orders/authorize?response_type=code' }) },
  {
    kind: 'registration', weight: 4,
    draft: (random) => ({
      route: 'registration', target: '/developers/register', method: 'POST', headers: [FORM],
      body: `name=${random.pick(['App', '%C3%A9', 'a'.repeat(200), '%00', '%F0%9F%98%80', '<script>', '%0d%0aBcc:x'])}&contact=${random.text(6)}%40${random.pick(['customer.example', 'x', '', '%0d%0a.example', 'y'.repeat(300)])}&apis=${random.pick(['catalog', 'orders', 'catalog&apis=orders', '__proto__', 'toString', ''])}`,
    }),
  },
  {
    kind: 'claim', weight: 4,
    draft: (random) => ({
      route: 'claim', target: '/developers/register/claim', method: 'POST', headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ token: random.pick<unknown>([random.text(43), '', null, 1, ['x'], { a: 1 }, utf8('\u{1f600}'), '__proto__', random.text(9000)]) }),
    }),
  },
  { kind: 'console', weight: 1, draft: (random) => ({ route: 'console', target: random.pick(['/developers/', '/developers', '/developers/apis/orders/', '/developers/register', '/developers/register/claim', '/developers/../../etc/passwd', '/developers/assets/%2e%2e/%2e%2e/package.json']) }) },
] // prettier-ignore
const PLAIN_200: readonly string[] = ['metadata']

const TOTAL = KINDS.reduce((sum, { weight }) => sum + weight, 0)
const MUTATIONS = [WAYS, HEADERS, BODIES].map((each) => Object.entries(each))

export function createGrammar(cast: Cast): Grammar {
  const hostile = hostileCredentials(cast)

  return function nextRequest(random) {
    const kind = pickKind(random)
    const good = random.pick(cast.good)
    const draft: Draft = {
      kind: kind.kind, method: 'GET', version: 'HTTP/1.1', headers: [], body: undefined, owner: undefined, honest: false, framing: 'clean', mutations: [],
      ...kind.draft(random, good),
    } // prettier-ignore
    draft.headers = [['Host', 'localhost'], ['X-Forwarded-For', addressFrom(random)], ...draft.headers]

    const fate = random.below(100)
    if (kind.present && (fate < 12 || fate >= 92)) {
      kind.present(draft, good, random)
      draft.owner = good.id
    } else if (kind.attack) {
      kind.attack(hostile, draft, random)
      draft.mutations.push('credential')
    }
    // Honest ones, untouched.
    if (fate < 12) {
      draft.honest = draft.owner !== undefined || PLAIN_200.includes(draft.kind)
      return draft
    }
    const changes = kind.attack && fate < 45 ? 0 : 1 + random.below(2)
    for (let i = 0; i < changes; i++) mutate(draft, random)
    // Node's bounds for a head, 16 KiB and so many lines, are met by parts together, too.
    if (headLength(draft) > 15_000 || draft.headers.length > 800) draft.framing = 'odd'
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
  // What makes a connection useless costs one: a quarter of them is enough.
  if (COSTLY.has(name) && random.chance(0.75)) return mutate(draft, random)
  mutation(draft, random)
  draft.mutations.push(name)
}

const COSTLY = new Set(['badMethod', 'badTarget', 'version', 'tooMany', 'huge', 'malformed', 'host', 'expectation', 'connection', 'longer', 'shorter', 'chunked', 'badChunks', 'bomb', 'large', 'many']) // prettier-ignore

function headLength({ target, headers }: Draft): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, target.length)
}

/** Behind a proxy that tells addresses: many, so that limits are met by some and not by all. */
function addressFrom(random: Random): string {
  return `10.0.${random.below(4)}.${random.below(40)}`
}
