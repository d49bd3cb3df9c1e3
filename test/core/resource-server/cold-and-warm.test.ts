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
const ORDERS = { path: '/orders/items', headers: bearer } as const
const CATALOG = { path: '/catalog/items', headers: key } as const
/** A signature of the right length that nobody made. */
const forge = ({ token }: Caller): string => `${token.split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`

const { 'www-authenticate': ofOrders } = createBearerChallenge(
  'invalid_token',
  'The access token was issued for another API',
)
const OTHER_API = { 'www-authenticate': ofOrders.replaceAll('orders', 'invoices') }

const ROWS: readonly Row[] = [
  {
    ...ORDERS,
    row: 'G1',
    headers: (caller) => [...bearer(caller), ...bearer(caller)],
    answer: [400, 'invalid_request'],
  },
  { ...ORDERS, row: 'G2', headers: () => ['Authorization: Basic YTpi'], answer: [401, 'unauthorized'] },
  { ...ORDERS, row: 'G3', headers: (caller) => [`${bearer(caller)[0]} x`], answer: [400, 'invalid_request'] },
  {
    ...ORDERS,
    row: 'G3 (tab)',
    headers: ({ token }) => [`Authorization: Bearer\t${token}`],
    answer: [400, 'invalid_request'],
  },
  {
    ...ORDERS,
    row: 'G16 (several spaces)',
    headers: ({ token }) => [`Authorization: bearer   ${token}`],
    answer: [200],
  },
  {
    ...ORDERS,
    row: 'G4 (forged)',
    headers: (caller) => [`Authorization: Bearer ${forge(caller)}`],
    answer: [401, 'invalid_token'],
  },
  { ...ORDERS, row: 'G4 (no token)', headers: () => ['Authorization: Bearer x'], answer: [401, 'invalid_token'] },
  { ...ORDERS, row: 'G5', change: ({ clock }) => clock.advance(3606), answer: [401, 'invalid_token'] },
  { ...ORDERS, row: 'G6', path: '/invoices/items', answer: [401, 'invalid_token', OTHER_API] },
  { ...ORDERS, row: 'G7 (token revoked)', change: revoke, answer: [401, 'invalid_token', TOKEN_REVOKED] },
  {
    ...ORDERS,
    row: 'G7 (tokens revoked)',
    change: ({ auth }, { id }) => auth.applications.revokeTokens(id),
    answer: [401, 'invalid_token', TOKEN_REVOKED],
  },
  {
    ...ORDERS,
    row: 'G7 (suspended)',
    change: ({ auth }, { id }) => auth.applications.suspend(id),
    answer: [401, 'invalid_token', TOKEN_REVOKED],
  },
  {
    ...ORDERS,
    row: 'G7 (deleted)',
    change: ({ auth }, { id }) => auth.applications.delete(id),
    answer: [401, 'invalid_token', TOKEN_REVOKED],
  },
  {
    ...ORDERS,
    row: 'G7 (not allowed)',
    change: ({ auth }, { id }) => auth.applications.disallow(id, 'orders'),
    answer: [401, 'invalid_token', TOKEN_REVOKED],
  },
  { ...ORDERS, row: 'G8, G22', path: '/orders/both', change: narrow, answer: [403, 'insufficient_scope'] },
  { ...ORDERS, row: 'G16', answer: [200] },
  { ...ORDERS, row: 'G16, G22', change: narrow, answer: [200] },
  { ...CATALOG, row: 'G9', headers: (caller) => [...key(caller), ...key(caller)], answer: [400, 'invalid_request'] },
  { ...CATALOG, row: 'G10', headers: () => [], answer: [401, 'unauthorized'] },
  { ...CATALOG, row: 'G11 (malformed)', headers: (caller) => [`${key(caller)[0]}x`], answer: [401, 'invalid_api_key'] },
  { ...CATALOG, row: 'G11 (unknown)', headers: () => [`X-Api-Key: ${STRANGER}`], answer: [401, 'invalid_api_key'] },
  {
    ...CATALOG,
    row: 'G11 (retired)',
    change: ({ auth }, { id }) => auth.applications.rotateKey(id, { overlap: 0 }),
    answer: [401, 'invalid_api_key', KEY_INVALID],
  },
  { ...CATALOG, row: 'G11 (overlap over)', change: endOverlap, answer: [401, 'invalid_api_key', KEY_INVALID] },
  {
    ...CATALOG,
    row: 'G11 (deleted)',
    change: ({ auth }, { id }) => auth.applications.delete(id),
    answer: [401, 'invalid_api_key', KEY_INVALID],
  },
  {
    ...CATALOG,
    row: 'G12 (suspended)',
    change: ({ auth }, { id }) => auth.applications.suspend(id),
    answer: [403, 'access_denied', ACCESS_DENIED],
  },
  {
    ...CATALOG,
    row: 'G12 (not allowed)',
    change: ({ auth }, { id }) => auth.applications.disallow(id, 'catalog'),
    answer: [403, 'access_denied', ACCESS_DENIED],
  },
  { ...CATALOG, row: 'G16', answer: [200] },
  { ...ORDERS, row: 'G17 (no credential)', path: '/orders/optional', headers: () => [], answer: [200] },
  {
    ...ORDERS,
    row: 'G17 (suspended)',
    path: '/orders/optional',
    change: ({ auth }, { id }) => auth.applications.suspend(id),
    answer: [401, 'invalid_token'],
  },
  {
    ...CATALOG,
    row: 'G17 (suspended)',
    path: '/catalog/optional',
    change: ({ auth }, { id }) => auth.applications.suspend(id),
    answer: [403, 'access_denied'],
  },
  { ...ORDERS, row: 'G20', path: '/orders/twice', change: narrow, answer: [403, 'insufficient_scope'] },
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
