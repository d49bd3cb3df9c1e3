import { expect, it, onTestFinished } from 'vitest'
import { emails } from '../../../src/features/emails/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { memoryStore } from '../../../src/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { openPlatform, usePlatform } from '../../support/platform.js'

const OPERATOR = 'ops@example.com'
const INVITED = 'carl@shop.example'

it('an e-mail to a page that no feature here serves waits for a process whose features do', async () => {
  const store = memoryStore()
  const developersUrl = 'https://example.com/developers'
  const mailer = memoryMailer()
  const pages = [registration({ operators: [OPERATOR] }), portal()]
  const open = (options: object) => {
    const opened = usePlatform({ store, developersUrl, ...options })
    return opened
  }
  // Queues, and sends nothing.
  const { auth, clock } = open({ features: [emails({ mailer }), ...pages], background: false })
  const { application } = await auth.applications.create({
    name: 'Shop',
    contact: 'dev@shop.example',
    apis: ['catalog'],
  })
  const { id } = application
  await auth.portal.invite(id, INVITED)
  await auth.applications.disallow(id, 'catalog')
  await auth.registration.requestAccess(id, { api: 'catalog', by: 'contact:dev@shop.example' })
  const listQueued = () => store.emails.list({ applicationId: id, state: undefined, limit: 10 })
  expect((await listQueued()).map(({ purpose, state }) => [purpose, state])).toEqual([
    ['invitation', 'due'],
    ['approvalRequest', 'due'],
  ])

  const without = open({ features: [emails({ mailer })], now: clock.now })
  await without.auth.ready()
  await expect.poll(async () => (await listQueued()).map(({ attemptCount }) => attemptCount)).toEqual([1, 1])
  expect(await listQueued()).toMatchObject([
    { purpose: 'invitation', state: 'due', problem: expect.stringContaining('portal() is not given') as string },
    {
      purpose: 'approvalRequest',
      state: 'due',
      problem: expect.stringContaining('registration() with operators is not given') as string,
    },
  ])
  expect(without.logger.lines.join('\n')).toMatch(/was not delivered: portal\(\) is not given.* It will be retried\./)
  expect(mailer.emails).toEqual([])
  expect((await auth.applications.get(id))?.invitations).toHaveLength(1)
  await without.auth.close()

  clock.advance(600)
  await open({ features: [emails({ mailer }), ...pages], now: clock.now }).auth.ready()
  await expect.poll(() => mailer.emails.map(({ to }) => to).toSorted()).toEqual([INVITED, OPERATOR])
  const textTo = (address: string) => mailer.emails.find(({ to }) => to === address)?.text
  expect(textTo(INVITED)).toContain(`${developersUrl}/applications/invitation#`)
  expect(textTo(OPERATOR)).toContain(`${developersUrl}/register/decide#`)
})

it('an e-mail to a page that nobody serves for 72 hours has failed, which the operator is told', async () => {
  const store = memoryStore()
  const mailer = memoryMailer()
  const background = openPlatform({
    store,
    developersUrl: 'https://example.com/developers',
    features: [emails({ mailer }), registration({ operators: [OPERATOR] })],
    background: false,
  })
  const request = { name: 'Shop', contact: 'dev@shop.example', apis: ['orders'] } as const
  const { application } = await background.auth.registration.register(request)
  // registration() without operators has nobody to write to either.
  background.clock.advance(73 * 3600)
  const without = openPlatform({
    store,
    developersUrl: 'https://example.com/developers',
    features: [emails({ mailer }), registration()],
    now: background.clock.now,
  })
  onTestFinished(async () => void (await Promise.all([background.auth.close(), without.auth.close()])))
  const failures: unknown[] = []
  without.auth.events.on('application.deliveryFailed', ({ applicationId, reason }) =>
    failures.push([applicationId, reason]),
  )
  await without.auth.ready()
  const problem = 'registration() with operators is not given, so there is no page to link to'
  await expect.poll(() => failures).toEqual([[application.id, problem]])
  const queued = await store.emails.list({ applicationId: application.id, state: 'failed', limit: 10 })
  expect(queued).toMatchObject([{ purpose: 'approvalRequest', problem }])
  const { items } = await without.auth.audit.list({ applicationId: application.id })
  expect(items.map(({ type }) => type)).toContain('application.deliveryFailed')
  expect(mailer.emails).toEqual([])
})
