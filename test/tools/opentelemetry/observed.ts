import express, { type Express } from 'express'
import { expect, type TestContext } from 'vitest'
import { memoryStore, type PlatformEvent } from '../../../src/index.js'
import { RECORDINGS } from '../../../src/tools/opentelemetry/recordings.js'
import { type MemoryMailer } from '../../../src/tools/testing/index.js'
import { failingMailer, REFUSED_FOR_GOOD } from '../../support/failing-mailer.js'
import { createCaller, type Caller } from '../../support/caller.js'
import { failingStore, type FailingStore } from '../../support/failing-store.js'
import { openPlatform, type TestOptions, type TestPlatform } from '../../support/platform.js'
import { traced } from '../../support/telemetry.js'

/** A platform with its app, and controls for its store and mail server. */
export interface Observed extends TestPlatform {
  readonly app: Express
  readonly caller: Caller
  readonly store: FailingStore
  readonly mailer: MemoryMailer
  /** All events in order. */
  readonly events: PlatformEvent[]
  /** Makes the mailer reject every e-mail permanently, with a code that no e-mail contains. */
  refuseEmails(): void
  outage(): Promise<void>
}

export async function openObserved(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: TestOptions = {},
): Promise<Observed> {
  const store = failingStore(memoryStore())
  const mailer = failingMailer()
  const made = openPlatform({ mailer, ...options, store })
  const { auth } = made
  const events: PlatformEvent[] = []
  for (const type of Object.keys(RECORDINGS) as (keyof typeof RECORDINGS)[]) {
    auth.events.on(type, (event: PlatformEvent) => void events.push(event))
  }
  onTestFinished(async () => {
    store.recover()
    await auth.close()
  })
  await auth.ready()

  const app = express()
  app.use(traced, (req, _res, next) => {
    Object.assign(req, { id: req.headers['x-request-id'] })
    next()
  })
  app.use(auth.router).use('/register', auth.registration.router)
  app.get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
  app.get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
  app.get('/catalog/reported', auth.requireApiKey('catalog', { reportOnly: true }), (_req, res) => void res.json([]))
  return {
    ...made,
    app,
    caller: createCaller({ app }),
    store,
    mailer,
    events,
    refuseEmails: () => void (mailer.error = REFUSED_FOR_GOOD),
    async outage() {
      store.fail()
      await expect(auth.applications.list()).rejects.toThrow('unavailable')
      await new Promise((later) => setTimeout(later, 120))
      store.recover()
      await auth.applications.list()
    },
  }
}

/** The values of our series by `name{labels}`. */
export function readSeries(text: string): ReadonlyMap<string, number> {
  const lines = [...text.matchAll(/^(platform_auth_\w+(?:\{[^}]*\})?) (\S+)$/gm)]
  return new Map(lines.map(([, series = '', value = '']) => [series, Number(value)]))
}

export const NAME = 'Corner Shop'
export const CONTACT = 'dev@shop.example'

/** Causes every event; resolves credentials, names and addresses that must not appear anywhere. */
export async function makeAllHappen({ auth, caller, refuseEmails, outage, events }: Observed): Promise<string[]> {
  async function happened(type: PlatformEvent['type']): Promise<void> {
    await expect.poll(() => events.some((event) => event.type === type)).toBe(true)
  }
  const { application, credentials } = await auth.applications.create({
    name: NAME,
    contact: CONTACT,
    apis: ['orders', 'catalog'],
  })
  const { id } = application
  const accessToken = await caller.accessToken('orders', credentials)
  await caller.token('orders', { ...credentials, clientSecret: 'a wrong secret' }).expect(401)
  await caller.bearer('/orders/items', accessToken).expect(200)
  await caller.bearer('/orders/items', accessToken).expect(200)
  await caller.bearer('/orders/items', `${accessToken}x`).expect(401)
  await caller.key('/catalog/items', credentials.clientId).expect(200)
  await caller.key('/catalog/items', 'epa_key_guessed').expect(401)
  await caller.key('/catalog/reported', 'epa_key_guessed').expect(200)
  await caller.revoke('orders', credentials, accessToken).expect(200)

  await auth.applications.update(id, { name: `${NAME} 2` })
  await auth.applications.suspend(id)
  await auth.applications.resume(id)
  await auth.applications.disallow(id, 'catalog')
  const { credentials: fresh } = await auth.applications.rotateSecret(id)
  const { credential } = await auth.applications.addKey(id, { name: 'warehouse' })
  await auth.applications.updateCredential(id, credential.id, { name: 'shop' })
  await auth.applications.endCredential(id, credential.id)
  await auth.applications.revokeTokens(id)
  await auth.applications.delete(id)

  const registered = await auth.registration.register({ name: NAME, contact: CONTACT, apis: ['orders'] })
  await auth.applications.approve(registered.application.id)
  await happened('application.activated')
  refuseEmails()
  await auth.registration.register({ name: NAME, contact: CONTACT, apis: ['catalog'] })
  await happened('application.deliveryFailed')

  await auth.signingKeys.rotate()
  const [current] = (await auth.signingKeys.list()).items
  await auth.signingKeys.revoke(current!.kid)
  await auth.sessionSecret.replace()
  await outage()
  // Their causes are tested elsewhere (test/core/rate-limits, test/core/store-client, test/core/applications/import.test.ts); here the events are enough.
  for (const type of [
    'application.imported',
    'quota.reached',
    'keySet.unavailable',
    'keySet.available',
    'application.accessRequested',
    'application.recovered',
    'application.contactAdded',
    'application.contactInvited',
    'application.contactRemoved',
    'application.accessRejected',
    'store.writesRejected',
    'store.writesAccepted',
    'limits.unavailable',
    'limits.available',
    'mail.unavailable',
    'mail.available',
    'clock.deviates',
    'clock.agrees',
  ] as const) {
    auth.events.emit(type, { type, at: new Date() })
  }
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(Object.keys(RECORDINGS)))
  return [
    ...Object.values(credentials),
    ...Object.values(fresh),
    accessToken,
    NAME,
    CONTACT,
    id,
    registered.application.id,
    'guessed',
    'a wrong secret',
  ] as string[]
}
