import { expect, it, onTestFinished } from 'vitest'
import { emails } from '../../src/features/emails/index.js'
import { portal } from '../../src/features/portal/index.js'
import { registration } from '../../src/features/registration/index.js'
import { memoryStore } from '../../src/index.js'
import { memoryMailer } from '../../src/testing/index.js'
import { openPlatform } from '../support/platform.js'

const OPERATOR = 'ops@example.com'
const INVITED = 'carl@shop.example'

it('an e-mail to a page that no feature here serves waits for a process whose features do', async () => {
  const store = memoryStore()
  const developersUrl = 'https://example.com/developers'
  const mailer = memoryMailer()
  const pages = [registration({ operators: [OPERATOR] }), portal()]
  const open = (options: object) => {
    const opened = openPlatform({ store, developersUrl, ...options })
    onTestFinished(() => opened.auth.close())
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
      problem: expect.stringContaining('registration() is not given') as string,
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
