import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { IssuedCredentials } from '../../src/index.js'
import { createTemporaryFolder } from '../support/temporary-folder.js'
import { IS_LONG_LANE } from '../support/long-lane.js'
import { printFigures } from './figures.js'

/** So many of each kind fill what is bounded: 50,000 addresses of a limit, and twice 20,000 entries of a cache (two generations). */
const COUNT = IS_LONG_LANE ? 45_000 : 150
const CACHE_ENTRIES = IS_LONG_LANE ? 'default' : '50'
const ROUNDS = 3
const CONNECTIONS = 16
/** Counters of addresses are not full in the short form. */
const MAX_GROWTH = IS_LONG_LANE ? 1.05 : 1.1

interface Call {
  readonly method?: 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Kind {
  readonly status: number
  create(index: number): Call
}

/** A process of the platform, and the requests to it: each from another address. */
async function startProcess() {
  const folder = await createTemporaryFolder()
  const program = fileURLToPath(new URL('soak-process.mjs', import.meta.url))
  const child = fork(program, [join(folder, 'platform.sqlite'), CACHE_ENTRIES], { execArgv: ['--expose-gc'] })
  const [{ baseUrl }] = (await once(child, 'message')) as [{ baseUrl: string }]
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  onTestFinished(async () => {
    agent.destroy()
    child.disconnect()
    await once(child, 'exit')
  })

  function send({ method, path, headers, body }: Call): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const from = [10, ...randomBytes(3)].join('.')
      const options = { agent, method: method ?? 'GET', headers: { 'X-Forwarded-For': from, ...headers } }
      const req = request(baseUrl + path, options, (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        res.on('end', () => resolve({ status: res.statusCode!, text })).on('error', reject)
      })
      req.on('error', reject).end(body)
    })
  }

  /** Megabytes after a collection. */
  async function measureHeap(): Promise<number> {
    child.send('sample')
    return ((await once(child, 'message')) as [{ heap: number }])[0].heap
  }

  return { send, measureHeap }
}

it(
  'the heap of a process is bounded, whatever number of addresses, keys, clients and access tokens it has seen',
  { timeout: 3_600_000 },
  async () => {
    const { send, measureHeap } = await startProcess()
    const operate = async (...body: unknown[]): Promise<unknown> => {
      const headers = { 'Content-Type': 'application/json' }
      return JSON.parse((await send({ method: 'POST', path: '/operate', headers, body: JSON.stringify(body) })).text)
    }
    const { credentials } = (await operate('applications', 'create', { name: 'Partner', apis: ['orders'] })) as {
      credentials: IssuedCredentials
    }
    const requestToken = (client: { readonly clientId: string; readonly clientSecret?: string | undefined }): Call => ({
      method: 'POST',
      path: '/orders/token',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `grant_type=client_credentials&client_id=${client.clientId}&client_secret=${client.clientSecret}`,
    })
    const { text } = await send(requestToken(credentials))
    const [header, payload] = (JSON.parse(text) as { access_token: string }).access_token.split('.')
    const bearer = (token: string): Call => ({ path: '/orders/items', headers: { Authorization: `Bearer ${token}` } })
    const signature = (): string => randomBytes(64).toString('base64url')
    const foreign = (index: number): string => {
      const named = { alg: 'ES256', typ: 'at+jwt', kid: `kid-${index}` }
      return Buffer.from(JSON.stringify(named)).toString('base64url')
    }
    const newKey = (): string => `epa_key_${randomBytes(17).toString('hex')}`
    const kinds: Readonly<Record<string, Kind>> = {
      addresses: { status: 401, create: () => ({ path: '/catalog/items', headers: { 'X-Api-Key': 'unknown' } }) },
      keys: { status: 401, create: () => ({ path: '/catalog/items', headers: { 'X-Api-Key': newKey() } }) },
      clients: { status: 401, create: () => requestToken({ clientId: newKey(), clientSecret: 'wrong' }) },
      forgeries: { status: 401, create: () => bearer(`${header}.${payload}.${signature()}`) },
      kids: { status: 401, create: (index) => bearer(`${foreign(index)}.${payload}.${signature()}`) },
      tokens: { status: 200, create: () => requestToken(credentials) },
    }

    async function sendAll({ status, create }: Kind, isUsed: boolean): Promise<void> {
      let index = 0
      const work = async (): Promise<void> => {
        while (index < COUNT) {
          const answer = await send(create((index += 1)))
          if (answer.status !== status && answer.status !== 429) expect(answer).toEqual({ status })
          if (isUsed) await send(bearer((JSON.parse(answer.text) as { access_token: string }).access_token))
        }
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, work))
    }

    const heaps: Record<string, number>[] = []
    const before = await measureHeap()
    for (let round = 0; round < ROUNDS; round++) {
      const heap: Record<string, number> = {}
      for (const [name, kind] of Object.entries(kinds)) {
        await sendAll(kind, name === 'tokens')
        heap[name] = await measureHeap()
      }
      heaps.push(heap)
      printFigures(`growth, round ${round + 1} of ${COUNT} each`, {
        before: before.toFixed(1),
        ...Object.fromEntries(Object.entries(heap).map(([name, megabytes]) => [name, megabytes.toFixed(2)])),
      })
    }
    const [, second, third] = heaps.map((heap) => Math.max(...Object.values(heap)))
    expect(third! / second!).toBeLessThan(MAX_GROWTH)
  },
)
