import express, { type Express } from 'express'
import { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import type { PlatformAuth } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { createTokenForm, listen, type ClientCredentials } from '../support/http.js'
import { APIS, openPlatform, type TestOptions } from '../support/platform.js'

/** Prints a line of measurements, which starts with LONG. */
export function print(name: string, figures: Readonly<Record<string, string | number>>): void {
  const parts = Object.entries(figures).map(([label, figure]) => {
    if (typeof figure === 'string') return `${label} ${figure}`
    return `${label} ${Number(figure.toFixed(Math.abs(figure) < 10 ? 2 : 0))}`
  })
  process.stdout.write(`LONG capacity, ${name}: ${parts.join(', ')}\n`)
}

/** A platform with router and guards behind an HTTP server, with a pool of five connections, until the test ends. */
export interface OpenPlatform {
  readonly auth: PlatformAuth
  readonly app: Express
  bearer(token: string): Promise<void>
  key(key: string): Promise<void>
  token(credentials: ClientCredentials): Promise<void>
}

export async function openPostgresPlatform(
  url: string,
  { listen: listens = true, ...options }: Pick<TestOptions, 'rateLimits'> & { listen?: boolean } = {},
): Promise<OpenPlatform> {
  const pool = new Pool({ connectionString: url, max: 5 })
  const { auth } = openPlatform({
    ...options,
    now: Date.now,
    store: postgresStore({ pool, listen: listens }),
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
    token: (credentials) =>
      ask('/orders/token', { method: 'POST', body: new URLSearchParams(createTokenForm(credentials)) }),
  }
}

type Ask = (i: number) => Promise<unknown>

/** Calls `ask` that many times, `atOnce` at a time. */
export async function repeat(times: number, atOnce: number, ask: Ask): Promise<void> {
  let next = 0
  async function work(): Promise<void> {
    while (next < times) await ask(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** How often a load called, and in which time. */
interface LoadResult {
  readonly times: number
  readonly seconds: number
}

/** Load by workers that send the next request when the last one is answered. */
export async function loadWithoutDelay(workers: number, seconds: number, ask: Ask): Promise<LoadResult> {
  return runWorkers(workers, seconds, 0, ask)
}

/** Load by workers that send `rate` requests a second each. */
export async function loadAtRate(workers: number, seconds: number, rate: number, ask: Ask): Promise<LoadResult> {
  return runWorkers(workers, seconds, 1000 / rate, ask)
}

async function runWorkers(workers: number, seconds: number, interval: number, ask: Ask): Promise<LoadResult> {
  const startedAt = performance.now()
  let times = 0
  async function work(_: unknown, worker: number): Promise<void> {
    // Workers start at different times within an interval.
    let next = startedAt + (interval * worker) / workers
    while (next < startedAt + seconds * 1000) {
      const wait = next - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      await ask(worker)
      times += 1
      next = Math.max(next + interval, performance.now() - interval)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  return { times, seconds: (performance.now() - startedAt) / 1000 }
}
