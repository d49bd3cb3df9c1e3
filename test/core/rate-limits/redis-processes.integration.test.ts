import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { createApplication, createTokenForm, type ClientCredentials } from '../../support/http.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { openPlatform, SECRET } from '../../support/platform.js'
import { startRedis, type RedisServer } from '../../support/redis.js'
import { waitUntil } from '../../support/wait-until.js'
import { request, type Response } from '../../support/request.js'

const PROCESSES = 3
const LIMIT = IS_LONG_LANE ? 50 : 20
const PROGRAM = fileURLToPath(new URL('../../support/limits-process.mjs', import.meta.url))
const RATE_LIMITS = Object.fromEntries(
  ['requests', 'tokenRequests', 'failedAuthentication', 'registration'].map((name) => [
    name,
    { limit: LIMIT, window: 600 },
  ]),
)

interface LimitsProcess {
  readonly process: ChildProcess
  readonly url: string
  /** The `limits.*` events so far. */
  readonly events: string[]
}

let folder: string
let redis: RedisServer
let processes: LimitsProcess[] = []
let shop: ClientCredentials

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'))
  const file = join(folder, 'platform.sqlite')
  redis = await startRedis()
  const baseUrl = 'https://api.example.com'
  const apis = { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } } as const
  const { auth } = openPlatform({ baseUrl, apis, now: Date.now, store: sqliteStore(file) })
  shop = await createApplication(auth, ['orders', 'catalog'])
  await auth.close()
  const options = { file, secret: SECRET, redis: redis.url, baseUrl, rateLimits: RATE_LIMITS }
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => start(JSON.stringify(options))))
})

afterAll(async () => {
  for (const { process } of processes) process.kill('SIGKILL')
  await redis?.end()
  await rm(folder, { recursive: true, force: true })
})

async function start(options: string): Promise<LimitsProcess> {
  const process = spawn('node', [PROGRAM, options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const events: string[] = []
  const lines = createInterface(process.stdout)
  const [port] = (await once(lines, 'line')) as [string]
  lines.on('line', (line) => void events.push(line))
  return { process, url: `http://127.0.0.1:${port}`, events }
}

type Ask = (url: string, i: number) => PromiseLike<Response>

/** A process waits for Redis for 250 ms, in which a slow machine answers few requests. */
const AT_A_TIME = 6

/** The statuses of `count` requests, spread over the processes. */
async function collectStatuses(count: number, ask: Ask): Promise<number[]> {
  const answers: number[] = []
  let next = 0
  async function askRepeatedly(): Promise<void> {
    for (let i = next++; i < count; i = next++) answers.push((await ask(processes[i % PROCESSES]!.url, i)).status)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, askRepeatedly))
  return answers
}

const wrongForm = (): Record<string, string> => createTokenForm({ ...shop, clientSecret: 'wrong' })

it.each<[string, number, Ask]>([
  ['requests', 200, (url) => request(url).get('/catalog/items').set('X-Api-Key', shop.clientId)],
  ['access tokens', 200, (url) => request(url).post('/orders/token').type('form').send(createTokenForm(shop))],
  ['failed authentications', 401, (url) => request(url).post('/orders/token').type('form').send(wrongForm())],
  [
    'registrations of an address',
    202,
    (url, i) =>
      request(url)
        .post('/register')
        .send({ name: 'Shop', contact: `dev${i}@shop.example`, apis: ['catalog'] }),
  ],
  [
    'registrations for a contact',
    202,
    (url, i) =>
      request(url)
        .post('/register')
        .set('X-Forwarded-For', `198.51.100.${i}`)
        .send({ name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] }),
  ],
])(`${PROCESSES} processes together allow exactly the limit: %s`, async (_, good, ask) => {
  await expectSharedLimit(LIMIT * 3, good, ask)
})

it('each process keeps the limit after Redis is killed, emits one event, and shares the limit again after a restart', async () => {
  // Clients that had used up their limit in Redis stay refused.
  await forgetEvents()
  await redis.kill()
  const call = (url: string) => request(url).post('/orders/token').type('form').send(createTokenForm(shop))
  expect(new Set(await collectStatuses(30, call))).toEqual(new Set([429]))
  // The first request with a new key opens the circuit in each process.
  const guess = (url: string) =>
    request(url).post('/orders/token').type('form').set('X-Forwarded-For', '192.0.2.200').send(wrongForm())
  const answers = await collectStatuses(LIMIT * 4, guess)
  expect(new Set(answers)).toEqual(new Set([401, 429]))
  expect(answers.filter((status) => status === 401)).toHaveLength(LIMIT * PROCESSES)
  expect(processes.map(({ events }) => events)).toEqual(processes.map(() => ['limits.unavailable']))

  await redis.start()
  await waitUntil(() => processes.every(({ events }) => events.length === 2))
  expect(processes.map(({ events }) => events)).toEqual(processes.map(() => ['limits.unavailable', 'limits.available']))
  const again = (url: string) =>
    request(url).post('/orders/token').type('form').set('X-Forwarded-For', '192.0.2.201').send(wrongForm())
  await expectSharedLimit(LIMIT * 2, 401, again)
})

/** Waits until every process counts in Redis, and forgets what they said before. */
async function forgetEvents(): Promise<void> {
  await waitUntil(() => processes.every(({ events }) => events.at(-1) !== 'limits.unavailable'))
  for (const { events } of processes) events.length = 0
}

/** All that pass are as many as the limit, unless a process says that Redis was too slow for it. */
async function expectSharedLimit(count: number, good: number, ask: Ask): Promise<void> {
  await forgetEvents()
  const answers = await collectStatuses(count, ask)
  const passed = answers.filter((status) => status === good).length
  const countAlone = processes.filter(({ events }) => events.includes('limits.unavailable')).length
  expect(passed).toBeGreaterThanOrEqual(LIMIT)
  expect(passed).toBeLessThanOrEqual(LIMIT * (1 + countAlone))
  expect(answers.filter((status) => status === 429)).toHaveLength(count - passed)
}
