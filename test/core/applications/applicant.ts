import express from 'express'
import { expect, vi, type TestContext } from 'vitest'
import { memoryStore, type IssuedCredentials, type PlatformEvent } from '../../../src/index.js'
import { type Mailer } from '../../../src/features/emails/index.js'
import type { QueuedEmail, StoreWith } from '../../../src/store.js'
import { smtpMailer } from '../../../src/features/emails/smtp.js'
import { DATABASES } from '../../support/databases.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'
import { readMail, startMailServer, transportTo, type MailServer, type ReceivedMail } from '../../support/smtp.js'
import { request } from '../../support/request.js'

/** APIs with every kind of `registration`. */
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

/** The credentials in an e-mail; empty where it has none. */
export interface ReceivedCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

export type Provider = ReturnType<typeof openProvider>

/** What a concurrent test cleans up with. */
export type Test = Pick<TestContext, 'onTestFinished'>

/** One database of each kind, and a function that opens it as each process does for itself. */
export const BACKINGS: Readonly<Record<string, (test: Test) => Promise<() => StoreWith>>> = {
  async memory() {
    const store = memoryStore()
    return () => store
  },
  SQLite: async (test) => (await DATABASES.SQLite(test)).open,
  PostgreSQL: async (test) => (await DATABASES.PostgreSQL(test)).open,
}

/** A platform and its app, on a clock that tests advance. Closed when the test is over. */
export function openProvider({ onTestFinished }: Test, options: TestOptions = {}) {
  const store = options.store ?? memoryStore()
  const { watched, nextDueEmail } = watchLeases(store)
  const { auth, clock, logger } = openPlatform({
    developersUrl: 'https://example.com/developers',
    rateLimits: { failedAuthentication: false },
    ...options,
    store: watched,
    apis: APIS,
  })
  onTestFinished(() => auth.close())
  const app = express().disable('x-powered-by').use(auth.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json({}))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json({}))
  app.get('/weather/now', auth.requireApiKey('weather'), (_req, res) => void res.json({}))
  if (options.mailer) app.use('/developers/register', auth.registration.router, auth.emails.router)

  const events: PlatformEvent[] = []
  for (const type of EVENT_TYPES) auth.events.on(type, (event: PlatformEvent) => void events.push(event))

  return {
    auth,
    app,
    clock,
    logger,
    store,
    events,
    nextDueEmail,
    /** The types of an application's events, without `application.`. */
    listEvents: (id: string) =>
      events.filter(({ applicationId }) => applicationId === id).map(({ type }) => type.slice('application.'.length)),
    async register(apis: readonly (keyof typeof APIS)[] = ['orders', 'catalog'], contact = 'dev@customer.example') {
      const { application } = await auth.registration.register({ name: 'Shop', contact, apis })
      return application
    },
    /** An application that an operator creates, with its first credentials. */
    async create(apis: readonly (keyof typeof APIS)[] = ['orders', 'catalog'], contact = 'dev@customer.example') {
      const { application, credentials } = await auth.applications.create({ name: 'Shop', contact, apis })
      return { application, id: application.id, credentials: credentials as ReceivedCredentials }
    },
    /** Asks for what the claim link in a text shows, or a token alone. */
    async reveal(shown: string) {
      const token = /\/register\/claim#([\w-]{43})\b/.exec(shown)?.[1] ?? shown
      const { status, body, text } = await request(app).post('/developers/register/claim').send({ token })
      const { client_id: clientId = '', client_secret: clientSecret = '' } = body as Record<string, string>
      return { status, text, clientId, clientSecret, members: Object.keys(body as object) }
    },
    findRecord: async (id: string) => (await store.findApplication(id))!,
    listEmails: (id: string): Promise<readonly QueuedEmail[]> =>
      store.emails.list({ applicationId: id, state: undefined, limit: 100 }),
    getStatus: async (id: string) => (await auth.applications.get(id))?.status,
    /** The status that the token endpoint answers. */
    async tokenStatus({ clientId, clientSecret }: ReceivedCredentials, api = 'orders') {
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
      return (await request(app).post(`/${api}/token`).type('form').send(form)).status
    },
    /** The status that a key guard answers. */
    async keyStatus({ clientId }: Pick<ReceivedCredentials, 'clientId'>, path = '/catalog/items') {
      return (await request(app).get(path).set('X-Api-Key', clientId)).status
    },
  }
}

/** The store, and what the platform's worker finds there. */
function watchLeases(store: StoreWith) {
  const waiting: ((found: QueuedEmail | undefined) => void)[] = []
  const lease: StoreWith['emails']['lease'] = async (now, until) => {
    const callbacks = waiting.splice(0)
    const found = await store.emails.lease(now, until)
    for (const callback of callbacks) callback(found)
    return found
  }
  return {
    watched: Object.create(store, { emails: { value: { ...store.emails, lease } } }) as StoreWith,
    /** What the worker finds when it looks for a due e-mail next; undefined if none is due. */
    nextDueEmail: () => new Promise<QueuedEmail | undefined>((resolve) => void waiting.push(resolve)),
  }
}

const EVENT_TYPES = [
  'application.registered',
  'application.approved',
  'application.activated',
  'application.delivered',
  'application.deliveryFailed',
  'application.updated',
  'application.suspended',
  'application.resumed',
  'application.deleted',
  'application.accessChanged',
  'application.credentialRotated',
  'application.tokensRevoked',
] as const

/** A platform that sends e-mails through a mail server of its own. */
export async function openMailingProvider(
  test: Test,
  options: TestOptions = {},
  transportOptions: object = {},
): Promise<Provider & { server: MailServer; isSending: () => boolean }> {
  const server = await startMailServer()
  test.onTestFinished(() => server.close())
  const transport = transportTo(server, transportOptions)
  const { send } = smtpMailer({ transport, from: 'developers@example.com' })
  let sending = 0
  const mailer: Mailer = {
    async send(email) {
      sending += 1
      await send(email).finally(() => (sending -= 1))
    },
  }
  return { ...openProvider(test, { mailer, ...options }), server, isSending: () => sending > 0 }
}

export const KEY = /\bepa_key_[A-Za-z0-9]{34}\b/
export const SECRET_VALUE = /\bepa_sec_[A-Za-z0-9]{49}\b/

export function readCredentials({ text }: { readonly text: string }): ReceivedCredentials {
  return { clientId: KEY.exec(text)?.[0] ?? '', clientSecret: SECRET_VALUE.exec(text)?.[0] ?? '' }
}

export async function readMailedCredentials(mail: ReceivedMail | undefined): Promise<ReceivedCredentials> {
  const { text = '' } = mail ? await readMail(mail) : {}
  return readCredentials({ text })
}

/** For `expect.poll()`: as long as a busy machine may take. */
export const POLL_OPTIONS = { timeout: 60_000, interval: 20 }

/** Waits until that many e-mails have arrived; fails if there are more. */
export async function waitForEmails(emails: readonly unknown[], count: number): Promise<void> {
  await vi.waitFor(() => expect(emails.length).toBe(count), { timeout: 60_000, interval: 10 })
}

/** Waits until that many attempts to send the application's e-mail have ended. */
export async function waitForAttempts({ listEmails }: Provider, id: string, attempts: number): Promise<QueuedEmail> {
  const haveEnded = async (): Promise<void> => {
    const [email] = await listEmails(id)
    expect([email?.attemptCount, email?.leasedUntil]).toEqual([attempts, 0])
  }
  await vi.waitFor(haveEnded, { timeout: 60_000, interval: 10 })
  return (await listEmails(id))[0]!
}

/** Neither a plain credential, nor the part of it after its public prefix. */
export function expectNoCredentials(credentials: Partial<IssuedCredentials>, shown: unknown): void {
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown)
  for (const credential of Object.values(credentials)) {
    if (credential !== '') expect(text).not.toContain(credential.slice(12))
  }
}
