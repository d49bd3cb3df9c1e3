import { describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../../src/index.js'
import { openAdmin } from '../../../src/tools/admin/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { usePlatform, type TestOptions } from '../../support/platform.js'
import { expectRefused } from './operator.js'

const CONTACT = 'dev@customer.example'
const OPERATOR = 'apis@example.com'
const REASON = 'The invoice of May is open.'

async function open(options: TestOptions = {}) {
  const store = memoryStore()
  const mailer = memoryMailer()
  const { auth, clock } = usePlatform({
    store,
    mailer,
    operators: [OPERATOR],
    developersUrl: 'https://example.com/developers',
    ...options,
  })
  await auth.ready()
  return {
    auth,
    applications: auth.applications,
    registration: auth.registration,
    clock,
    store,
    emailsTo: (address: string) => mailer.emails.filter(({ to }) => to === address),
    async listTypes(id: string) {
      return (await auth.audit.list({ applicationId: id })).items.map(({ type }) => type)
    },
    /** An active application that requests access to an API. */
    async requestAccess() {
      const given = {
        name: 'Shop',
        contact: CONTACT,
        apis: { catalog: {}, orders: { scopes: ['orders:read'] } },
      } as const
      const { application } = await auth.applications.create(given)
      const by = `contact:${CONTACT}`
      await auth.registration.requestAccess(application.id, { api: 'orders', scopes: ['orders:write'], by })
      return application.id
    },
  }
}

describe('suspend()', () => {
  it('tells the contact with notify, and keeps the reason in the audit log', async () => {
    const { auth, applications, emailsTo } = await open()
    const { application } = await applications.create({ name: 'Shop', contact: CONTACT, apis: ['catalog'] })
    await applications.suspend(application.id, { reason: ` ${REASON} `, notify: true, by: 'alice' })
    await vi.waitFor(() => expect(emailsTo(CONTACT)).toHaveLength(1), 60_000)
    expect(emailsTo(CONTACT)[0]!.text).toContain(REASON)
    const { items } = await auth.audit.list({ applicationId: application.id })
    expect(items.find(({ type }) => type === 'application.suspended')).toMatchObject({
      by: 'alice',
      details: { reason: REASON, notified: true },
    })
    expect(await applications.get(application.id)).toMatchObject({ status: 'suspended' })
  })

  it('sends nothing without notify, or if the application was resumed before', async () => {
    const { applications, store, emailsTo } = await open()
    const { application } = await applications.create({ name: 'Shop', contact: CONTACT, apis: ['catalog'] })
    const admin = await openAdmin(store)
    await admin.applications.suspend(application.id, { reason: REASON })
    expect(await store.emails.list({ applicationId: undefined, state: undefined, limit: 10 })).toEqual([])
    await admin.applications.resume(application.id)
    // Suspended and resumed before any process could send.
    const leaseEmail = vi.spyOn(store.emails, 'lease').mockResolvedValue(undefined)
    await admin.applications.suspend(application.id, { notify: true })
    await admin.applications.resume(application.id)
    leaseEmail.mockRestore()
    expect(await store.emails.list({ applicationId: undefined, state: undefined, limit: 10 })).toEqual([])
    expect(emailsTo(CONTACT)).toEqual([])
  })

  it('with notify is refused without a contact, and with a reason that is none', async () => {
    const { applications } = await open()
    const { id } = (await applications.create({ name: 'Shop', apis: ['catalog'] })).application
    await expectRefused(applications.suspend(id, { notify: true }), 'invalid_state', /no contact/)
    await expectRefused(applications.suspend(id, { notify: 'yes' as never }), 'invalid_argument', /notify/)
    for (const reason of ['', ' ', 'x'.repeat(501), 7 as never, 'a\u0007']) {
      await expectRefused(applications.suspend(id, { reason }), 'invalid_argument', /reason must be/)
    }
    expect(await applications.get(id)).toMatchObject({ status: 'active' })
  })
})

describe('deny()', () => {
  const REGISTRATION = { name: 'Shop', contact: CONTACT, apis: ['orders'] } as const

  it('sends the reason, and nothing without one', async () => {
    const { applications, registration, store, emailsTo } = await open()
    const silent = await registration.register(REGISTRATION)
    await applications.deny(silent.application.id)
    const { application } = await registration.register(REGISTRATION)
    await applications.deny(application.id, { reason: REASON })
    await vi.waitFor(() => expect(emailsTo(CONTACT)).toHaveLength(1), 60_000)
    expect(emailsTo(CONTACT)[0]!.text).toContain(REASON)
    await vi.waitFor(
      async () =>
        expect(await store.emails.list({ applicationId: undefined, state: undefined, limit: 10 })).toEqual([]),
      60_000,
    )
  })

  it('withdraws the e-mails to operators that were not sent, as approve() does', async () => {
    const { applications, registration, store } = await open()
    const leaseEmail = vi.spyOn(store.emails, 'lease').mockResolvedValue(undefined)
    const { id } = (await registration.register(REGISTRATION)).application
    expect(await store.emails.list({ applicationId: id, state: 'due', limit: 10 })).toMatchObject([
      { purpose: 'approvalRequest', recipient: OPERATOR },
    ])
    await applications.approve(id)
    const queued = await store.emails.list({ applicationId: id, state: undefined, limit: 10 })
    expect(queued).toMatchObject([{ purpose: 'registration', state: 'due' }])
    leaseEmail.mockRestore()
  })

  it('leaves a retry of failed e-mails to operators to auth.emails.retry()', async () => {
    const send = vi.fn<(email: { to: string }) => Promise<void>>(async () => {
      throw Object.assign(new Error('no such mailbox'), { permanent: true, responseCode: 550 })
    })
    const { auth, applications, registration, store } = await open({ mailer: { send } })
    const { id } = (await registration.register(REGISTRATION)).application
    const failed = () =>
      store.emails.list({ applicationId: id, purpose: 'approvalRequest', state: 'failed', limit: 10 })
    await vi.waitFor(
      async () => expect(await failed()).toMatchObject([{ recipient: OPERATOR, problem: '550' }]),
      60_000,
    )
    send.mockResolvedValue()
    expect(await auth.emails.retry()).toEqual({ retried: 1 })
    await vi.waitFor(async () => expect(await failed()).toEqual([]), 60_000)
    expect(await applications.get(id)).toMatchObject({ status: 'pending' })
    expect(await applications.approve(id)).toMatchObject({ id })
  })
})

describe('a decision about a request for access', () => {
  it('is asked of operators once, and later again for other scopes', async () => {
    const { registration, clock, store, emailsTo, requestAccess } = await open()
    const id = await requestAccess()
    await registration.requestAccess(id, { api: 'orders', scopes: ['orders:write'] })
    await vi.waitFor(() => expect(emailsTo(OPERATOR)).toHaveLength(1), 60_000)
    await vi.waitFor(
      async () => expect(await store.emails.list({ applicationId: id, state: 'due', limit: 10 })).toEqual([]),
      60_000,
    )
    for (const scopes of [['orders:read', 'orders:write'], ['orders:write'], ['orders:read', 'orders:write']]) {
      await registration.requestAccess(id, { api: 'orders', scopes })
    }
    expect(await store.emails.list({ applicationId: id, state: 'due', limit: 10 })).toMatchObject([
      { purpose: 'approvalRequest', dueAt: clock.now() + 600_000 },
    ])
    expect(emailsTo(OPERATOR)).toHaveLength(1)
  })

  it('approve() adds the scopes, and tells the contact', async () => {
    const { applications, emailsTo, requestAccess, listTypes } = await open()
    const id = await requestAccess()
    const { apis } = await applications.approve(id, { api: 'orders', by: 'alice' })
    expect(apis).toEqual({ catalog: { scopes: [] }, orders: { scopes: ['orders:read', 'orders:write'] } })
    await vi.waitFor(() => expect(emailsTo(CONTACT)).toHaveLength(1), 60_000)
    expect((await listTypes(id)).includes('application.approved')).toBe(true)
    await expectRefused(applications.approve(id, { api: 'orders' }), 'invalid_state', /no request for access/)
    await expectRefused(applications.deny(id, { api: 'orders' }), 'invalid_state', /no request for access/)
  })

  it('deny() keeps the application and what it may use, and sends the reason', async () => {
    const { applications, store, emailsTo, requestAccess, listTypes } = await open()
    const id = await requestAccess()
    const denied = await applications.deny(id, { api: 'orders', reason: REASON, by: 'alice' })
    expect(denied).toMatchObject({ status: 'active', name: 'Shop', apis: { orders: { scopes: ['orders:read'] } } })
    expect((await store.findApplication(id))!.accessRequests).toEqual([])
    await vi.waitFor(() => expect(emailsTo(CONTACT)[0]?.text).toContain(REASON), 60_000)
    expect((await listTypes(id)).includes('application.accessRejected')).toBe(true)
  })

  it('is about that API: another one, and a registration, are refused', async () => {
    const { applications, requestAccess } = await open()
    const id = await requestAccess()
    await expectRefused(applications.approve(id, { api: 'weather' }), 'invalid_state')
    await expectRefused(applications.approve(id, { api: 7 as never }), 'invalid_argument')
    await expectRefused(applications.approve(id), 'invalid_state', /does not wait/)
    // It would be approved with all that it has asked for.
    await expectRefused(applications.approve(id, { scopes: ['orders:read'] }), 'invalid_argument', /allow\(\)/)
    await expectRefused(applications.deny(id, { reason: REASON }), 'invalid_state')
    await applications.delete(id)
    await expectRefused(applications.approve(id, { api: 'orders' }), 'invalid_state', /deleted/)
  })
})
