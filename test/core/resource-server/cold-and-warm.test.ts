import express5, { type Express } from 'express'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createCredentials } from '../../../src/core/applications/credentials/credentials.js'
import { memoryStore } from '../../../src/index.js'
import {
  accessToken,
  createApplication,
  createTokenForm,
  exchange,
  expectRefusal,
  post,
  type Answer,
} from '../../support/http.js'
import { failingStore, type FailingStore } from '../../support/failing-store.js'
import { openPlatform, type TestPlatform } from '../../support/platform.js'
import { waitUntil } from '../../support/wait-until.js'
import { request } from '../../support/request.js'
import {
  ACCESS_DENIED,
  createBearerChallenge,
  KEY_INVALID,
  mountGuardedRoutes,
  sendAuthInfo,
  TOKEN_REVOKED,
  type KnownApplication,
} from './guarded-routes.js'

/** A process of the platform: its own caches, on the store of all. */
interface Process extends TestPlatform {
  readonly app: Express
}

/** A new application, and an access token that it has used. */
interface Caller extends KnownApplication {
  readonly token: string
}

/** A row of docs/http.md: what happens to a caller whose credentials are in memory, and the answer from then on. */
interface Row {
  readonly row: string
  readonly path: string
  /** The last change before the request. */
  readonly change?: (warm: Process, caller: Caller) => unknown
  readonly headers: (caller: Caller) => readonly string[]
  readonly answer: readonly [status: number, error?: string, challenge?: { 'www-authenticate': string }]
}

const bearer = ({ token }: Caller): string[] => [`Authorization: Bearer ${token}`]
const key = ({ clientId }: Caller): string[] => [`X-Api-Key: ${clientId}`]
const ORDERS: Target = { path: '/orders/items', headers: bearer }
const CATALOG: Target = { path: '/catalog/items', headers: key }
/** A signature of the right length that nobody made. */
const forge = ({ token }: Caller): string => `${token.split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`

const { 'www-authenticate': ofOrders } = createBearerChallenge(
  'invalid_token',
  'The access token was issued for another API',
)
const OTHER_API = { 'www-authenticate': ofOrders.replaceAll('orders', 'invoices') }

const NO_TOKEN = [401, 'invalid_token'] as const
const REVOKED = [401, 'invalid_token', TOKEN_REVOKED] as const
const UNKNOWN_KEY = [401, 'invalid_api_key', KEY_INVALID] as const
const DENIED = [403, 'access_denied', ACCESS_DENIED] as const

type Target = Pick<Row, 'path' | 'headers'>
type Change = (applications: Process['auth']['applications'], id: string) => unknown
const row = (from: Target, name: string, answer: Row['answer'], more: Partial<Row> = {}): Row => ({
  ...from,
  row: name,
  answer,
  ...more,
})
/** After a change by an operator. */
const changed = (from: Target, name: string, answer: Row['answer'], change: Change): Row =>
  row(from, name, answer, { change: ({ auth }, { id }) => change(auth.applications, id) })
const sent = (...headers: string[]): Pick<Row, 'headers'> => ({ headers: () => headers })

const ROWS: readonly Row[] = [
  row(ORDERS, 'G1', [400, 'invalid_request'], { headers: (caller) => [...bearer(caller), ...bearer(caller)] }),
  row(ORDERS, 'G2', [401, 'unauthorized'], sent('Authorization: Basic YTpi')),
  row(ORDERS, 'G3', [400, 'invalid_request'], { headers: (caller) => [`${bearer(caller)[0]} x`] }),
  row(ORDERS, 'G3 (tab)', [400, 'invalid_request'], { headers: ({ token }) => [`Authorization: Bearer\t${token}`] }),
  row(ORDERS, 'G16 (several spaces)', [200], { headers: ({ token }) => [`Authorization: bearer   ${token}`] }),
  row(ORDERS, 'G4 (forged)', NO_TOKEN, { headers: (caller) => [`Authorization: Bearer ${forge(caller)}`] }),
  row(ORDERS, 'G4 (no token)', NO_TOKEN, sent('Authorization: Bearer x')),
  row(ORDERS, 'G5', NO_TOKEN, { change: ({ clock }) => clock.advance(3606) }),
  row({ ...ORDERS, path: '/invoices/items' }, 'G6', [401, 'invalid_token', OTHER_API]),
  row(ORDERS, 'G7 (token revoked)', REVOKED, { change: revoke }),
  changed(ORDERS, 'G7 (tokens revoked)', REVOKED, ({ revokeTokens }, id) => revokeTokens(id)),
  changed(ORDERS, 'G7 (suspended)', REVOKED, ({ suspend }, id) => suspend(id)),
  changed(ORDERS, 'G7 (deleted)', REVOKED, (applications, id) => applications.delete(id)),
  changed(ORDERS, 'G7 (not allowed)', REVOKED, ({ disallow }, id) => disallow(id, 'orders')),
  row({ ...ORDERS, path: '/orders/both' }, 'G8, G22', [403, 'insufficient_scope'], { change: narrow }),
  row(ORDERS, 'G16', [200]),
  row(ORDERS, 'G16, G22', [200], { change: narrow }),
  row(CATALOG, 'G9', [400, 'invalid_request'], { headers: (caller) => [...key(caller), ...key(caller)] }),
  row(CATALOG, 'G10', [401, 'unauthorized'], sent()),
  row(CATALOG, 'G11 (malformed)', UNKNOWN_KEY, { headers: (caller) => [`${key(caller)[0]}x`] }),
  row(CATALOG, 'G11 (unknown)', UNKNOWN_KEY, { headers: () => [`X-Api-Key: ${STRANGER}`] }),
  changed(CATALOG, 'G11 (retired)', UNKNOWN_KEY, ({ rotateKey }, id) => rotateKey(id, { overlap: 0 })),
  row(CATALOG, 'G11 (overlap over)', UNKNOWN_KEY, { change: endOverlap }),
  changed(CATALOG, 'G11 (deleted)', UNKNOWN_KEY, (applications, id) => applications.delete(id)),
  changed(CATALOG, 'G12 (suspended)', DENIED, ({ suspend }, id) => suspend(id)),
  changed(CATALOG, 'G12 (not allowed)', DENIED, ({ disallow }, id) => disallow(id, 'catalog')),
  row(CATALOG, 'G16', [200]),
  row({ ...ORDERS, path: '/orders/optional' }, 'G17 (no credential)', [200], sent()),
  changed({ ...ORDERS, path: '/orders/optional' }, 'G17 (suspended)', REVOKED, ({ suspend }, id) => suspend(id)),
  changed({ ...CATALOG, path: '/catalog/optional' }, 'G17 (suspended)', DENIED, ({ suspend }, id) => suspend(id)),
  row({ ...ORDERS, path: '/orders/twice' }, 'G20', [403, 'insufficient_scope'], { change: narrow }),
]

/** Well-formed, and of no platform. */
const STRANGER = createCredentials('epa', Buffer.alloc(32)).mint('key', 0).plain

describe('A guard answers from memory as it does without (docs/http.md)', () => {
  const store = failingStore(memoryStore())
  const checks = vi.spyOn(crypto.subtle, 'verify')
  const options = { store, rateLimits: { failedAuthentication: false } } as const
  let warm: Process

  beforeAll(async () => {
    warm = await openProcess(store, options)
  })
  afterAll(async () => {
    await warm.auth.close()
    checks.mockRestore()
  })

  it.each(ROWS)('$row: $answer', async ({ path, headers, change, answer }) => {
    const caller = await createCaller(warm)
    await change?.(warm, caller)
    // A change evicts what it concerns, so the first request after it may ask the store.
    await send(warm, path, headers(caller))
    const calls = countCalls()
    const fromMemory = await send(warm, path, headers(caller))
    expect(countCalls()).toBe(calls)

    const cold = await openProcess(store, { ...options, now: warm.clock.now })
    const without = await send(cold, path, headers(caller))
    await cold.auth.close()
    const [status, error, challenge] = answer
    expect([fromMemory.status, fromMemory.body?.error]).toEqual([status, error])
    if (challenge !== undefined) expectRefusal(fromMemory, status, error!, challenge)
    expect(without).toEqual(fromMemory)
  })

  /** What a request asks for that is not in memory. */
  function countCalls(): number {
    return (
      checks.mock.calls.length +
      (['findApplication', 'findApplicationByKey', 'isAccessTokenRevoked'] as const).reduce(
        (sum, name) => sum + store.calls(name),
        0,
      )
    )
  }
})

describe('A limit, an outage and an unexpected error are the same from memory and without (docs/http.md)', () => {
  /** Forgets what is known of an application: the next request looks it up. */
  const forget = ({ auth }: Process, { id }: Caller) => auth.applications.update(id, { name: 'Forgotten' })
  const REQUESTS = [ORDERS, CATALOG] as const

  it.each(['memory', 'the store'])('G13: %s', async (source) => {
    const store = failingStore(memoryStore())
    const limited = await openProcess(store, { store, rateLimits: { requests: { limit: 2, window: 3600 } } })
    const caller = await createCaller(limited)
    for (const { path, headers } of REQUESTS) {
      expect((await send(limited, path, headers(caller))).status).toBe(200)
      if (source === 'the store') await forget(limited, caller)
      expect(await send(limited, path, headers(caller))).toMatchObject({
        status: 429,
        body: { error: 'too_many_requests' },
        headers: { 'retry-after': expect.stringMatching(/^[0-9]+$/) as string },
      })
    }
    await limited.auth.close()
  })

  it('G14: past maxStaleness, for a caller in memory and for one that is not', async () => {
    const store = failingStore(memoryStore())
    const process = await openProcess(store, { store, maxStaleness: 1 })
    const [known, unknown] = [await createCaller(process), await createCaller(process)]
    store.fail()
    await forget(process, unknown).catch(() => undefined)
    expect((await send(process, ORDERS.path, bearer(known))).status).toBe(200)
    await waitUntil(async () => (await send(process, ORDERS.path, bearer(known))).status !== 200)
    for (const caller of [known, unknown]) {
      for (const { path, headers } of REQUESTS)
        expect(await send(process, path, headers(caller))).toMatchObject({
          status: 503,
          body: { error: 'temporarily_unavailable' },
        })
    }
    store.recover()
    await process.auth.close()
  })

  it('G15: the first time, and with the record in memory', async () => {
    const store = failingStore(memoryStore())
    const process = await openProcess(store, { store })
    const caller = await createCaller(process)
    await forget(process, caller)
    const { findApplication } = store
    // A record that cannot be judged: it has no `apis`.
    Object.assign(store, {
      findApplication: async (id: string) => ({ ...(await findApplication(id)), apis: undefined }),
    })
    for (const { path, headers } of [...REQUESTS, ...REQUESTS])
      expect(await send(process, path, headers(caller))).toMatchObject({ status: 500, body: { error: 'server_error' } })
    await process.auth.close()
  })

  it('G24: an unknown key, new and seen before', async () => {
    const store = failingStore(memoryStore())
    const rateLimits = { failedAuthentication: { limit: 2, window: 3600 } }
    const process = await openProcess(store, { store, rateLimits })
    for (const status of [401, 401, 429, 429])
      expect((await send(process, CATALOG.path, [`X-Api-Key: ${STRANGER}`])).status).toBe(status)
    await process.auth.close()
  })
})

async function openProcess(store: FailingStore, options: object): Promise<Process> {
  const made = openPlatform(options)
  await made.auth.ready()
  const app = express5().disable('x-powered-by').disable('etag').use(made.auth.router)
  mountGuardedRoutes({ ...made, app, express: express5, store, working: store, end: async () => undefined })
  const optional = { optional: true }
  app.get('/orders/optional', made.auth.requireBearer('orders', optional), sendAuthInfo)
  app.get('/catalog/optional', made.auth.requireApiKey('catalog', optional), sendAuthInfo)
  const both = made.auth.requireBearer('orders', { scopes: ['orders:read', 'orders:write'] })
  app.get('/orders/twice', made.auth.requireBearer('orders'), both, sendAuthInfo)
  return { ...made, app }
}

async function createCaller({ auth, app }: Process): Promise<Caller> {
  const made = await createApplication(auth, ['orders', 'invoices', 'catalog'])
  const token = await accessToken(app, 'orders', made)
  await request(app).get('/orders/items').set('Authorization', `Bearer ${token}`).expect(200)
  await request(app).get('/catalog/items').set('X-Api-Key', made.clientId).expect(200)
  return { ...made, token }
}

/** The answer without what differs between two answers to the same request. */
async function send(
  { app }: Process,
  path: string,
  headers: readonly string[],
): Promise<Answer & { body: { error?: string } | null }> {
  const { headers: sent, ...answer } = await exchange(app, [`GET ${path} HTTP/1.1`, ...headers])
  const { date: _, ...rest } = sent
  return { ...answer, headers: rest, body: answer.body as { error?: string } | null }
}

function revoke({ app }: Process, caller: Caller): Promise<unknown> {
  return post(app, '/orders/revoke', createTokenForm(caller, { token: caller.token }))
}

function narrow({ auth }: Process, { id }: Caller): Promise<unknown> {
  return auth.applications.allow(id, 'orders', { scopes: ['orders:write'] })
}

async function endOverlap({ auth, clock }: Process, { id }: Caller): Promise<void> {
  await auth.applications.rotateKey(id, { overlap: 60 })
  clock.advance(60)
}
