import express, { type Express } from 'express'
import { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import { createPlatformAuth, type PlatformAuth, type PlatformAuthOptions } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { formOf, listen, type ClientCredentials } from '../support/http.js'
import { APIS, recordingLogger, SECRET } from '../support/platform.js'

/** A line of figures of the long form, found by its first word. */
export function print(name: string, figures: Readonly<Record<string, string | number>>): void {
  const told = Object.entries(figures).map(([what, figure]) => {
    if (typeof figure === 'string') return `${what} ${figure}`
    return `${what} ${Number(figure.toFixed(Math.abs(figure) < 10 ? 2 : 0))}`
  })
  process.stdout.write(`LONG capacity, ${name}: ${told.join(', ')}\n`)
}

/** A platform with its router and guards at an address, on a pool of five connections, until the test is over. */
export interface OpenPlatform {
  readonly auth: PlatformAuth
  readonly app: Express
  bearer(token: string): Promise<void>
  key(key: string): Promise<void>
  token(credentials: ClientCredentials): Promise<void>
}

export async function openPlatform(
  url: string,
  { listen: hears = true, ...options }: Pick<PlatformAuthOptions, 'rateLimits'> & { listen?: boolean } = {},
): Promise<OpenPlatform> {
  const pool = new Pool({ connectionString: url, max: 5 })
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    secret: SECRET,
    logger: recordingLogger(),
    ...options,
    store: postgresStore({ pool, listen: hears }),
    apis: APIS,
  })
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.end())
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.end())
  await auth.ready()
  const { port, close } = await listen(app)
  onTestFinished(async () => {
    await close()
    await auth.close()
    await pool.end()
  })

  async function ask(path: string, init: RequestInit): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  }

  return {
    auth,
    app,
    bearer: (token) => ask('/orders/items', { headers: { Authorization: `Bearer ${token}` } }),
    key: (key) => ask('/catalog/items', { headers: { 'X-Api-Key': key } }),
    token: (credentials) => ask('/orders/token', { method: 'POST', body: new URLSearchParams(formOf(credentials)) }),
  }
}

type Ask = (i: number) => Promise<unknown>

/** So many times, so many of them at once. */
export async function often(times: number, atOnce: number, ask: Ask): Promise<void> {
  let next = 0
  async function work(): Promise<void> {
    while (next < times) await ask(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** What a load has come to. */
interface Done {
  readonly times: number
  readonly seconds: number
}

/** By so many workers, each of whom waits for his last answer; told apart by their numbers. */
export async function asOftenAsPossible(workers: number, seconds: number, ask: Ask): Promise<Done> {
  return byWorkers(workers, seconds, 0, ask)
}

/** By so many workers, each of whom asks so often a second. */
export async function nowAndThen(workers: number, seconds: number, rate: number, ask: Ask): Promise<Done> {
  return byWorkers(workers, seconds, 1000 / rate, ask)
}

async function byWorkers(workers: number, seconds: number, pause: number, ask: Ask): Promise<Done> {
  const began = performance.now()
  let times = 0
  async function work(_: unknown, worker: number): Promise<void> {
    // Not all at the same moment.
    let next = began + (pause * worker) / workers
    while (next < began + seconds * 1000) {
      const wait = next - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      await ask(worker)
      times += 1
      next = Math.max(next + pause, performance.now() - pause)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return { times, seconds: (performance.now() - began) / 1000 }
}
