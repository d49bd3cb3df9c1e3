import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, type TSMethodSignature, type TSPropertySignature, Visitor } from 'oxc-parser'
import { waitUntil } from '../support/wait-until.js'
import type { AttackedPlatform, POLLUTION_KINDS } from './platform-process.js'

/** What a client sees of an answer. */
export interface Answer {
  readonly status: number
  /** In lower case. */
  readonly headers: readonly string[]
  /** The header section and the body. */
  readonly text: string
}

interface RequestDraft {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** A request to every endpoint and guard, accepted and refused, by name. */
function draftRequests(
  { credentials }: AttackedPlatform,
  renamedVersion: string,
): Readonly<Record<string, RequestDraft>> {
  const [{ clientId, clientSecret, token }] = credentials.good as [AttackedPlatform['credentials']['good'][0]]
  const bearer = { Authorization: `Bearer ${token}` }
  const client = `client_id=${clientId}&client_secret=${clientSecret}`
  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = FORM): RequestDraft => ({
    method: 'POST',
    path,
    body,
    headers,
  })
  const { restricted } = credentials
  const restrictedForm = `grant_type=client_credentials&client_id=${restricted.clientId}&client_secret=${restricted.clientSecret}`
  const tokenForm = `grant_type=client_credentials&${client}`
  return {
    token: post('/orders/token', tokenForm),
    'token, parsed body': post('/parsed/orders/token', tokenForm),
    'token, wrong secret': post('/orders/token', `${tokenForm}x`),
    'token, no credentials': post('/orders/token', 'grant_type=client_credentials'),
    'token, no body': { method: 'POST', path: '/orders/token' },
    'token, GET': { path: '/orders/token' },
    revoke: post('/orders/revoke', `token=x&${client}`),
    introspect: post('/orders/introspect', `token=${token}&${client}`),
    'introspect, refused': post('/orders/introspect', `token=${token}`),
    'key set': { path: '/.well-known/jwks.json' },
    metadata: { path: '/.well-known/oauth-authorization-server/orders' },
    authorize: { path: '/orders/authorize' },
    'bearer guard': { path: '/orders/items', headers: bearer },
    'bearer guard, no token': { path: '/orders/items' },
    'bearer guard, forged token': { path: '/orders/items', headers: { Authorization: `${bearer.Authorization}x` } },
    'bearer guard, token of another API': { path: '/invoices/items', headers: bearer },
    'bearer guard, optional': { path: '/orders/maybe' },
    'key guard': { path: '/catalog/items', headers: { 'X-Api-Key': clientId } },
    'key guard, no key': { path: '/catalog/items' },
    'key guard, wrong key': { path: '/catalog/items', headers: { 'X-Api-Key': `${clientId}x` } },
    'key guard, not allowed': { path: '/weather', headers: { 'X-Api-Key': clientId } },
    'scopes per method': { ...post('/orders/methods', ''), headers: bearer },
    'scopes per method, another method': { path: '/orders/methods', headers: bearer },
    'any scope': { path: '/orders/any-scope', headers: bearer },
    'refused by the host': { path: '/orders/none', headers: bearer },
    'shared route': { path: '/orders/shared', headers: bearer },
    'shared route, foreign token': { path: '/orders/shared', headers: { Authorization: 'Bearer foreign' } },
    'mixed route': { path: '/orders/mixed', headers: { 'X-Api-Key': clientId } },
    'mixed route, no credential': { path: '/orders/mixed' },
    'document, open': { path: '/orders/documented/open' },
    'document, one of two scopes': { path: '/orders/documented/7', headers: bearer },
    'document, ambiguous': { path: '/orders/documented/OPEN', headers: bearer },
    'document, unknown method': post('/orders/documented/7', ''),
    'restricted key': { path: '/catalog/items', headers: { 'X-Api-Key': restricted.clientId } },
    'restricted key, elsewhere': { path: '/weather', headers: { 'X-Api-Key': restricted.clientId } },
    'restricted secret': post('/orders/token', restrictedForm),
    'restricted secret, more scopes': post('/orders/token', `${restrictedForm}&scope=orders:write`),
    'restricted secret, elsewhere': post('/invoices/token', restrictedForm),
    'registration form': { path: '/developers/register/' },
    'registration, refused': post('/developers/register/', '{}', { 'Content-Type': 'application/json' }),
    'claim, refused': post('/developers/register/claim', '{}', { 'Content-Type': 'application/json' }),
    'claim page': { path: '/developers/register/claim' },
    'decide page': { path: '/developers/register/decide' },
    'decide, refused': post('/developers/register/decide', 'link=x&decision=approve'),
    console: { path: '/developers/' },
    ...draftJourneys(credentials, bearer),
    ...draftPortalRequests(credentials.contact, renamedVersion),
    'unknown path': { path: '/nowhere' },
  }
}

/** A registration, changes by an operator's program, and the guards of a service without a database. */
function draftJourneys(
  { manager, service, good }: AttackedPlatform['credentials'],
  bearer: Readonly<Record<string, string>>,
): Readonly<Record<string, RequestDraft>> {
  if (!manager || !service) return {}
  const [{ clientId }] = good as [AttackedPlatform['credentials']['good'][0]]
  const { token, managed } = manager
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const manage = (method: string, path: string, body?: object): RequestDraft => ({
    method,
    path: `/management${path}`,
    headers: method === 'PATCH' ? { ...headers, 'Content-Type': 'application/merge-patch+json' } : headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  const contact = `dev${Math.random().toString(36).slice(2)}@example.com`
  return {
    registration: {
      method: 'POST',
      path: '/developers/register/',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Shop', contact, apis: ['orders'] }),
    },
    'management, document': { path: '/management/openapi.json' },
    'management, not authorized': { path: '/management/applications' },
    'management, list': manage('GET', '/applications?limit=5'),
    'management, get': manage('GET', `/applications/${managed}`),
    'management, create': manage('POST', '/applications', { name: 'Made', contact, apis: ['orders', 'catalog'] }),
    'management, refused': manage('POST', '/applications', { name: '', contact, apis: [] }),
    'management, update': manage('PATCH', `/applications/${managed}`, { networks: null }),
    'management, allow': manage('PUT', `/applications/${managed}/apis/catalog`, {}),
    'management, rotate': manage('POST', `/applications/${managed}/keys/rotate`, {}),
    'management, audit': manage('GET', `/audit?applicationId=${managed}&order=newest`),
    'resource server, key': {
      method: 'POST',
      path: '/_resource-server/introspect',
      headers: FORM,
      body: `client_id=${service.clientId}&client_secret=${service.clientSecret}&api=catalog&token=${clientId}`,
    },
    'resource server, no credential': {
      method: 'POST',
      path: '/_resource-server/check',
      headers: FORM,
      body: `client_id=${service.clientId}&client_secret=${service.clientSecret}&api=catalog`,
    },
    'service, bearer guard': { path: '/service/orders/items', headers: bearer },
    'service, forged token': {
      path: '/service/orders/items',
      headers: { Authorization: `${bearer['Authorization']}x` },
    },
    'service, key guard': { path: '/service/catalog/items', headers: { 'X-Api-Key': clientId } },
    'service, unknown key': {
      path: '/service/catalog/items',
      headers: { 'X-Api-Key': `epa_key_${Math.random().toString(36).slice(2)}` },
    },
    'service, no key': { path: '/service/catalog/items' },
  }
}

/** `renamedVersion`: of the application whose key is renamed. */
function draftPortalRequests(
  { root, version, renamed, session, visitor }: AttackedPlatform['credentials']['contact'],
  renamedVersion: string,
): Readonly<Record<string, RequestDraft>> {
  const portal = '/developers/applications'
  const open = (path: string, { cookie } = session): RequestDraft => ({ path, headers: { Cookie: cookie } })
  const post = (path: string, fields: object, { cookie, csrf } = session): RequestDraft => ({
    method: 'POST',
    path,
    headers: { ...FORM, Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({ csrf, version, ...fields }).toString(),
  })
  return {
    'portal, first visit': { path: portal },
    'portal, not signed in': open(portal, visitor),
    'portal, sign-in page': open(`${portal}/sign-in`, visitor),
    'portal, invitation page': open(`${portal}/invitation`, visitor),
    'portal, no address': post(`${portal}/sign-in`, { contact: '' }, visitor),
    'portal, wrong code': post(`${portal}/sign-in/code`, { id: 'x'.repeat(22), code: 'wrong' }, visitor),
    'portal, wrong link': post(`${portal}/sign-in/link`, { token: 'wrong' }, visitor),
    'portal, wrong invitation': post(`${portal}/invitation`, { token: 'wrong' }, visitor),
    'portal, sign-out without a session': post(`${portal}/sign-out`, {}, visitor),
    'portal, application without a session': open(root, visitor),
    'portal, old form': post(`${portal}/sign-out`, { csrf: 'old' }),
    'portal, list': open(portal),
    'portal, application': open(root),
    'portal, not found': open(`${root}/nothing`),
    'portal, form': open(`${root}/credentials/new-key`),
    'portal, refused form': post(`${root}/credentials/new-key`, { name: '' }),
    'portal, stale form': post(`${root}/delete`, { version: '0' }),
    'portal, done': post(formatRenamePath(renamed), { name: 'default', version: renamedVersion }),
    'portal, download': post(`${root}/download`, { kind: 'key', value: 'x' }),
  }
}

function formatRenamePath({ root, keyId }: AttackedPlatform['credentials']['contact']['renamed']): string {
  return `${root}/credentials/${keyId}/rename`
}

/** Sends all requests at once. An answer that never comes has the status 0. */
async function sendAll(
  port: number,
  drafts: Readonly<Record<string, RequestDraft>>,
  agent: Agent,
): Promise<Readonly<Record<string, Answer>>> {
  // An address of its own each time, so that no limit is reached.
  const address = `10.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 256)).join('.')}`
  const answers = await Promise.all(
    Object.entries(drafts).map(async ([name, { headers, ...draft }]) => {
      const answer = await send(port, { ...draft, headers: { ...headers, 'X-Forwarded-For': address } }, agent)
      return [name, answer] as const
    }),
  )
  return Object.fromEntries(answers)
}

/** The same; a service that a slow machine has made late is asked again: 503 that pollution causes stays. */
async function sendAllInTime(...[port, drafts, agent]: Parameters<typeof sendAll>): ReturnType<typeof sendAll> {
  const answers = await sendAll(port, drafts, agent)
  const late = Object.entries(drafts).filter(([name]) => name.startsWith('service,') && answers[name]!.status === 503)
  let others: typeof answers = {}
  const isInTime = async (): Promise<boolean> => {
    others = await sendAll(port, Object.fromEntries(late), agent)
    return Object.values(others).every(({ status }) => status !== 503)
  }
  if (late.length > 0) await waitUntil(isInTime, { timeout: 15_000, interval: 200 }).catch(() => undefined)
  return { ...answers, ...others }
}

const ANSWER_TIMEOUT_MS = 30_000
const NO_ANSWER: Answer = { status: 0, headers: [], text: '' }

function send(port: number, { body, ...draft }: RequestDraft, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent, timeout: ANSWER_TIMEOUT_MS, ...draft }, (res) => {
      let text = res.rawHeaders.join('\n')
      res.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: Object.keys(res.headers), text }))
      res.on('error', () => resolve(NO_ANSWER))
    })
    sent.on('error', () => resolve(NO_ANSWER)).on('timeout', () => sent.destroy())
    sent.end(body)
  })
}

/** Headers of refusals. */
const REFUSAL_HEADERS = [
  'connection',
  'cache-control',
  'retry-after',
  'www-authenticate',
  'content-security-policy',
  'x-content-type-options',
  'etag',
]

/**
 * What is wrong with the answers of a polluted process, compared with those before. Empty if nothing is. `mayRefuse`: what was
 * accepted may be refused; `isInside`: and the value may be shown.
 */
function comparePolluted(
  before: Readonly<Record<string, Answer>>,
  after: Readonly<Record<string, Answer>>,
  { mayRefuse, isInside }: { readonly mayRefuse: boolean; readonly isInside: boolean },
): readonly string[] {
  return Object.entries(after).flatMap(([name, { status, headers, text }]) => {
    const expected = before[name]!
    const isRefusal = (mayRefuse || isInside) && status >= 400
    const known = isRefusal ? [...expected.headers, 'content-type', ...REFUSAL_HEADERS] : expected.headers
    // The portal renews a contact's cookie once a minute.
    const occasional = name.startsWith('portal, ') ? ['connection', 'set-cookie'] : ['connection']
    const foreign = headers.filter((header) => !known.includes(header) && !occasional.includes(header))
    return [
      ...(status === expected.status || isRefusal ? [] : [`${name}: ${status} instead of ${expected.status}`]),
      ...(foreign.length > 0 ? [`${name}: headers ${foreign.join(', ')}`] : []),
      ...(text.includes(VALUE) && !isInside ? [`${name}: contains the value`] : []),
    ]
  })
}

/**
 * The names of all members in the source, or in a folder of it, that may be missing, by its syntax tree: those that a type calls optional
 * (options, arguments of calls, members of records) or that may be undefined, and those that a pattern gives a default.
 */
export function listOptionalMembers(folder = ''): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (key: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): void => {
    const name = key.type === 'Identifier' ? key.name : key.value
    if (typeof name === 'string') names.add(name)
  }
  const addIfOptional = ({ key, optional, ...member }: TSPropertySignature | TSMethodSignature): void => {
    const type = 'typeAnnotation' in member ? member.typeAnnotation?.typeAnnotation : undefined
    const isUnion = type?.type === 'TSUnionType' && type.types.some((each) => each.type === 'TSUndefinedKeyword')
    if (optional || isUnion) add(key)
  }
  for (const path of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || !path.startsWith(folder)) continue
    new Visitor({
      TSPropertySignature: addIfOptional,
      TSMethodSignature: addIfOptional,
      ObjectPattern({ properties }) {
        for (const property of properties)
          if (property.type === 'Property' && property.value.type === 'AssignmentPattern') add(property.key)
      },
    }).visit(parseSync(path, readFileSync(join(SOURCE, path), 'utf8')).program)
  }
  return names
}

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

/** What polluted members contain. */
const VALUE = 'polluted'

/**
 * Names that make the language (`then`), Node's streams and parsers, Express, Passport or jose fail. Node drops a header of
 * the request whose name is inherited. They may refuse what is good, or not answer at all.
 */
export const NAMES_OF_OTHERS: ReadonlySet<string> = new Set(
  'then resume signal aborted timeout when parent connection listen unref cork uncork pipeline encoding originalUrl authenticate hash secret get set value writable enumerable configurable toJSON constructor __proto__'.split(
    ' ',
  ),
)
/**
 * Members that are left out of events, of searches and of parts of pages: inside, where nothing comes from outside. A call may be refused, and a
 * page may show the text. Nothing more is allowed.
 */
export const INSIDE: ReadonlySet<string> = new Set(
  `id applicationId order
  state terms field hint bodyClass footer control note actions tone`.split(/\s+/),
)
const HEADERS_THAT_NODE_DROPS = new Set([
  'authorization',
  'x-api-key',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
])

/**
 * Pollutes each name with each kind of value, or so many names at the same time, and sends all requests each time. Resolves
 * what is wrong.
 */
export async function findPollutionProblems(
  platform: AttackedPlatform,
  names: Iterable<string>,
  kinds: readonly (typeof POLLUTION_KINDS)[number][],
  { together = 1, isInside = false }: { readonly together?: number; readonly isInside?: boolean } = {},
): Promise<readonly string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 30 })
  const before = await sendAll(platform.port, await draftAll(platform, agent), agent)
  const problems: string[] = []
  for (const group of groupNames(names, together)) {
    for (const kind of kinds) {
      const drafts = await draftAll(platform, agent)
      await platform.pollute({ names: group, kind })
      const after = await sendAllInTime(platform.port, drafts, agent)
      await platform.pollute({ names: [] })
      const found = comparePolluted(before, after, { mayRefuse: HEADERS_THAT_NODE_DROPS.has(group[0]!), isInside })
      const crashes = await platform.readCrashes()
      problems.push(...[...found, ...crashes].map((problem) => `${group.join(' and ')}, ${kind}: ${problem}`))
    }
  }
  agent.destroy()
  return problems
}

/** All requests, with the version that the rename before has left. */
async function draftAll(platform: AttackedPlatform, agent: Agent): Promise<Readonly<Record<string, RequestDraft>>> {
  const { renamed, session } = platform.credentials.contact
  const form = { path: formatRenamePath(renamed), headers: { Cookie: session.cookie } }
  const { text } = await send(platform.port, form, agent)
  return draftRequests(platform, /name="version"\s+value="(\d+)"/.exec(text)?.[1] ?? '')
}

/** What only the platform reads in groups of that size, and each header that Node drops alone. */
function groupNames(names: Iterable<string>, size: number): readonly (readonly string[])[] {
  const tested = [...names].filter((name) => !NAMES_OF_OTHERS.has(name) && !Object.hasOwn(Object.prototype, name))
  const headers = tested.filter((name) => HEADERS_THAT_NODE_DROPS.has(name))
  const others = tested.filter((name) => !HEADERS_THAT_NODE_DROPS.has(name))
  const groups = Array.from({ length: Math.ceil(others.length / size) }, (_, i) =>
    others.slice(i * size, (i + 1) * size),
  )
  return [...headers.map((name) => [name]), ...groups]
}
