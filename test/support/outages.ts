import { randomBytes } from 'node:crypto'
import express from 'express'
import { Pool, type PoolConfig } from 'pg'
import { expect } from 'vitest'
import { createCredentials } from '../../src/applications/credentials.js'
import type { PlatformAuthOptions, Store } from '../../src/index.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { createApplication, listen } from './http.js'
import { platform, type TestPlatform } from './platform.js'
import { freshDatabase } from './postgres.js'
import { tcpProxy } from './tcp-proxy.js'

/** Takes what is to be done when the test is over, last first. */
export type AtEnd = (end: () => void | Promise<void>) => void

/** What came back, and how long it took. */
export interface Timed {
  readonly status: number
  readonly ms: number
}

/** A platform on real time behind a real server, with everything that its callers ask. */
export interface OutageHost extends TestPlatform {
  /** By an access token and by a key that this process knows. */
  byMemory(): Promise<readonly Timed[]>
  /** By the key of an application that this process has not seen yet. */
  firstSight(): Promise<Timed>
  /** By a key that could be one. */
  byNobodysKey(): Promise<Timed>
  tokenRequest(): Promise<Timed>
  health(): Promise<{ readonly ok: boolean; readonly problems: string; readonly ms: number }>
  /** `store.unavailable` and `store.available`, in their order. */
  readonly told: string[]
  readonly credentials: { readonly clientId: string; readonly clientSecret: string; readonly id: string }
}

export async function openOutageHost(
  atEnd: AtEnd,
  store: Store,
  options: Partial<PlatformAuthOptions> & { readonly unseen?: number } = {},
): Promise<OutageHost> {
  const { unseen: many = 20, ...rest } = options
  const made = platform({ now: Date.now, rateLimits: { failedAuthentication: false }, ...rest, store })
  const { auth } = made
  const app = express().use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  const { port, close } = await listen(app)
  atEnd(close)
  atEnd(auth.close)
  await auth.ready()
  const told: string[] = []
  auth.events.on('store.unavailable', () => told.push('unavailable'))
  auth.events.on('store.available', () => told.push('available'))

  const credentials = await createApplication(auth, ['orders', 'catalog'])
  const unseen = await Promise.all(Array.from({ length: many }, () => createApplication(auth, ['catalog'])))
  const nobody = createCredentials('epa', randomBytes(32))

  async function ask(path: string, init: RequestInit): Promise<Timed & { readonly text: string }> {
    const since = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const text = await answer.text()
    const ms = performance.now() - since
    // Whatever befalls the store: nobody is refused for it, and nobody is told more than to come back.
    const { status, headers } = answer
    if (status === 503) {
      expect(JSON.parse(text)).toMatchObject({ error: 'temporarily_unavailable' })
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    } else if (status !== 200) expect({ status, text }).toMatchObject({ status: 401, text: /invalid_api_key/ })
    return { status, ms, text }
  }

  const byKey = (key: string) => ask('/catalog/items', { headers: { 'X-Api-Key': key } })
  const body = (): URLSearchParams =>
    new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
    })
  const requestToken = () => ask('/orders/token', { method: 'POST', body: body() })
  const { access_token: token } = JSON.parse((await requestToken()).text) as { access_token: string }
  const byMemory = () =>
    Promise.all([ask('/orders/items', { headers: { Authorization: `Bearer ${token}` } }), byKey(credentials.clientId)])
  for (const { status } of await byMemory()) expect(status).toBe(200)

  return {
    ...made,
    told,
    credentials,
    byMemory,
    firstSight: async () => byKey(unseen.pop()!.clientId),
    byNobodysKey: () => byKey(nobody.mint('key', 1).plain),
    tokenRequest: requestToken,
    async health() {
      const since = performance.now()
      const { ok, problems } = await auth.health()
      return { ok, problems: problems.join(' '), ms: performance.now() - since }
    },
  }
}

/** Milliseconds until everything is answered with 200 again. */
export async function recovery(host: OutageHost, enough = 20_000): Promise<number> {
  const since = performance.now()
  for (;;) {
    const answers = await Promise.all([host.byMemory(), host.byNobodysKey(), host.tokenRequest()])
    // Nobody is nobody only once the store has said so.
    if (answers.flat().every(({ status }) => status !== 503)) return performance.now() - since
    if (performance.now() - since > enough) throw new Error('The platform has not recovered.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Asks for what is in memory again and again for a while; in how many milliseconds nine of ten were answered. */
export async function answerTimeFromMemory(host: OutageHost, milliseconds: number): Promise<number> {
  const taken: number[] = []
  for (const end = performance.now() + milliseconds; performance.now() < end;) {
    for (const { status, ms } of await host.byMemory()) {
      expect(status).toBe(200)
      taken.push(ms)
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.9)]!
}

/** A database of its own behind a wire, and a platform on it that gives up what it knows after a second. */
export async function openWiredHost(
  atEnd: AtEnd,
  config: PoolConfig = {},
  options: Parameters<typeof openOutageHost>[2] = {},
) {
  const database = await freshDatabase()
  atEnd(database.remove)
  const wire = await tcpProxy(database.url)
  atEnd(wire.end)
  const pool = new Pool({ connectionString: wire.url, ...config })
  atEnd(() => pool.end())
  atEnd(wire.forward)
  const host = await openOutageHost(atEnd, postgresStore({ pool }), { maxStaleness: 1, ...options })
  // As in a process that has been busy: connections are there.
  await Promise.all(Array.from({ length: 6 }, () => host.byNobodysKey()))
  return { host, wire, pool, database }
}

/** So many answers with that status: what is in memory, mostly. */
export const all = (status: number, count = 2): object[] =>
  Array.from({ length: count }, () => expect.objectContaining({ status }) as object)

/** The store's five seconds, and what a busy machine adds. */
export const WAITED = 6500
