import { inspect } from 'node:util'
import { trace } from '@opentelemetry/api'
import express, { type Request } from 'express'
import type supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore, type EventType, type Logger, type PlatformEvent } from '../src/index.js'
import { type EmailMessage, type Mailer } from '../src/features/emails/index.js'
import type { StoreWith } from '../src/store.js'
import { observe } from '../src/tools/opentelemetry/index.js'
import { fakeClock } from '../src/tools/testing/index.js'
import { createCaller } from './support/caller.js'
import { EVENT_MEMBERS, EVENT_TYPES, listCausedBy } from './support/event-types.js'
import { openPlatform, SECRET } from './support/platform.js'
import { connectRedis, startRedis, type RedisServer } from './support/redis.js'
import { createMeters, createTracers, installContextManager, resetTelemetry, traced } from './support/telemetry.js'
import { waitUntil } from './support/wait-until.js'
import { request } from './support/request.js'

const APIS = {
  orders: { scheme: 'oauth2', title: 'Orders', scopes: { 'orders:read': 'Read orders' }, registration: 'automatic' },
  catalog: { scheme: 'apiKey', title: 'Catalog' },
  weather: { scheme: 'apiKey', title: 'Weather', registration: 'manual' },
} as const

const ORIGIN = 'https://api.example.com'
const REDIS_PASSWORD = 'the-password-of-redis'
/** A secret where a host, an operator, a contact or a caller can put a text of their own. */
const MISPLACED = 'epa_sec_misplacedMISPLACEDmisplacedMISPLACEDmisplaced1234'

describe.each(['inline', 'claim-link'] as const)('With e-mails and outages, and delivery %s', (delivery) => {
  const clock = fakeClock()
  const { provider: tracerProvider, exporter } = createTracers()
  const { provider: meterProvider, series } = createMeters()
  const events: PlatformEvent[] = []
  const logs: string[] = []
  /** What must not be found, by what it is. */
  const secrets = new Map<string, string>([
    [MISPLACED, 'a misplaced secret'],
    [REDIS_PASSWORD, "Redis's password"],
    [SECRET, 'the secret'],
  ])
  let metrics: string
  let server: RedisServer
  let close: () => Promise<void>

  const count = (type: EventType): number => events.filter((event) => event.type === type).length
  const happened = async (type: EventType, times = 1): Promise<void> => {
    await waitUntil(() => count(type) >= times, { timeout: 60_000 }).catch((cause: unknown) => {
      throw new Error(`${type} has not happened.`, { cause })
    })
  }

  beforeAll(async () => {
    // In tests refusals are not logged.
    vi.stubEnv('NODE_ENV', 'development')
    installContextManager()
    trace.setGlobalTracerProvider(tracerProvider)
    server = await startRedis(REDIS_PASSWORD)
    const redis = connectRedis(server.url)
    const { mailer, emails, setMailServer } = createMailServer(secrets)
    const { store, setClockAhead, setFull } = createFaultyStore(clock.now)
    const keep = (...line: unknown[]): void => void logs.push(show(line))
    const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep }
    const { auth } = openPlatform({
      apis: APIS,
      store,
      mailer,
      logger,
      delivery,
      now: clock.now,
      developersUrl: `${ORIGIN}/developers`,
      operators: ['ops@example.com'],
      rateLimits: { requests: { limit: 1000, window: 60 }, registration: { limit: 1000, window: 60 }, redis },
    })
    close = async () => {
      await auth.close()
      redis.disconnect()
      await server.end()
    }
    for (const type of EVENT_TYPES) auth.events.on(type, (event) => void events.push(event))
    observe(auth, { tracerProvider, meterProvider, perApplication: true })
    await auth.ready()
    const app = express()
      .set('trust proxy', true)
      .use(traced, (req, _res, next) =>
        next(void ((req as Request & { id?: unknown }).id = req.headers['x-request-id'])),
      )
      .use(auth.router)
      .use('/developers/register', auth.registration.router, auth.emails.router)
      .use('/developers/applications', auth.portal.router)
    app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
    app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
    const caller = createCaller({ app })
    const { applications } = auth
    const by = MISPLACED
    const contact = 'dev@shop.example'

    /** Puts a secret into every header that may become part of an event. */
    const post = (path: string, fields: object, secret = MISPLACED): supertest.Test =>
      request(app)
        .post(`/developers/${path}`)
        .set({ Origin: ORIGIN, 'X-Request-Id': secret, 'X-Forwarded-For': secret, 'User-Agent': secret })
        .send(fields)
    /** Sends a form of the portal, as a browser does. */
    const submit = async (path: string, fields: object, secret: string, status: number): Promise<void> => {
      const page = await request(app).get('/developers/applications/sign-in')
      const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.text) ?? []
      const answer = await post(`applications/${path}`, { ...fields, csrf }, secret)
        .type('form')
        .set('Cookie', readCookie(page))
        .expect(status)
      secrets.set(csrf, 'a token of a form').set(readCookie(page).replace(/^.*?=/, ''), 'a cookie')
      if (status === 303) secrets.set(readCookie(answer).replace(/^.*?=/, ''), 'a session')
    }
    const register = async (apis: readonly (keyof typeof APIS)[]): Promise<string> => {
      const externalId = `${MISPLACED}-${Math.random()}`
      const data = { name: MISPLACED, contact, apis, metadata: { note: MISPLACED }, externalId, by }
      return (await auth.registration.register(data)).application.id
    }
    const token = async (to: string, link: RegExp): Promise<string> => {
      const find = (): string | undefined =>
        emails.findLast((email) => email.to === to && link.test(email.text))?.text.match(link)?.[1]
      await waitUntil(() => find() !== undefined)
      return find()!
    }

    // Registrations: approved on the operators' page, sent, claimed and denied.
    await register(['weather'])
    const decision = await token('ops@example.com', /\/decide#(\S+)/)
    await post('register/decide', { link: decision, decision: 'approve' }, decision).type('form').expect(200)
    await happened('application.approved')
    await happened('application.delivered')
    if (delivery === 'claim-link') {
      const link = await token(contact, /\/claim#(\S+)/)
      const claimed = await post('register/claim', { token: link }, link).expect(200)
      secrets.set((claimed.body as { client_id: string }).client_id, 'a claimed credential')
    }
    await happened('application.activated')
    await post('register', {
      name: MISPLACED,
      contact: MISPLACED,
      apis: [MISPLACED],
      language: MISPLACED,
      metadata: MISPLACED,
    }).expect(400)
    await post('register', { name: MISPLACED, contact, apis: ['weather'] }).expect(202)
    await applications.deny(await register(['weather']), { reason: MISPLACED, by })

    // An application, its credentials' names, and what its contacts ask for.
    const { application, credentials } = await applications.create({
      name: MISPLACED,
      contact,
      apis: ['orders', 'catalog'],
      by,
    })
    for (const each of Object.values(credentials as object))
      if (each !== undefined) secrets.set(String(each), 'a credential')
    const { id } = application
    const added = await applications.addSecret(id, { name: MISPLACED, by })
    secrets.set(added.credentials.clientSecret, 'an added secret')
    await applications.updateCredential(id, added.credential.id, { name: `${MISPLACED} 2`, by })
    await auth.registration.requestAccess(id, { api: 'weather', by })
    await happened('application.accessRequested')
    await applications.deny(id, { api: 'weather', reason: MISPLACED, by })
    await auth.registration.requestAccess(id, { api: 'weather', by })
    await applications.approve(id, { api: 'weather', by })
    await auth.portal.invite(id, 'ann@shop.example', { by })
    const invitation = await token('ann@shop.example', /\/invitation#(\S+)/)
    await submit('invitation', { token: invitation }, invitation, 200)
    await submit('sign-in', { contact }, MISPLACED, 202)
    const signIn = await token(contact, /\/sign-in#(\S+)/)
    await submit('sign-in/link', { token: signIn }, signIn, 303)
    await submit('sign-in', { contact: MISPLACED }, MISPLACED, 400)
    await applications.rotateKey(id, { deliver: 'email', overlap: 60, by })
    const accessToken = await caller.accessToken('orders', credentials)
    secrets.set(accessToken, 'an access token')
    await caller.bearer('/orders/items', accessToken).set('X-Request-Id', accessToken).expect(200)

    // Wrong parameters.
    const wrong = MISPLACED as never
    const calls = [
      () => applications.get(wrong),
      () => applications.suspend(wrong, { reason: MISPLACED, by }),
      () => applications.approve(id, { api: wrong, by }),
      () => applications.allow(id, 'orders', { scopes: [MISPLACED], by }),
      () => applications.create({ name: MISPLACED, contact: MISPLACED, apis: [wrong], by }),
      () => applications.addKey(id, { name: MISPLACED, apis: [wrong], by }),
      () => applications.update(id, { metadata: wrong, language: wrong, externalId: MISPLACED.repeat(9), by }),
      () => applications.list({ after: MISPLACED, api: wrong }),
      () => auth.verifyAccessToken('orders', MISPLACED),
      () => auth.verifyApiKey(wrong, MISPLACED),
      () => auth.emails.retry(wrong),
    ]
    for (const call of calls)
      await Promise.resolve()
        .then<unknown>(call)
        .catch(() => undefined)
    for (const more of [
      { scope: MISPLACED },
      { resource: MISPLACED },
      { grant_type: MISPLACED },
      { client_id: MISPLACED },
    ])
      await caller.token('orders', credentials, more).set('X-Request-Id', MISPLACED)
    await caller.revoke('orders', credentials, MISPLACED)
    await caller.key(`/catalog/items?key=${MISPLACED}`, MISPLACED).set('X-Request-Id', MISPLACED).expect(401)
    await caller.bearer('/orders/items', MISPLACED).set('X-Forwarded-For', MISPLACED).expect(401)

    // The mail server refuses e-mails, then answers to none, and repeats each in its errors.
    setMailServer('refuses')
    await register(['catalog', 'orders'])
    await happened('application.deliveryFailed')
    await submit('sign-in', { contact }, MISPLACED, 202)
    await waitUntil(() => logs.some((line) => line.includes('A sign-in e-mail was not sent')))
    setMailServer('hangs up')
    while (count('mail.unavailable') === 0) {
      const attempted = logs.filter((line) => line.includes('It will be retried')).length
      await register(['catalog', 'orders'])
      await waitUntil(() => logs.filter((line) => line.includes('It will be retried')).length > attempted)
      clock.advance(6)
    }
    setMailServer('accepts')
    await register(['catalog'])
    await happened('mail.available')

    // The clock deviates, the store is full, and Redis fails in two ways.
    setClockAhead(90)
    await happened('clock.deviates')
    setClockAhead(0)
    await happened('clock.agrees')
    setFull(true)
    await applications.suspend(id, { reason: MISPLACED, by }).catch(() => undefined)
    await happened('store.writesRejected')
    setFull(false)
    await applications.suspend(id, { reason: MISPLACED, notify: true, by })
    await happened('store.writesAccepted')
    await applications.resume(id, { by })
    const callApi = (): supertest.Test =>
      caller.key('/catalog/items', credentials.clientId).set('X-Request-Id', credentials.clientId)
    const admin = connectRedis(server.url)
    await admin.config('SET', 'maxmemory', '1')
    await callApi()
    await happened('limits.unavailable')
    await admin.config('SET', 'maxmemory', '0')
    await happened('limits.available')
    admin.disconnect()
    await server.kill()
    await callApi()
    await happened('limits.unavailable', 2)
    await server.start()
    await happened('limits.available', 2)
    metrics = show(await series())
  })
  afterAll(async () => {
    resetTelemetry()
    vi.unstubAllEnvs()
    await close()
  })

  it('every event happens that calls and requests alone do not cause', () => {
    expect(listCausedBy('outages').filter((type) => count(type) === 0)).toEqual([])
  })

  it('there are secrets of every kind', () => {
    expect([...new Set(secrets.values())].toSorted()).toEqual(
      [
        'a cookie',
        'a credential',
        'a link to decide',
        'a link to invitation',
        'a link to sign-in',
        'a misplaced secret',
        'a session',
        'a token of a form',
        'an access token',
        'an added secret',
        "Redis's password",
        'the secret',
        delivery === 'inline' ? 'an e-mailed credential' : 'a link to claim',
        ...(delivery === 'inline' ? [] : ['a claimed credential']),
      ].toSorted(),
    )
    expect(logs.length).toBeGreaterThan(15)
    // The search finds a text that is there, and a part of it.
    for (const secret of secrets.keys()) expect(find(`before ${secret} after`).length).toBeGreaterThan(0)
  })

  it.each([
    ['event', () => events.map(show)],
    ['log line', () => logs],
    [
      'span',
      () =>
        exporter
          .getFinishedSpans()
          .map(({ name, attributes, status, events: more, links }) => show({ name, attributes, status, more, links })),
    ],
    ['metric', () => [metrics]],
  ])('no %s holds a secret, a credential or the token of a link', (_, list) => {
    const texts = list()
    expect(texts.length).toBeGreaterThan(0)
    for (const text of texts) expect(find(text), text).toEqual([])
  })

  it('no event has undocumented members', () => {
    for (const event of events) expect(EVENT_MEMBERS).toEqual(expect.arrayContaining(Object.keys(event)))
  })

  /** The kinds of secrets that a text holds. */
  function find(text: string): string[] {
    return [...secrets].filter(([secret]) => text.includes(withoutPrefix(secret))).map(([, what]) => what)
  }
})

/** Events may show the first 12 characters of a key. */
function withoutPrefix(secret: string): string {
  return secret.startsWith('epa_') ? secret.slice(12) : secret
}

/** The secret of a link, whose token may begin with what it is about, and end with what it does. */
function readSecret(token: string): string {
  return token.split('.').findLast((part) => part.length >= 20)!
}

function readCookie({ headers }: supertest.Response): string {
  return String((headers as Record<string, unknown>)['set-cookie']).split(';', 1)[0]!
}

function show(value: unknown): string {
  return inspect(value, { depth: 9, showHidden: true, maxStringLength: null, maxArrayLength: null })
}

/** A mail server whose errors repeat the e-mail. Adds the secrets in all e-mails, those that were not accepted too. */
function createMailServer(secrets: Map<string, string>) {
  let state: 'accepts' | 'refuses' | 'hangs up' = 'accepts'
  const emails: EmailMessage[] = []
  const mailer: Mailer = {
    async send(email) {
      const found = [
        ...[...email.text.matchAll(/\bepa_(?:key|sec)_\w{30,}/g)].map(
          ([credential]) => [credential, 'an e-mailed credential'] as const,
        ),
        ...[...email.text.matchAll(/\/([\w-]+)#(\S{20,})/g)].map(
          ([, page, token]) => [readSecret(token!), `a link to ${page}`] as const,
        ),
      ].filter(([secret]) => secret !== MISPLACED)
      for (const [secret, what] of found) secrets.set(secret, what)
      if (state === 'accepts') return void emails.push(email)
      const quoted = `${email.subject} ${email.text} ${email.html}`
      const [[code] = ['ECONNECTION']] = found
      const details = {
        command: quoted,
        response: `550 ${quoted}`,
        cause: new Error(quoted),
        rejected: [quoted],
        name: code,
      }
      if (state === 'refuses') throw Object.assign(new Error(quoted), details, { permanent: true, code })
      throw Object.assign(new Error(quoted), details, { code: 'ECONNECTION' })
    },
  }
  return { mailer, emails, setMailServer: (next: typeof state) => void (state = next) }
}

/** A store that can be full, or on a server whose clock is wrong. */
function createFaultyStore(now: () => number) {
  const working = memoryStore()
  let isFull = false
  let ahead = 0
  const store: StoreWith = {
    ...working,
    clock: {
      get time() {
        return now() - ahead
      },
    },
    async saveApplication(...args) {
      if (isFull) throw Object.assign(new Error('No space left on device'), { code: 'ENOSPC' })
      return working.saveApplication(...args)
    },
  }
  return {
    store,
    setFull: (value: boolean) => void (isFull = value),
    setClockAhead: (seconds: number) => void (ahead = seconds * 1000),
  }
}
