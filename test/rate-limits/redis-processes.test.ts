import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import request, { type Response } from 'supertest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPlatformAuth } from '../../src/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { createApplication, formOf, type ClientCredentials } from '../support/http.js'
import { recordingLogger, SECRET } from '../support/platform.js'
import { startRedis, until, type RedisServer } from '../support/redis.js'

const PROCESSES = 3
const LIMIT = 50
const PROGRAM = fileURLToPath(new URL('../support/limits-process.mjs', import.meta.url))
const RATE_LIMITS = Object.fromEntries(
  ['requests', 'tokenRequests', 'failedAuthentication', 'registration'].map((name) => [
    name,
    { limit: LIMIT, window: 600 },
  ]),
)

interface Running {
  readonly process: ChildProcess
  readonly url: string
  readonly said: string[]
}

let folder: string
let redis: RedisServer
let running: Running[] = []
let shop: ClientCredentials

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limits-'))
  const file = join(folder, 'platform.sqlite')
  redis = await startRedis()
  const baseUrl = 'https://api.example.com'
  const apis = { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } } as const
  const auth = createPlatformAuth({
    baseUrl,
    apis,
    store: sqliteStore(file),
    secret: SECRET,
    logger: recordingLogger(),
  })
  shop = await createApplication(auth, ['orders', 'catalog'])
  await auth.close()
  const options = { file, secret: SECRET, redis: redis.url, baseUrl, rateLimits: RATE_LIMITS }
  running = await Promise.all(Array.from({ length: PROCESSES }, () => start(JSON.stringify(options))))
})

afterAll(async () => {
  for (const { process } of running) process.kill('SIGKILL')
  await redis?.end()
  await rm(folder, { recursive: true, force: true })
})

async function start(options: string): Promise<Running> {
  const process = spawn('node', [PROGRAM, options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: string[] = []
  const lines = createInterface(process.stdout)
  const [port] = (await once(lines, 'line')) as [string]
  lines.on('line', (line) => void said.push(line))
  return { process, url: `http://127.0.0.1:${port}`, said }
}

/** What so many requests are answered that the processes share among them, 30 under way at a time. */
async function statuses(count: number, ask: (url: string, i: number) => PromiseLike<Response>): Promise<number[]> {
  const answers: number[] = []
  let next = 0
  async function askOn(): Promise<void> {
    for (let i = next++; i < count; i = next++) answers.push((await ask(running[i % PROCESSES]!.url, i)).status)
  }
  await Promise.all(Array.from({ length: 30 }, askOn))
  return answers
}

const WRONG = (): Record<string, string> => formOf({ ...shop, clientSecret: 'wrong' })

it.each<[string, number, (url: string, i: number) => PromiseLike<Response>]>([
  ['requests', 200, (url) => request(url).get('/catalog/items').set('X-Api-Key', shop.clientId)],
  ['access tokens', 200, (url) => request(url).post('/orders/token').type('form').send(formOf(shop))],
  ['failed authentications', 401, (url) => request(url).post('/orders/token').type('form').send(WRONG())],
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
])(`%s: ${PROCESSES} processes let exactly the limit pass in all`, async (_, good, ask) => {
  const answers = await statuses(LIMIT * 3, ask)
  expect(running.flatMap(({ said }) => said)).toEqual([])
  expect(answers.filter((status) => status === good)).toHaveLength(LIMIT)
  expect(answers.filter((status) => status === 429)).toHaveLength(LIMIT * 2)
})

it('the limit holds in each process while Redis is killed, is told of once in each, and is one again afterwards', async () => {
  // What was used up above is refused still: nobody gets a new allowance by an outage.
  await redis.kill()
  const call = (url: string) => request(url).post('/orders/token').type('form').send(formOf(shop))
  expect(new Set(await statuses(30, call))).toEqual(new Set([429]))
  // The first to be asked about anything new finds out, in each process.
  const guess = (url: string) =>
    request(url).post('/orders/token').type('form').set('X-Forwarded-For', '192.0.2.200').send(WRONG())
  const answers = await statuses(LIMIT * 4, guess)
  expect(new Set(answers)).toEqual(new Set([401, 429]))
  expect(answers.filter((status) => status === 401)).toHaveLength(LIMIT * PROCESSES)
  expect(running.map(({ said }) => said)).toEqual(running.map(() => ['limits.unavailable']))

  await redis.start()
  await until(() => running.every(({ said }) => said.length === 2))
  expect(running.map(({ said }) => said)).toEqual(running.map(() => ['limits.unavailable', 'limits.available']))
  const again = (url: string) =>
    request(url).post('/orders/token').type('form').set('X-Forwarded-For', '192.0.2.201').send(WRONG())
  expect((await statuses(LIMIT * 2, again)).filter((status) => status === 401)).toHaveLength(LIMIT)
})
