import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import express from 'express'
import { Pool, type PoolConfig } from 'pg'
import { expect } from 'vitest'
import { createCredentials } from '../../src/core/applications/credentials/credentials.js'
import type { StoreWith } from '../../src/store.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { createApplication, listen, createTokenForm } from './http.js'
import { openPlatform, type TestOptions, type TestPlatform } from './platform.js'
import { freshDatabase } from './postgres.js'
import { startTcpProxy } from './tcp-proxy.js'
import { waitUntil } from './wait-until.js'

/** `onTestFinished`: takes what is to be done after the test, in reverse order. */
export type AtEnd = (end: () => void | Promise<void>) => void

/** A store call takes at most five seconds; the rest allows for a busy machine. */
export const MAX_ANSWER_MS = 6500

/** The status of an answer, and how long it took. */
export interface Answer {
  readonly status: number
  readonly ms: number
}

/** A platform on real time behind an HTTP server, and every kind of request to it. */
export interface OutageHost extends TestPlatform {
  /** With an access token and with an API key, both cached in the process. */
  askCached(): Promise<readonly Answer[]>
  /** With the API key of an application that is not cached yet. */
  askUncached(): Promise<Answer>
  /** With a well-formed API key that no application has. */
  askUnknownKey(): Promise<Answer>
  requestToken(): Promise<Answer>
  health(): Promise<{ readonly ok: boolean; readonly problems: string; readonly ms: number }>
  /** The events `store.unavailable` and `store.available` so far. */
  readonly storeEvents: ('unavailable' | 'available')[]
  readonly credentials: { readonly clientId: string; readonly clientSecret: string; readonly id: string }
}

interface OutageHostOptions extends TestOptions {
  /** How often `askUncached()` can be called. */
  readonly uncached?: number
}

export async function openOutageHost(
  atEnd: AtEnd,
  store: StoreWith,
  { uncached: count = 20, ...options }: OutageHostOptions = {},
): Promise<OutageHost> {
  const made = openPlatform({ now: Date.now, rateLimits: { failedAuthentication: false }, ...options, store })
  const { auth } = made
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  const { port, close } = await listen(app)
  atEnd(close)
  atEnd(auth.close)
  await auth.ready()
  const storeEvents: OutageHost['storeEvents'] = []
  auth.events.on('store.unavailable', () => storeEvents.push('unavailable'))
  auth.events.on('store.available', () => storeEvents.push('available'))

  const credentials = await createApplication(auth, ['orders', 'catalog'])
  // One after another: a burst of changes could exceed the store's time-outs on a busy machine.
  const uncached: { readonly clientId: string }[] = []
  for (let i = 0; i < count; i++) uncached.push(await createApplication(auth, ['catalog']))
  const unknown = createCredentials('epa', randomBytes(32))

  const ask = (path: string, init: RequestInit) => fetchAnswer(`http://127.0.0.1:${port}${path}`, init)
  const askWithKey = (key: string) => ask('/catalog/items', { headers: { 'X-Api-Key': key } })
  const createForm = (): URLSearchParams => new URLSearchParams(createTokenForm(credentials))
  const requestToken = () => ask('/orders/token', { method: 'POST', body: createForm() })
  const { access_token: token } = JSON.parse((await requestToken()).text) as { access_token: string }
  const askCached = () =>
    Promise.all([
      ask('/orders/items', { headers: { Authorization: `Bearer ${token}` } }),
      askWithKey(credentials.clientId),
    ])
  for (const { status } of await askCached()) expect(status).toBe(200)

  return {
    ...made,
    storeEvents,
    credentials,
    askCached,
    askUncached: async () => askWithKey(uncached.pop()!.clientId),
    askUnknownKey: () => askWithKey(unknown.mint('key', 1).plain),
    requestToken,
    async health() {
      const startedAt = performance.now()
      const { ok, problems } = await auth.health()
      return { ok, problems: problems.join(' '), ms: performance.now() - startedAt }
    },
  }
}

/** An answer, which during an outage may only be 200, a complete 503, or 401 for an unknown API key. */
async function fetchAnswer(url: string, init: RequestInit): Promise<Answer & { readonly text: string }> {
  const startedAt = performance.now()
  const response = await fetch(url, init)
  const text = await response.text()
  const ms = performance.now() - startedAt
  const { status, headers } = response
  if (status === 503) {
    expect(JSON.parse(text)).toMatchObject({ error: 'temporarily_unavailable' })
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  } else if (status !== 200) expect({ status, text }).toMatchObject({ status: 401, text: /invalid_api_key/ })
  return { status, ms, text }
}

/** Milliseconds until no request is answered with 503 any more. */
export async function measureRecovery(host: OutageHost, timeout = 60_000): Promise<number> {
  const hasRecovered = async (): Promise<boolean> => {
    const answers = await Promise.all([host.askCached(), host.askUnknownKey(), host.requestToken()])
    return answers.flat().every(({ status }) => status !== 503)
  }
  return waitUntil(hasRecovered, { timeout, interval: 20 })
}

/** The 90th percentile of the answer times with cached credentials, in milliseconds. */
export async function measureCachedAnswers(host: OutageHost, milliseconds: number): Promise<number> {
  const times: number[] = []
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    for (const { status, ms } of await host.askCached()) {
      expect(status).toBe(200)
      times.push(ms)
    }
    await sleep(10)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.9)]!
}

/** A platform with a `maxStaleness` of a second, on a database of its own behind a TCP proxy. */
export async function openProxiedHost(atEnd: AtEnd, config: PoolConfig = {}, options: OutageHostOptions = {}) {
  // Concurrent tests set up one after another, so that they do not exceed the store's time-outs on a busy machine.
  const opening = lastOpening.then(() => openHostBehindProxy(atEnd, config, options))
  lastOpening = opening.catch(() => undefined)
  return opening
}

let lastOpening: Promise<unknown> = Promise.resolve()

async function openHostBehindProxy(atEnd: AtEnd, config: PoolConfig, options: OutageHostOptions) {
  const database = await freshDatabase()
  atEnd(database.remove)
  const proxy = await startTcpProxy(database.url)
  atEnd(proxy.end)
  const pool = new Pool({ connectionString: proxy.url, ...config })
  atEnd(() => pool.end())
  atEnd(proxy.forward)
  const host = await openOutageHost(atEnd, postgresStore({ pool }), { maxStaleness: 1, ...options })
  // The pool has open connections, as in a process that has been busy.
  await Promise.all(Array.from({ length: 6 }, () => host.askUnknownKey()))
  return { host, proxy, pool, database }
}

/** Matches that many answers with that status. */
export function answersWith(status: number, count = 2): object[] {
  return Array.from({ length: count }, () => expect.objectContaining({ status }) as object)
}
