import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { GCProfiler, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import express from 'express'
import { describe, expect, it, vi, type TestContext } from 'vitest'
import { memoryStore, type Guard, type IssuedCredentials } from '../src/index.js'
import { createMemoryCounters } from '../src/core/rate-limits/memory-counter.js'
import { createUsageCollector } from '../src/features/usage/collector.js'
import { createCaller, type Caller } from './support/caller.js'
import { failingStore, type FailingStore, type StoreCallName } from './support/failing-store.js'
import { IS_LONG_LANE } from './support/long-lane.js'
import { openPlatform, type TestPlatform, usePlatform } from './support/platform.js'

/** Calls that wait for the database, except the one that reads the change feed. */
const CALLS = [
  'findApplication',
  'findApplicationByKey',
  'listSigningKeys',
  'isAccessTokenRevoked',
  'listRevokedAccessTokens',
  'saveApplication',
  'noteCredentialUse',
  'usage.add',
  'usage.addRefusals',
  'emails.list',
  'listAudit',
  'emails.lease',
] as const satisfies readonly StoreCallName[]

interface CountedPlatform extends TestPlatform {
  readonly caller: Caller
  readonly port: number
  readonly store: FailingStore
  readonly credentials: IssuedCredentials
  readonly bearer: Guard
  readonly apiKey: Guard
  /** Counts the database calls, by name, and the signature checks that the work makes. */
  countCalls(work: () => Promise<unknown>): Promise<Record<string, number>>
}

async function openCountedPlatform(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options = {},
): Promise<CountedPlatform> {
  const store = failingStore(memoryStore())
  const made = openPlatform({ ...options, store })
  const { auth } = made
  await auth.ready()
  const { credentials } = await auth.applications.create({ name: 'Shop', apis: ['orders', 'catalog'] })
  const app = express().use(auth.router)
  const bearer = auth.requireBearer('orders', { scopes: ['orders:read'] })
  const apiKey = auth.requireApiKey('catalog')
  app.get('/items', (_req, res) => void res.json([]))
  app.get('/orders/items', bearer, (_req, res) => void res.json([]))
  app.get('/catalog/items', apiKey, (_req, res) => void res.json([]))
  const server = app.listen(0)
  const { port } = server.address() as { port: number }
  const checks = vi.spyOn(crypto.subtle, 'verify')
  onTestFinished(async () => {
    checks.mockRestore()
    server.close()
    server.closeAllConnections()
    await auth.close()
  })
  return {
    ...made,
    store,
    credentials,
    bearer,
    apiKey,
    port,
    caller: createCaller({ app: `http://127.0.0.1:${port}` }),
    async countCalls(work) {
      const before = new Map(CALLS.map((name) => [name, store.calls(name)]))
      checks.mockClear()
      await work()
      const calls = CALLS.map((name) => [name, store.calls(name) - before.get(name)!] as const)
      const counts = [...calls, ['signatureChecks', checks.mock.calls.length] as const]
      return Object.fromEntries(counts.filter(([, count]) => count > 0))
    },
  }
}

/** Sends the request that many times, 20 at once. */
async function sendMany(times: number, send: () => PromiseLike<{ status: number }>): Promise<number[]> {
  const statuses = new Set<number>()
  for (let done = 0; done < times; done += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, send))
    for (const { status } of answers) statuses.add(status)
  }
  return [...statuses]
}

describe('The database calls and signature checks of a request', () => {
  it('are none for an access token that was verified before', async (test) => {
    const { caller, credentials, countCalls } = await openCountedPlatform(test)
    const token = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', token).expect(200)
    expect(await countCalls(() => sendMany(100, () => caller.bearer('/orders/items', token).expect(200)))).toEqual({})
  })

  it('are one signature check and one look-up for a new access token in 100 concurrent requests', async (test) => {
    const { auth, caller, credentials, countCalls } = await openCountedPlatform(test)
    const token = await caller.accessToken('orders', credentials)
    const { items: applications } = await auth.applications.list()
    await auth.applications.update(applications[0]!.id, { name: 'Shop, evicted from the cache' })
    const counts = await countCalls(() =>
      Promise.all(Array.from({ length: 100 }, () => caller.bearer('/orders/items', token).expect(200))),
    )
    expect(counts).toEqual({ findApplication: 1, signatureChecks: 1 })
  })

  it('are one look-up for a new API key in 100 concurrent requests, and none afterwards', async (test) => {
    const { auth, caller, countCalls } = await openCountedPlatform(test)
    const { credentials } = await auth.applications.create({ name: 'Newcomer', apis: ['catalog'] })
    const send = () => caller.key('/catalog/items', credentials.clientId).expect(200)
    expect(await countCalls(() => Promise.all(Array.from({ length: 100 }, send)))).toEqual({ findApplicationByKey: 1 })
    expect(await countCalls(() => sendMany(100, send))).toEqual({})
  })

  it('are one look-up for an unknown application id as client_id, and none when it is repeated', async (test) => {
    const { caller, countCalls } = await openCountedPlatform(test)
    const unknown = { clientId: `app_${'0'.repeat(32)}`, clientSecret: 'wrong' }
    const lookups = async (work: () => Promise<unknown>) => (await countCalls(work))['findApplication']
    expect(await lookups(() => caller.token('orders', unknown).expect(401))).toBe(1)
    const repeated = Array.from({ length: 10 }, () => caller.token('orders', unknown).expect(401))
    expect(await lookups(() => Promise.all(repeated))).toBeUndefined()
  })

  it('are one look-up for an unknown API key, one signature check for a forged token, and none when these are repeated', async (test) => {
    const { clock, caller, credentials, countCalls } = await openCountedPlatform(test, {
      rateLimits: { failedAuthentication: false },
    })
    const token = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', token).expect(200)
    const sendRefused = (value: string) => () => caller.bearer('/orders/items', value).expect(401)

    for (const malformed of ['garbage', 'a.b.c', `${token}x`, `${token.slice(0, -4)}=`, `.${token}`]) {
      expect(await countCalls(() => sendMany(20, sendRefused(malformed))), malformed).toEqual({})
    }
    expect(
      await countCalls(() => sendMany(20, () => caller.key('/catalog/items', 'epa_key_garbage').expect(401))),
    ).toEqual({})

    const other = usePlatform()
    await other.auth.ready()
    const { credentials: elsewhere } = await other.auth.applications.create({ name: 'Shop', apis: ['orders'] })
    const sendUnknownKey = () => caller.key('/catalog/items', elsewhere.clientId).expect(401)
    expect(await countCalls(() => sendMany(100, sendUnknownKey))).toEqual({ findApplicationByKey: 1 })

    const [header, , signature] = token.split('.')
    for (const jti of ['a', 'b', 'c']) {
      const claims = Buffer.from(JSON.stringify({ iss: 'https://api.example.com/orders', jti })).toString('base64url')
      const sendForgery = sendRefused(`${header}.${claims}.${signature}`)
      expect(await countCalls(async () => sendForgery())).toEqual({ signatureChecks: 1 })
      expect(await countCalls(() => sendMany(20, sendForgery))).toEqual({})
    }

    clock.advance(3700)
    const since = performance.now()
    const { 'usage.addRefusals': addRefusals = 0, ...others } = await countCalls(() =>
      sendMany(100, sendRefused(token)),
    )
    expect(others).toEqual({})
    // All refusals of a second are one write.
    expect(addRefusals).toBeLessThanOrEqual(1 + (performance.now() - since) / 1000)
  })

  it('are one signature and a shared read of the change feed for a token request', async (test) => {
    const { caller, credentials, countCalls, store } = await openCountedPlatform(test)
    await caller.token('orders', credentials).expect(200)
    const signatures = vi.spyOn(crypto.subtle, 'sign')
    const readsBefore = store.calls('changesSince')
    // A read of the feed takes as long as several requests, and the requests that arrive meanwhile share the next read.
    store.slowDown(20)
    const send = () => caller.token('orders', credentials).expect(200)
    expect(await countCalls(() => Promise.all(Array.from({ length: 100 }, send)))).toEqual({})
    expect(signatures).toHaveBeenCalledTimes(100)
    expect(store.calls('changesSince') - readsBefore).toBeLessThan(50)
    store.recover()
    signatures.mockRestore()
  })

  it('are none for the last cache.accessTokens tokens after many other access tokens', async (test) => {
    const { caller, credentials, countCalls } = await openCountedPlatform(test, { cache: { accessTokens: 10 } })
    const tokens: string[] = []
    for (let i = 0; i < 50; i++) tokens.push(await caller.accessToken('orders', credentials))
    const send = (token: string) => caller.bearer('/orders/items', token).expect(200)
    const inTurn = async (list: readonly string[]): Promise<void> => {
      for (const token of list) await send(token)
    }
    // Not all calls: when credentials were last used is stored every 10 seconds.
    const countChecks = async (list: readonly string[]) => (await countCalls(() => inTurn(list)))['signatureChecks']
    expect(await countChecks(tokens)).toBe(50)
    expect(await countChecks(tokens.slice(-10))).toBeUndefined()
    expect(await countChecks(tokens.slice(0, 10))).toBe(10)
  })
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void

it('The memory of a limit is bounded, whatever number of addresses is counted, also if each is a part of a long header', () => {
  const counters = createMemoryCounters()
  const count = counters.create({ limit: 20, window: 60 }, 50_000)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < (IS_LONG_LANE ? 1_000_000 : 100_000); i++)
    count(`${'x'.repeat(4000)}${i}, 2001:db8::${i}`.split(', ')[1]!)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
  counters.close()
})

describe('The memory of a guarded request', () => {
  /** The bytes that the guard allocates for a request, from `times` requests. */
  function measureAllocation(guard: Guard, headers: Readonly<Record<string, string>>, times = 200): number {
    const rawHeaders = Object.entries(headers).flat()
    let passed = 0
    const measurements = Array.from({ length: 30 }, () => {
      const requests = Array.from({ length: times }, () => {
        const req = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/', headers, rawHeaders })
        return { req, res: new ServerResponse(req) }
      })
      // All of the garbage is young, and a whole collection takes ten times as long.
      collectGarbage({ type: 'minor' })
      const before = process.memoryUsage().heapUsed
      for (const { req, res } of requests) guard(req, res, () => (passed += 1))
      return (process.memoryUsage().heapUsed - before) / times
    })
    // The guard let every request pass synchronously.
    expect(passed).toBe(30 * times)
    // The median of the last 20: the first ones compile the code, and a collection during a measurement makes it small or negative.
    return measurements.slice(-20).toSorted((a, b) => a - b)[10]!
  }

  it('is at most 1,300 bytes with an access token, and 2 KiB with a key', async (test) => {
    // The measurement blocks the event loop: the change feed cannot be read meanwhile.
    const { caller, credentials, bearer, apiKey } = await openCountedPlatform(test, { maxStaleness: 60 })
    const token = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', token).expect(200)
    await caller.key('/catalog/items', credentials.clientId).expect(200)
    const bytes = {
      bearer: measureAllocation(bearer, { authorization: `Bearer ${token}` }),
      apiKey: measureAllocation(apiKey, { 'x-api-key': credentials.clientId }),
    }
    expect(bytes.bearer).toBeGreaterThan(0)
    expect(bytes.bearer).toBeLessThan(1300)
    expect(bytes.apiKey).toBeLessThan(2048)
  })

  it.for([0, 2])('is the same with %i features that observe requests', async (count, test) => {
    const observed = Array.from({ length: count }, () => 0)
    const features = observed.map((_, index) => ({
      name: `observer-${index}`,
      prepare: () => () => ({
        calls: {},
        observe: () => ({ allowed: () => void (observed[index]! += 1) }),
      }),
    }))
    const { caller, credentials, bearer } = await openCountedPlatform(test, { maxStaleness: 60, features })
    const token = await caller.accessToken('orders', credentials)
    await caller.bearer('/orders/items', token).expect(200)
    const bytes = measureAllocation(bearer, { authorization: `Bearer ${token}` })
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(1300)
    expect(observed).toEqual(Array.from({ length: count }, () => 30 * 200 + 1))
  })

  it('is not increased by counting usage: less than a byte for each request', async () => {
    const collector = createUsageCollector(memoryStore().usage, Date.now)
    const { allowed } = collector.observe('orders')
    const req = new IncomingMessage(new Socket())
    const res = new ServerResponse(req)
    const count = (id: string): void => allowed?.(id, 1, req, res)
    const times = 1_000_000
    for (let i = 0; i < times; i++) count('app_1')
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < times; i++) count('app_1')
    expect((process.memoryUsage().heapUsed - before) / times).toBeLessThan(1)
    await collector.close()
  })

  /**
   * The bytes that each request adds to the old generation. Express creates a hidden class for each request, so that in
   * Node 20 and 22 a part of it survives without a guard too. One object of ours that V8 allocates in the old generation
   * would keep the whole request.
   */
  async function measureRetention({ port }: CountedPlatform, path: string, header: string): Promise<number> {
    const requests = 6000
    const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`
    const connections = 16
    const send = (): Promise<unknown> => Promise.all(Array.from({ length: connections }, () => sendRequests()))

    function sendRequests(): Promise<void> {
      return new Promise((resolve, reject) => {
        let left = requests / connections
        const socket = connect(port, '127.0.0.1', () => socket.write(request)).on('error', reject)
        socket.on('data', (answer) => {
          if (!answer.toString().startsWith('HTTP/1.1 200')) reject(new Error(answer.toString()))
          left -= 1
          if (left > 0) socket.write(request)
          else socket.end(resolve)
        })
      })
    }

    // Warm-up: the code is compiled, and V8 has chosen where to allocate.
    await send()
    collectYoungGeneration()
    const profiler = new GCProfiler()
    profiler.start()
    await send()
    collectYoungGeneration()
    const scavenges = profiler.stop().statistics.filter(({ gcType }) => gcType === 'Scavenge')
    expect(scavenges.length).toBeGreaterThan(0)
    return (
      scavenges.reduce(
        (sum, { beforeGC, afterGC }) => sum + sumOldGeneration(afterGC) - sumOldGeneration(beforeGC),
        0,
      ) / requests
    )
  }

  /** An object that survives two collections is moved to the old generation. */
  function collectYoungGeneration(): void {
    collectGarbage({ type: 'minor' })
    collectGarbage({ type: 'minor' })
  }

  function sumOldGeneration({ heapSpaceStatistics }: HeapStatistics): number {
    const spaces = heapSpaceStatistics.filter(({ spaceName }) => !spaceName.startsWith('new'))
    return spaces.reduce((sum, { spaceUsedSize }) => sum + spaceUsedSize, 0)
  }

  // Takes twenty seconds of processor time.
  it.for(IS_LONG_LANE ? ['a guard'] : [])(
    'is collected: %s adds little to what Express keeps in the old generation',
    async (_, test) => {
      const counted = await openCountedPlatform(test)
      const token = await counted.caller.accessToken('orders', counted.credentials)
      const bare = await measureRetention(counted, '/items', `Authorization: Bearer ${token}`)
      const bearer = await measureRetention(counted, '/orders/items', `Authorization: Bearer ${token}`)
      const apiKey = await measureRetention(counted, '/catalog/items', `X-Api-Key: ${counted.credentials.clientId}`)
      expect(bearer - bare).toBeLessThan(1200)
      expect(apiKey - bare).toBeLessThan(1200)
    },
  )
})

type HeapStatistics = ReturnType<GCProfiler['stop']>['statistics'][number]['afterGC']
