import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { memoryStore, type ApiGrants, type ApplicationErrorCode } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import type { StoreWith } from '../../../src/store.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import {
  expectNoCredentials,
  openProvider,
  POLL_OPTIONS,
  readCredentials,
  waitForEmails,
  type Provider,
  type Test,
  waitForAttempts,
  type ReceivedCredentials,
} from './applicant.js'
import type { Mailer } from '../../../src/features/emails/index.js'

function openRegistering(test: Test): Provider & { mailer: ReturnType<typeof memoryMailer> } {
  const mailer = memoryMailer()
  return { ...openProvider(test, { mailer }), mailer }
}

const CONTACT = 'dev@customer.example'

describe.concurrent('register()', () => {
  it('resolves a pending application, without its credentials, before any e-mail is sent', async ({
    expect,
    onTestFinished,
  }) => {
    const provider = openProvider({ onTestFinished }, { mailer: { send: () => sleep(500) } })
    const { auth, clock } = provider
    const answer = await auth.registration.register({
      name: ' Shop ',
      contact: CONTACT,
      apis: ['orders', 'catalog'],
      by: 'the form',
    })
    expect(answer).toEqual({
      application: {
        id: expect.stringMatching(/^app_[0-9a-f]{32}$/) as string,
        name: 'Shop',
        contact: CONTACT,
        contacts: [CONTACT],
        invitations: [],
        accessRequests: [],
        status: 'pending',
        apis: { orders: { scopes: ['orders:read'] }, catalog: { scopes: [] } },
        rateLimits: {},
        keys: [],
        secrets: [],
        createdAt: new Date(clock.now()),
      },
    })
    const { items: records } = await auth.audit.list({ applicationId: answer.application.id })
    expect(records).toMatchObject([
      {
        type: 'application.registered',
        by: 'the form',
        details: { apis: { orders: { scopes: ['orders:read'] }, catalog: { scopes: [] } } },
      },
    ])
    expect(await provider.getStatus(answer.application.id)).toBe('pending')
  })

  it('grants the scopes in registrationScopes, and rejects others', async ({ expect, onTestFinished }) => {
    const { auth, mailer, tokenStatus } = openRegistering({ onTestFinished })
    const register = (apis: ApiGrants) =>
      auth.registration.register({ name: 'Shop', contact: CONTACT, apis: apis as never })
    const { application } = await register({ orders: { scopes: ['orders:read'] } })
    expect(application.apis).toEqual({ orders: { scopes: ['orders:read'] } })
    expect((await register({ orders: {} })).application.apis).toEqual({ orders: { scopes: ['orders:read'] } })
    expect((await register({ orders: { scopes: [] } })).application.apis).toEqual({ orders: { scopes: [] } })
    await expect(register({ orders: { scopes: ['orders:write'] } })).rejects.toMatchObject({ code: 'unknown_scope' })
    await waitForEmails(mailer.emails, 3)
    expect(await tokenStatus(readCredentials(mailer.emails[0]!))).toBe(200)
    // An operator may grant the other scopes.
    await expect(auth.applications.allow(application.id, 'orders')).resolves.toMatchObject({
      apis: { orders: { scopes: ['orders:read', 'orders:write'] } },
    })
  })

  it('stores and sends nothing if it rejects', async ({ expect, onTestFinished }) => {
    const { auth, store, mailer, events } = openRegistering({ onTestFinished })
    const good = { name: 'Shop', contact: CONTACT, apis: ['catalog'] }
    const bad: [object, ApplicationErrorCode][] = [
      [{ ...good, apis: ['payroll'] }, 'api_closed'],
      [{ ...good, apis: ['catalog', 'payroll'] }, 'api_closed'],
      [{ ...good, apis: ['ordres'] }, 'unknown_api'],
      [{ ...good, apis: [] }, 'invalid_argument'],
      [{ ...good, apis: 'catalog' }, 'invalid_argument'],
      [{ ...good, apis: [['catalog']] }, 'invalid_argument'],
      [{ ...good, apis: { catalog: true } }, 'invalid_argument'],
      [{ ...good, apis: { catalog: null } }, 'invalid_argument'],
      [{ ...good, apis: { orders: { scopes: 'orders:read' } } }, 'invalid_argument'],
      [{ ...good, apis: { orders: { scopes: [['orders:read']] } } }, 'invalid_argument'],
      [{ ...good, apis: { orders: { scope: ['orders:read'] } } }, 'invalid_argument'],
      [{ ...good, name: '' }, 'invalid_argument'],
      [{ ...good, contact: 'dev' }, 'invalid_argument'],
      [{ ...good, contact: undefined }, 'invalid_argument'],
    ]
    for (const [application, code] of bad) {
      await expect(auth.registration.register(application as never), JSON.stringify(application)).rejects.toMatchObject(
        { name: 'ApplicationError', code },
      )
    }
    expect((await auth.applications.list()).items).toEqual([])
    expect(await store.emails.list({ applicationId: undefined, state: undefined, limit: 10 })).toEqual([])
    expect((await auth.audit.list()).items.filter(({ applicationId }) => applicationId !== undefined)).toEqual([])
    expect([mailer.emails, events]).toEqual([[], []])
  })

  it('stores neither application nor e-mail if the store fails', async ({ expect, onTestFinished }) => {
    const working = memoryStore()
    const store: StoreWith = {
      ...working,
      async saveApplication() {
        throw new Error('power cut')
      },
    }
    const mailer = memoryMailer()
    const { auth } = openProvider({ onTestFinished }, { store, mailer })
    await expect(
      auth.registration.register({ name: 'Shop', contact: CONTACT, apis: ['catalog'] }),
    ).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(await working.emails.list({ applicationId: undefined, state: undefined, limit: 10 })).toEqual([])
    expect(mailer.emails).toEqual([])
  })
})

describe.concurrent('a registration that includes a manual API', () => {
  it('waits for approval, whatever other APIs it includes, and has no credentials until then', async ({
    expect,
    onTestFinished,
  }) => {
    const provider = openRegistering({ onTestFinished })
    const { auth, mailer, clock } = provider
    const { id } = await provider.register(['catalog', 'orders', 'weather'])
    clock.advance(24 * 3600)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(mailer.emails).toEqual([])
    expect(await provider.findRecord(id)).toMatchObject({ status: 'pending', keys: [], secrets: [] })
    expect(await auth.emails.retry()).toEqual({ retried: 0 })
    expect(await auth.emails.retry(id)).toEqual({ retried: 0 })

    expect(await auth.applications.approve(id, { by: 'ann' })).toMatchObject({ id, status: 'pending' })
    await waitForEmails(mailer.emails, 1)
    const received = readCredentials(mailer.emails[0]!)
    expect([await provider.tokenStatus(received), await provider.keyStatus(received, '/weather/now')]).toEqual([
      200, 200,
    ])
    expect(provider.listEvents(id).slice(0, 2)).toEqual(['registered', 'approved'])
    const { items: records } = await auth.audit.list({ applicationId: id })
    expect(records[1]).toMatchObject({ type: 'application.approved', by: 'ann', at: new Date(clock.now()) })
    expectNoCredentials(received, records)
  })

  it('has 72 hours of attempts from its approval, not from its registration', async ({ expect, onTestFinished }) => {
    const store = memoryStore()
    const registering = openProvider({ onTestFinished }, { store, mailer: memoryMailer() })
    const { clock } = registering
    const { id } = await registering.register(['weather'])
    await registering.auth.close()
    clock.advance(10 * 24 * 3600)
    const operator = openProvider({ onTestFinished }, { store, now: clock.now })
    await operator.auth.applications.approve(id)
    expect(await operator.listEmails(id)).toMatchObject([{ state: 'due', createdAt: clock.now(), dueAt: clock.now() }])
  })

  it('is approved once, and only while it waits', async ({ expect, onTestFinished }) => {
    const { auth, register, mailer, getStatus } = openRegistering({ onTestFinished })
    const approve = (id: string) => auth.applications.approve(id)
    const { id } = await register(['weather'])
    const outcomes = await Promise.allSettled([approve(id), approve(id)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(approve(id)).rejects.toMatchObject({ code: 'invalid_state' })
    await waitForEmails(mailer.emails, 1)
    await expect.poll(() => getStatus(id), POLL_OPTIONS).toBe('active')
    await expect(approve(id)).rejects.toMatchObject({ code: 'invalid_state' })

    await expect(approve((await register(['catalog'])).id)).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(approve('app_0')).rejects.toMatchObject({ code: 'application_not_found' })
    const { application } = await auth.applications.create({ name: 'Shop', apis: ['weather'] })
    await expect(approve(application.id)).rejects.toMatchObject({ code: 'invalid_state' })
    const deleted = await register(['weather'])
    await auth.applications.delete(deleted.id)
    await expect(approve(deleted.id)).rejects.toMatchObject({ code: 'invalid_state' })
  })

  it('can be suspended and not resumed, and is deleted with its e-mail', async ({ expect, onTestFinished }) => {
    const { auth, register, listEmails, listEvents } = openRegistering({ onTestFinished })
    const { id } = await register(['weather'])
    await expect(auth.applications.resume(id)).rejects.toMatchObject({ code: 'invalid_state' })
    expect(await auth.applications.suspend(id)).toMatchObject({ status: 'suspended' })
    expect(await auth.applications.delete(id)).toMatchObject({ status: 'deleted', contact: undefined, name: '' })
    expect(await listEmails(id)).toEqual([])
    expect(listEvents(id)).toEqual(['registered', 'suspended', 'deleted'])
  })

  it('can be deleted through openAdmin()', async ({ expect, onTestFinished }) => {
    const { register, store, listEmails, getStatus } = openRegistering({ onTestFinished })
    const { id } = await register(['weather'])
    const admin = await openAdmin(store)
    await admin.applications.delete(id)
    expect(await listEmails(id)).toEqual([])
    expect(await getStatus(id)).toBe('deleted')
  })
})

/** A platform whose e-mails arrive with an unknown outcome: `sent` is what the recipients got. */
function openUncertain(test: Test): Provider & { sent: ReceivedCredentials[] } {
  const sent: ReceivedCredentials[] = []
  const mailer: Mailer = {
    async send(email) {
      sent.push(readCredentials(email))
      throw Object.assign(new Error('lost'), { code: 'ECONNECTION' })
    },
  }
  return { ...openProvider(test, { mailer }), sent }
}

const USES: readonly [
  name: string,
  use: (provider: Provider, received: ReceivedCredentials) => Promise<number>,
  status: number,
][] = [
  ['at a token endpoint', (provider, received) => provider.tokenStatus(received), 200],
  ['at a key API', (provider, received) => provider.keyStatus(received), 200],
  [
    'at a key API that the application may not use',
    (provider, received) => provider.keyStatus(received, '/weather/now'),
    403,
  ],
  ['by verifyApiKey()', ({ auth }, { clientId }) => auth.verifyApiKey('catalog', clientId).then(() => 200), 200],
]

describe.concurrent('the first use of credentials whose e-mail may have arrived', () => {
  it.for(USES)('%s activates the application', async ([, use, status], { expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    expect(await provider.getStatus(id)).toBe('pending')
    provider.clock.advance(1)

    expect(await use(provider, provider.sent[0]!)).toBe(status)
    expect(await provider.getStatus(id)).toBe('active')
    expect(provider.listEvents(id)).toEqual(['registered', 'activated'])
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.at(-1)).toMatchObject({ type: 'application.activated', at: new Date(provider.clock.now()) })
    expect(await provider.listEmails(id)).toEqual([])
    provider.clock.advance(3600)
    expect(await provider.nextDueEmail()).toBeUndefined()
    expect(provider.sent).toHaveLength(1)
  })

  it('activates once if many requests come at the same time', async ({ expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    const [received] = provider.sent
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? provider.tokenStatus(received!) : provider.keyStatus(received!))),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(provider.listEvents(id)).toEqual(['registered', 'activated'])
    const { items: records } = await provider.auth.audit.list({ applicationId: id })
    expect(records.filter(({ type }) => type === 'application.activated')).toHaveLength(1)
  })

  it('does not activate with a wrong secret', async ({ expect, onTestFinished }) => {
    const provider = openUncertain({ onTestFinished })
    const { id } = await provider.register()
    await waitForAttempts(provider, id, 1)
    const [received] = provider.sent
    expect(await provider.tokenStatus({ ...received!, clientSecret: received!.clientId })).toBe(401)
    expect(await provider.getStatus(id)).toBe('pending')
  })
})
