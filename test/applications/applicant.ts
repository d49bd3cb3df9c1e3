import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { Pool } from 'pg'
import request from 'supertest'
import { expect, vi, type TestContext } from 'vitest'
import {
  createPlatformAuth,
  memoryStore,
  type QueuedEmail,
  type PlatformAuthOptions,
  type PlatformEvent,
  type Store,
} from '../../src/index.js'
import { smtpMailer } from '../../src/mailers/smtp.js'
import { postgresStore } from '../../src/stores/postgres/index.js'
import { sqliteStore } from '../../src/stores/sqlite/index.js'
import { fakeClock } from '../../src/testing/index.js'
import { freshDatabase } from '../support/postgres.js'
import { recordingLogger, SECRET } from '../support/platform.js'
import { readMail, startMailServer, transportTo, type MailServer, type ReceivedMail } from '../support/smtp.js'

/** APIs of every kind of registration. */
export const APIS = {
  orders: {
    scheme: 'oauth2',
    title: 'Orders',
    scopes: { 'orders:read': 'Read orders', 'orders:write': 'Change orders' },
    registration: 'automatic',
    registrationScopes: ['orders:read'],
  },
  invoices: { scheme: 'oauth2', title: 'Invoices', scopes: { 'invoices:read': 'Read invoices' } },
  catalog: { scheme: 'apiKey', title: 'Catalog' },
  weather: { scheme: 'apiKey', title: 'Weather', registration: 'manual' },
  payroll: { scheme: 'apiKey', title: 'Payroll', registration: 'closed' },
} as const

/** What a email brought. */
export interface Brought {
  readonly clientId: string
  readonly clientSecret: string
}

export type Provider = ReturnType<typeof openProvider>

/** What a test that runs beside others is known by. */
export type Test = Pick<TestContext, 'onTestFinished'>

/** Ways to the same backing, as each process opens it for itself. */
export const BACKINGS: Readonly<Record<string, (test: Test) => Promise<() => Store>>> = {
  async memory() {
    const store = memoryStore()
    return () => store
  },
  async SQLite({ onTestFinished }) {
    const folder = await mkdtemp(join(tmpdir(), 'reseal-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    return () => sqliteStore(join(folder, 'platform.sqlite'))
  },
  async PostgreSQL({ onTestFinished }) {
    const { url, remove } = await freshDatabase()
    const pools: Pool[] = []
    onTestFinished(async () => {
      await Promise.all(pools.map((pool) => pool.end()))
      await remove()
    })
    return () => {
      const pool = new Pool({ connectionString: url, max: 3 })
      pools.push(pool)
      return postgresStore({ pool, listen: false })
    }
  },
}

/** A platform with its app, on a clock that tests advance, closed when the test is over. */
export function openProvider({ onTestFinished }: Test, options: Partial<PlatformAuthOptions> = {}) {
  const clock = fakeClock()
  const logger = recordingLogger()
  const store = options.store ?? memoryStore()
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    developersUrl: 'https://example.com/developers',
    secret: SECRET,
    logger,
    now: clock.now,
    rateLimits: { failedAuthentication: false },
    ...(options as object),
    store,
    apis: APIS,
  })
  onTestFinished(() => auth.close())
  const app = express().disable('x-powered-by').use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json({}))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
  app.get('/weather/now', auth.requireApiKey('weather'), (_req, res) => void res.json({}))

  const events: PlatformEvent[] = []
  for (const type of TYPES) auth.events.on(type, (event: PlatformEvent) => void events.push(event))

  return {
    auth,
    app,
    clock,
    logger,
    store,
    events,
    /** What has happened to an application, by name. */
    happened: (id: string) =>
      events.filter(({ applicationId }) => applicationId === id).map(({ type }) => type.slice(12)),
    async register(apis: readonly (keyof typeof APIS)[] = ['orders', 'catalog'], contact = 'dev@customer.example') {
      const { application } = await auth.applications.register({ name: 'Shop', contact, apis })
      return application
    },
    record: async (id: string) => (await store.findApplication(id))!,
    emailsOf: (id: string): Promise<readonly QueuedEmail[]> =>
      store.listEmails({ applicationId: id, state: undefined, limit: 100 }),
    statusOf: async (id: string) => (await auth.applications.get(id))?.status,
    /** What the token endpoint answers to key and secret. */
    async tokenStatus({ clientId, clientSecret }: Brought, api = 'orders') {
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
      return (await request(app).post(`/${api}/token`).type('form').send(form)).status
    },
    async keyStatus({ clientId }: Pick<Brought, 'clientId'>, path = '/catalog/items') {
      return (await request(app).get(path).set('X-Api-Key', clientId)).status
    },
  }
}

const TYPES = [
  'application.registered', 'application.approved', 'application.activated', 'application.delivered', 'application.deliveryFailed', 'application.updated',
  'application.suspended', 'application.resumed', 'application.deleted', 'application.accessChanged', 'application.credentialRotated', 'application.tokensRevoked',
] as const // prettier-ignore

/** A platform that mails through a server of its own. */
export async function openMailingProvider(
  test: Test,
  options: Partial<PlatformAuthOptions> = {},
): Promise<Provider & { server: MailServer }> {
  const server = await startMailServer()
  test.onTestFinished(() => server.close())
  // Enough for a busy machine: what is cut short here would be tried again only on a clock that stands still.
  const timeouts = { connectionTimeout: 1500, greetingTimeout: 1500, socketTimeout: 1500 }
  const mailer = smtpMailer({ transport: transportTo(server, timeouts), from: 'developers@example.com' })
  return { ...openProvider(test, { mailer, ...options }), server }
}

export const KEY = /\bepa_key_[A-Za-z0-9]{34}\b/
export const SECRET_VALUE = /\bepa_sec_[A-Za-z0-9]{49}\b/

/** Key and secret as a reader finds them in a email; empty where there are none. */
export function broughtBy({ text }: { readonly text: string }): Brought {
  return { clientId: KEY.exec(text)?.[0] ?? '', clientSecret: SECRET_VALUE.exec(text)?.[0] ?? '' }
}

export async function broughtByMail(mail: ReceivedMail | undefined): Promise<Brought> {
  const { text = '' } = mail ? await readMail(mail) : {}
  return broughtBy({ text })
}

/** For `expect.poll()`: as long as a busy machine may take. */
export const PATIENTLY = { timeout: 8000, interval: 20 }

/** Waits for that many letters, and no more than that. */
export async function emailsArrived(emails: readonly unknown[], count: number): Promise<void> {
  await vi.waitFor(() => expect(emails.length).toBe(count), { timeout: 8000, interval: 10 })
}

/** The email's record once that many attempts are over. */
export async function attemptsOver({ emailsOf }: Provider, id: string, attempts: number): Promise<QueuedEmail> {
  const over = async (): Promise<void> => {
    const [email] = await emailsOf(id)
    expect([email?.attemptCount, email?.leasedUntil]).toEqual([attempts, 0])
  }
  await vi.waitFor(over, { timeout: 8000, interval: 10 })
  return (await emailsOf(id))[0]!
}

/** No plain credential of these in what is shown, nor what is left of it without its public prefix. */
export function expectNoneOf(brought: Brought, shown: unknown): void {
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown)
  for (const credential of [brought.clientId, brought.clientSecret]) {
    if (credential !== '') expect(text).not.toContain(credential.slice(12))
  }
}
