import express from 'express'
import serverless from 'serverless-http'
import { expect, describe, it, onTestFinished, vi } from 'vitest'
import type { Mailer } from '../../../src/shared/contracts/composed-email.js'
import { createPlatformAuth } from '../../../src/index.js'
import { emails } from '../../../src/features/emails/index.js'
import { plans } from '../../../src/features/plans/index.js'
import { usage } from '../../../src/features/usage/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { failingStore } from '../../support/failing-store.js'
import { APIS, recordingLogger, SECRET, STORES } from '../../support/platform.js'
import { timeBound } from '../../support/time-bound.js'

type Store = Awaited<ReturnType<(typeof STORES)['memory']>>['store']

/** A process that no timer wakes once it is ready, as a frozen one, and that is removed without `close()`. */
async function openFunction(store: Store, mailer: Mailer, background: false | undefined) {
  const logger = recordingLogger()
  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    apis: APIS,
    secret: SECRET,
    store: { ...store, close: async () => undefined },
    logger,
    ...(background === false && { background }),
    features: [
      emails({ mailer }),
      plans({ free: { requests: [{ limit: 5, per: 'month', soft: true }] } }, { notify: true }),
      usage(),
    ],
  })
  onTestFinished(() => auth.close())
  await auth.ready()
  const app = express().get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  return { auth, logger, handle: serverless(app) }
}

const EVENTS = {
  v1: (key: string) => ({
    httpMethod: 'GET',
    path: '/catalog/items',
    headers: { 'X-Api-Key': key, Host: 'api.example.com' },
    requestContext: {},
  }),
  v2: (key: string) => ({
    version: '2.0',
    rawPath: '/catalog/items',
    rawQueryString: '',
    headers: { 'x-api-key': key, host: 'api.example.com' },
    requestContext: { http: { method: 'GET', path: '/catalog/items', sourceIp: '192.0.2.1' } },
  }),
}

async function openStore(name: 'memory' | 'SQLite'): Promise<Store> {
  const { store, remove } = await STORES[name]()
  onTestFinished(async () => {
    await store.close()
    await remove()
  })
  return store
}

/** Stops all timers, as between the invocations of a frozen process. */
function freeze(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** They do not depend on each other: each is in one of them. */
const VARIANTS = [
  { store: 'memory', event: 'v1', background: undefined },
  { store: 'SQLite', event: 'v2', background: false },
] as const

describe.each(VARIANTS)('a frozen process ($store, events $event, background $background)', (variant) => {
  it.each([true, false])('keeps usage, quotas, lastUsedAt and e-mails with flush() only: %s', async (flushes) => {
    const store = await openStore(variant.store)
    const mailer = memoryMailer()
    const { auth, handle, logger } = await openFunction(store, mailer, variant.background)
    const { application, credentials } = await auth.applications.create({
      name: 'Shop',
      contact: 'dev@shop.example',
      apis: ['catalog'],
    })
    await auth.plans.set(application.id, 'free')
    freeze()
    for (let call = 0; call < 4; call++) {
      expect(await handle(EVENTS[variant.event](credentials.clientId), {})).toMatchObject({ statusCode: 200 })
      if (flushes) await auth.flush()
    }
    const mails = mailer.emails.map(({ subject }) => subject)
    vi.useRealTimers()

    const { auth: other } = await openFunction(store, memoryMailer(), false)
    const { items } = await other.usage.list({ applicationId: application.id })
    const { quotas } = await other.plans.usage(application.id)
    const [key] = (await store.findApplication(application.id))!.keys
    expect({
      allowed: items.map(({ allowed }) => allowed),
      used: quotas.map(({ used }) => used),
      isKeyUsed: key!.lastUsedAt !== undefined,
      mails: mails.length,
    }).toEqual(
      flushes
        ? { allowed: [4], used: [4], isKeyUsed: true, mails: 1 }
        : { allowed: [], used: [0], isKeyUsed: false, mails: 0 },
    )
    expect(logger.lines.filter((line) => line.includes('flush()'))).toEqual([])
  })
})

/** Its e-mail has the new credentials. */
async function createWithEmail(auth: Awaited<ReturnType<typeof openFunction>>['auth']): Promise<void> {
  const contact = 'dev@shop.example'
  const { application } = await auth.applications.create({ name: 'Shop', contact, apis: ['catalog'] })
  await auth.applications.recover(application.id, { contact, deliver: 'email' })
}

describe('flush()', () => {
  it('sends all e-mails that are due, however many, with background: false', async () => {
    const mailer = memoryMailer()
    const { auth } = await openFunction(await openStore('memory'), mailer, false)
    for (let nth = 0; nth < 10; nth++) await createWithEmail(auth)
    expect(mailer.emails).toHaveLength(0)
    freeze()
    await auth.flush()
    expect(mailer.emails).toHaveLength(10)
  })

  it('resolves in its bound, and says so, while the mailer hangs; what is to be stored is stored', async () => {
    const store = await openStore('memory')
    let release!: () => void
    const released = new Promise<void>((resolve) => (release = resolve))
    const mailer: Mailer = { send: () => released }
    const { auth, handle, logger } = await openFunction(store, mailer, false)
    onTestFinished(() => release())
    await createWithEmail(auth)
    const { application, credentials } = await auth.applications.create({ name: 'Bakery', apis: ['catalog'] })
    const first = auth.flush()
    await handle(EVENTS.v2(credentials.clientId), {})
    const started = performance.now()
    await Promise.all([first, auth.flush()])
    expect(performance.now() - started).toBeLessThan(timeBound(6000))
    expect(logger.lines.filter((line) => line.includes('flush() has not stored and sent everything'))).toHaveLength(2)
    const { auth: other } = await openFunction(store, memoryMailer(), false)
    expect((await other.usage.list({ applicationId: application.id })).items).toMatchObject([{ allowed: 1 }])
  }, 60_000)

  it('resolves in its bound, and says so, while the store hangs; the next call stores all of it', async () => {
    const failing = failingStore(await openStore('memory'))
    const { auth, handle, logger } = await openFunction(failing, memoryMailer(), false)
    const { application, credentials } = await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    await handle(EVENTS.v1(credentials.clientId), {})
    failing.holdUntil(new Promise(() => undefined))
    const started = performance.now()
    await auth.flush()
    expect(performance.now() - started).toBeLessThan(timeBound(6000))
    expect(logger.lines.join('\n')).toContain('flush() has not stored and sent everything')
    failing.recover()
    await expect
      .poll(
        async () => {
          await auth.flush()
          return (await auth.usage.list({ applicationId: application.id })).items
        },
        { timeout: 20_000 },
      )
      .toMatchObject([{ allowed: 1 }])
  }, 60_000)

  it('does nothing before the start and after close()', async () => {
    const logger = recordingLogger()
    const auth = createPlatformAuth({
      baseUrl: 'https://api.example.com',
      apis: APIS,
      secret: SECRET,
      store: await openStore('memory'),
      logger,
    })
    await auth.flush()
    await auth.ready()
    await auth.close()
    await auth.flush()
    expect(logger.lines).toEqual([])
  })
})
